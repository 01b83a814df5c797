"""The critical-difference diagram as TikZ: it compiles, whatever names are called, and says what the picture says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import verdicts

from bakeoff.cli import main
from bakeoff.figures.critical_difference import critical_difference
from bakeoff.figures.figure import Style
from bakeoff.figures.tikz import escaped

HOSTILE = [
    r"\input{/etc/passwd}", "a_b^c~d", "100 % & #1", "$x$ {y}", "<b>|[z]", "随机森林", "شبكة", "née Łódź Ø ß",
    "x\x07\ny", "]]> \\end{tikzpicture}", "🤖", '"quoted" `tick`',
]  # fmt: skip
PAPER = r"\documentclass{article}\usepackage{tikz}\begin{document}\input{cd.tex}\end{document}"


def compiled(folder: Path, tex: str) -> str:
    """The log of pdflatex on a paper that takes the diagram in."""
    style = ["kpsewhich", "tikz.sty"]
    if shutil.which("pdflatex") is None or subprocess.run(style, capture_output=True, check=False).returncode:
        if os.environ.get("CI") == "true":
            pytest.fail("pdflatex with tikz is not installed: scripts/system-packages installs it")
        pytest.skip("pdflatex with tikz is not installed: scripts/system-packages installs it")
    (folder / "cd.tex").write_text(tex, encoding="utf-8")
    (folder / "paper.tex").write_text(PAPER, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, timeout=120, check=False)
    said = done.stdout.decode("utf-8", "replace")
    assert done.returncode == 0, said[-3000:]
    assert (folder / "paper.pdf").stat().st_size > 1000
    return said


def test_hostile_names_compile_and_do_nothing(tmp_path: Path) -> None:
    info = critical_difference(verdicts.random(len(HOSTILE), names=HOSTILE, control=HOSTILE[1]))
    tex = info.to_text("tex")
    said = compiled(tmp_path, tex)
    assert "passwd" not in said
    assert "1 page" in said
    assert tex.count(r"\begin{tikzpicture}") == tex.count("\n\\end{tikzpicture}") == 1


def test_it_has_the_names_and_numbers_of_the_picture(tmp_path: Path) -> None:
    info = critical_difference(verdicts.demsar())
    tex = info.to_text()
    nodes = re.findall(r"\\node.*\{(.*)\};", tex)
    assert {"C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf", "CD = 1.254"} <= set(nodes)
    assert tex.startswith("% Mean rank by auc")
    larger = info.to_text("tikz", Style(font_size=18))
    assert larger.count(r"\fontsize{18}") == tex.count(r"\fontsize{9}") > 0
    narrow = info.to_text("tex", Style(width=3.3))
    assert "\\ensuremath{\\leftarrow} smaller is better" in narrow
    compiled(tmp_path, narrow)


def test_names_beyond_tex_are_marked_and_others_stay() -> None:
    assert escaped("Šárka") == "Šárka"
    assert escaped("x\ty") == "x y"
    assert escaped("α ≤ 5") == r"\ensuremath{\alpha} \ensuremath{\le} 5"


def test_the_command_writes_tikz(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "scores.csv"
    verdicts.scores(verdicts.DEMSAR, verdicts.DEMSAR_LEARNERS).to_frame().to_csv(table, index=False)
    for name in ("cd.tex", "cd.tikz"):
        assert main(["plot", "critical-difference", str(table), "-o", str(tmp_path / name), "--left"]) == 0
        assert r"\begin{tikzpicture}" in (tmp_path / name).read_text(encoding="utf-8")
    assert "the best is on the left" in " ".join(capsys.readouterr().out.split())
