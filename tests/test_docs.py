"""What README and docs show is run, in a folder of its own for each page.

    ```python run       is executed, or, with >>> prompts, compared with the output that is shown
    ```console          each `$ bakeoff …` is run: exit code 0 (`console exit=3`: that code), and where output is
                        shown below it, that output; … or ... stands for anything
    ```csv file=x.csv   is written to that file before what follows is run
    ```python sketch    is shown only

A page finds the shipped tables where the repository has them, in src/bakeoff/data, and one of them as scores.csv.
"""

from __future__ import annotations

import doctest
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from bakeoff.cli import main

ROOT = Path(__file__).parents[1]
PAGES = [
    path.relative_to(ROOT).as_posix()
    for pattern in ("README.md", "CONTRIBUTING.md", "docs/**/*.md", "benchmarks/*.md")
    for path in sorted(ROOT.glob(pattern))
]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass(frozen=True)
class Block:
    """A fenced block: the line it starts on, its language, the words after that, and what it holds."""

    line: int
    language: str
    words: tuple[str, ...]
    text: str

    def word(self, key: str) -> str | None:
        return next((word.partition("=")[2] for word in self.words if word.startswith(f"{key}=")), None)


def blocks(markdown: str) -> Iterator[Block]:
    for found in re.finditer(r"^( *)```(\w+)([^\n]*)\n(.*?)^\1```$", markdown, re.MULTILINE | re.DOTALL):
        line = markdown.count("\n", 0, found.start()) + 1
        yield Block(line, found[2], tuple(found[3].split()), dedent(found[4]))


def commands(console: str) -> list[tuple[str, str]]:
    """(command, output shown below it); a command goes on after a backslash."""
    parts = re.split(r"^\$ ", console.replace("\\\n", ""), flags=re.MULTILINE)[1:]
    return [(part.partition("\n")[0].strip(), part.partition("\n")[2].strip()) for part in parts]


def run_python(block: Block, page: str, namespace: dict[str, Any]) -> None:
    if ">>>" in block.text:
        examples = doctest.DocTestParser().get_doctest(block.text, namespace, page, page, block.line)
        runner = doctest.DocTestRunner(optionflags=FLAGS)
        report: list[str] = []
        runner.run(examples, out=report.append, clear_globs=False)
        namespace.update(examples.globs)
        assert not report, "".join(report)
    else:
        # Blank lines in front, so that a traceback names the line of the page.
        exec(compile("\n" * block.line + block.text, page, "exec"), namespace)


def run_command(command: str) -> tuple[int, str]:
    """The exit code of a command, and what it prints: in this process, unless it takes a shell. To start one for each
    of a hundred commands takes a minute, and that the program starts is tested elsewhere."""
    if set(command) & set("|&;<>$`*?~#"):
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
        environment = {**os.environ, "PATH": path}
        done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False, env=environment)
        return done.returncode, done.stdout + done.stderr
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        try:
            code = main(shlex.split(command)[1:])
        except SystemExit as end:
            code = int(end.code or 0)
    return code, out.getvalue() + err.getvalue()


def run_console(block: Block, page: str) -> None:
    expected = int(block.word("exit") or 0)
    for command, shown in commands(block.text):
        if command.partition(" ")[0] != "bakeoff":
            continue
        code, said = run_command(command)
        told = f"{page}:{block.line}: $ {command}\n{said}"
        assert code == expected, f"{told}\nexit code {code}, expected {expected}"
        if shown:
            wanted, got = shown.replace("…", "...") + "\n", said.replace("…", "...") + "\n"
            assert doctest.OutputChecker().check_output(wanted, got, FLAGS), f"{told}\nis not what is shown:\n{shown}"


def run_page(page: str, markdown: str) -> None:
    namespace: dict[str, Any] = {"__name__": "__main__"}
    for block in blocks(markdown):
        if block.language == "python" and "run" in block.words:
            run_python(block, page, namespace)
        elif block.language == "console":
            run_console(block, page)
        elif name := block.word("file"):
            Path(name).write_text(block.text, encoding="utf-8")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    tables = shutil.copytree(ROOT / "src" / "bakeoff" / "data", tmp_path / "src" / "bakeoff" / "data")
    shutil.copy(tables / "dietterich2000.csv", tmp_path / "scores.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_shows_runs(page: str) -> None:
    run_page(page, (ROOT / page).read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", PAGES)
def test_python_is_run_or_called_a_sketch(page: str) -> None:
    found = [block for block in blocks((ROOT / page).read_text(encoding="utf-8")) if block.language == "python"]
    loose = [block.line for block in found if not {"run", "sketch"} & set(block.words)]
    assert not loose, f"{page}: python blocks on lines {loose} say neither `run` nor `sketch`"


def test_a_page_that_is_right_passes(folder: Path) -> None:
    run_page(
        "page",
        "```csv file=a.csv\nx\n```\n"
        "```python run\nfrom pathlib import Path\n```\n"
        "```python run\n>>> Path('a.csv').read_text()\n'x\\n'\n>>> print('left ... right')\nleft ... right\n```\n"
        "```python sketch\nraise ValueError\n```\n"
        "1. In a list:\n\n   ```console\n   $ bakeoff --version\n   bakeoff …\n   $ rm -rf nothing\n   ```\n"
        "```console exit=2\n$ bakeoff compare \\\n    nowhere.csv\n```\n",
    )


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ("```python run\n1 / 0\n```\n", ZeroDivisionError),
        ("```python run\n>>> 1 + 1\n3\n```\n", AssertionError),
        ("```console\n$ bakeoff nonsense\n```\n", AssertionError),
        ("```console\n$ bakeoff --version\nbakeoff of old\n```\n", AssertionError),
    ],
)
def test_a_page_that_is_wrong_fails(wrong: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        run_page("page", wrong)


def test_the_page_of_procedures_is_what_the_cards_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    tool = import_module("procedure_docs")
    assert doctest.testmod(tool).failed == 0
    assert tool.main(["--check"]) == 0
    monkeypatch.setattr(tool, "PAGE", Path("nowhere.md"))
    assert "run `make docs`" in tool.main(["--check"])


def test_the_page_of_formats_is_what_they_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    tool = import_module("format_docs")
    assert doctest.testmod(tool).failed == 0
    assert tool.main(["--check"]) == 0


def test_the_page_of_studies_has_every_scheme_and_key() -> None:
    """What it says of a scheme is what the scheme says of itself."""
    from dataclasses import fields

    from bakeoff.resampling import SCHEMES
    from bakeoff.tasks.dataset import Roles

    page = (ROOT / "docs/studies.md").read_text(encoding="utf-8")
    for name, scheme in SCHEMES.items():
        (line,) = [line for line in page.splitlines() if line.startswith(f"| `{name}` |")]
        assert line.endswith(f"| {scheme.about} |")
        own = [field.name for field in fields(scheme)] if not scheme.of_user else ["file"]  # type: ignore[arg-type]
        assert all(f"`{parameter}`" in line for parameter in own), line
    for key in (*Roles.__dataclass_fields__, "question", "seed", "alpha", "margin", "measures", "keep_scores"):
        assert f"`{key}`" in page, key
