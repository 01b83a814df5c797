"""Figures as files."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import pytest
import verdicts
from matplotlib.figure import Figure

from bakeoff.errors import UsageError
from bakeoff.figures.critical_difference import critical_difference, save

MAGIC = {"svg": b"<?xml", "pdf": b"%PDF-", "png": b"\x89PNG\r\n\x1a\n"}


@pytest.mark.parametrize("kind", MAGIC)
@pytest.mark.parametrize("upper", [False, True])
def test_the_extension_says_the_kind(tmp_path: Path, kind: str, upper: bool) -> None:
    path = tmp_path / f"figure.{kind.upper() if upper else kind}"
    save(verdicts.demsar(), path)
    assert path.read_bytes().startswith(MAGIC[kind])
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("name", ["figure.doc", "figure", ".svg", "figure.svg.txt"])
def test_other_extensions_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"\.svg, \.pdf or \.png; found"):
        save(verdicts.demsar(), tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_names_in_svg_are_text_and_escaped(tmp_path: Path) -> None:
    names = ["<b>&amp;", "a$x$_2^3", "\"quoted\" & 'more'", "🤖", "bell\x07 and\nline", "]]>"]
    save(verdicts.random(6, names=names), tmp_path / "figure.svg")
    texts = {element.text for element in ElementTree.parse(tmp_path / "figure.svg").iter() if element.text}
    assert {"<b>&amp;", "a$x$_2^3", "\"quoted\" & 'more'", "🤖", "bell� and line", "]]>"} <= texts
    assert b"&lt;b&gt;&amp;amp;" in (tmp_path / "figure.svg").read_bytes()


def test_a_measure_with_a_strange_name(tmp_path: Path) -> None:
    verdict = verdicts.demsar()
    measure = dataclasses.replace(verdict.finding.measure, name="<loss>\x1b[0m & $cost$\n" + "very " * 40)
    finding = dataclasses.replace(verdict.finding, measure=measure, position_name=f"mean {measure.name}")
    save(dataclasses.replace(verdict, finding=finding), tmp_path / "figure.svg")
    texts = [element.text or "" for element in ElementTree.parse(tmp_path / "figure.svg").iter()]
    assert "mean <loss>�[0m & $c…very very very very (smaller is better →)" in texts


def test_the_file_tells_what_it_shows(tmp_path: Path) -> None:
    save(verdicts.demsar(), tmp_path / "figure.svg", caption=False)
    root = ElementTree.parse(tmp_path / "figure.svg").getroot()
    description = root.find(".//{http://purl.org/dc/elements/1.1/}description")
    assert description is not None
    assert description.text == critical_difference(verdicts.demsar()).caption


@pytest.mark.parametrize("kind", MAGIC)
def test_the_same_verdict_gives_the_same_bytes(tmp_path: Path, kind: str) -> None:
    first, second = tmp_path / f"first.{kind}", tmp_path / f"second.{kind}"
    save(verdicts.demsar(), first)
    own = {"font.size": 30, "svg.fonttype": "path", "text.usetex": True, "lines.marker": "x", "savefig.bbox": "tight"}
    with matplotlib.rc_context(own):
        save(verdicts.demsar(), second)
        assert {name: matplotlib.rcParams[name] for name in own} == own
    assert first.read_bytes() == second.read_bytes()
    assert b"Date" not in first.read_bytes()


def test_notebooks_show_the_same_picture(tmp_path: Path) -> None:
    save(verdicts.demsar(), tmp_path / "figure.svg")
    assert critical_difference(verdicts.demsar())._repr_svg_() == (tmp_path / "figure.svg").read_text()


def test_a_directory_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"There is no directory .*missing.* to save 'figure\.svg' in"):
        save(verdicts.demsar(), tmp_path / "missing" / "figure.svg")
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="There is no directory"):
        save(verdicts.demsar(), tmp_path / "file" / "figure.svg")
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(UsageError, match="is a directory"):
        save(verdicts.demsar(), tmp_path / "folder.svg")


def test_a_file_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(UsageError, match=r"figure\.svg' cannot be written: Permission denied\."):
        save(verdicts.demsar(), tmp_path / "figure.svg")
    monkeypatch.undo()
    with pytest.raises(UsageError, match="cannot be written: File name too long"):
        save(verdicts.demsar(), tmp_path / f"{'n' * 300}.svg")
    assert not list(tmp_path.iterdir())


def test_nothing_is_left_behind_and_the_old_file_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "figure.svg"
    path.write_text("old")

    def fail(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    for owner, method in ((Path, "replace"), (Figure, "savefig")):
        with monkeypatch.context() as patched:
            patched.setattr(owner, method, fail)
            with pytest.raises(UsageError, match="No space left on device"):
                save(verdicts.demsar(), path)
        assert path.read_text() == "old"
        assert [entry.name for entry in tmp_path.iterdir()] == ["figure.svg"]


def test_others_may_read_the_file(tmp_path: Path) -> None:
    save(verdicts.demsar(), tmp_path / "figure.png")
    (tmp_path / "plain").write_text("")
    assert (tmp_path / "figure.png").stat().st_mode == (tmp_path / "plain").stat().st_mode
