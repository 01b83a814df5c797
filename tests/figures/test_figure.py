"""Figures as files."""

from __future__ import annotations

import dataclasses
import gc
import warnings
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import pytest
import verdicts
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import fontManager
from matplotlib.text import Text

from bakeoff.errors import MissingGlyphsWarning, UsageError
from bakeoff.figures import lettering
from bakeoff.figures.box_density import box_density
from bakeoff.figures.critical_difference import critical_difference
from bakeoff.figures.curves import threshold_curves
from bakeoff.figures.lettering import (
    MOST_COLUMNS,
    column,
    families,
    labels_of,
    lines_of,
    literal,
    quiet_text,
    shortened_in_the_middle,
    tick_texts,
    width_of,
    without_glyph_warnings,
    write,
)
from bakeoff.text import width

MAGIC = {"svg": b"<?xml", "pdf": b"%PDF-", "png": b"\x89PNG\r\n\x1a\n"}


@pytest.mark.parametrize("kind", MAGIC)
@pytest.mark.parametrize("upper", [False, True])
def test_the_extension_says_the_kind(tmp_path: Path, kind: str, upper: bool) -> None:
    path = tmp_path / f"figure.{kind.upper() if upper else kind}"
    verdicts.demsar().plot().save(path)
    assert path.read_bytes().startswith(MAGIC[kind])
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("name", ["figure.doc", "figure", ".svg", "figure.svg.txt"])
def test_other_extensions_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"\.svg, \.pdf or \.png; found"):
        verdicts.demsar().plot().save(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_names_in_svg_are_text_and_escaped(tmp_path: Path) -> None:
    names = ["<b>&amp;", "a$x$_2^3", "\"quoted\" & 'more'", "🤖", "bell\x07 and\nline", "]]>"]
    verdicts.random(6, names=names).plot().save(tmp_path / "figure.svg")
    texts = {element.text for element in ElementTree.parse(tmp_path / "figure.svg").iter() if element.text}
    assert {"<b>&amp;", "a$x$_2^3", "\"quoted\" & 'more'", "🤖", "bell� and line", "]]>"} <= texts
    assert b"&lt;b&gt;&amp;amp;" in (tmp_path / "figure.svg").read_bytes()


def test_a_measure_with_a_strange_name(tmp_path: Path) -> None:
    verdict = verdicts.demsar()
    measure = dataclasses.replace(verdict.finding.measure, name="<loss>\x1b[0m & $cost$\n" + "very " * 40)
    finding = dataclasses.replace(verdict.finding, measure=measure, position_name=f"mean {measure.name}")
    dataclasses.replace(verdict, finding=finding).plot().save(tmp_path / "figure.svg")
    texts = [element.text or "" for element in ElementTree.parse(tmp_path / "figure.svg").iter()]
    assert "mean <loss>�[0m & $c…very very very very (smaller is better →)" in texts


def test_the_file_tells_what_it_shows(tmp_path: Path) -> None:
    verdicts.demsar().plot().save(tmp_path / "figure.svg", caption=False)
    root = ElementTree.parse(tmp_path / "figure.svg").getroot()
    description = root.find(".//{http://purl.org/dc/elements/1.1/}description")
    assert description is not None
    assert description.text == critical_difference(verdicts.demsar()).caption


@pytest.mark.parametrize("kind", MAGIC)
def test_the_same_verdict_gives_the_same_bytes(tmp_path: Path, kind: str) -> None:
    first, second = tmp_path / f"first.{kind}", tmp_path / f"second.{kind}"
    verdicts.demsar().plot().save(first)
    own = {"font.size": 30, "svg.fonttype": "path", "text.usetex": True, "lines.marker": "x", "savefig.bbox": "tight"}
    with matplotlib.rc_context(own):
        verdicts.demsar().plot().save(second)
        assert {name: matplotlib.rcParams[name] for name in own} == own
    assert first.read_bytes() == second.read_bytes()
    assert b"Date" not in first.read_bytes()


def test_notebooks_show_the_same_picture(tmp_path: Path) -> None:
    verdicts.demsar().plot().save(tmp_path / "figure.svg")
    assert critical_difference(verdicts.demsar())._repr_svg_() == (tmp_path / "figure.svg").read_text()


def test_a_directory_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"There is no directory .*missing.* to save 'figure\.svg' in"):
        verdicts.demsar().plot().save(tmp_path / "missing" / "figure.svg")
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="There is no directory"):
        verdicts.demsar().plot().save(tmp_path / "file" / "figure.svg")
    (tmp_path / "folder.svg").mkdir()
    with pytest.raises(UsageError, match="is a directory"):
        verdicts.demsar().plot().save(tmp_path / "folder.svg")


def test_a_file_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(UsageError, match=r"figure\.svg' cannot be written: Permission denied\."):
        verdicts.demsar().plot().save(tmp_path / "figure.svg")
    monkeypatch.undo()
    with pytest.raises(UsageError, match="cannot be written: File name too long"):
        verdicts.demsar().plot().save(tmp_path / f"{'n' * 300}.svg")
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
                verdicts.demsar().plot().save(path)
        assert path.read_text() == "old"
        assert [entry.name for entry in tmp_path.iterdir()] == ["figure.svg"]


def test_others_may_read_the_file(tmp_path: Path) -> None:
    verdicts.demsar().plot().save(tmp_path / "figure.png")
    (tmp_path / "plain").write_text("")
    assert (tmp_path / "figure.png").stat().st_mode == (tmp_path / "plain").stat().st_mode


# ----------------------------------------------------------------------------------------------------------------------
# Names as they are drawn.


def test_a_short_name_stays_as_it_is() -> None:
    assert labels_of(["svm", "C4.5+m"]) == ["svm", "C4.5+m"]


def test_a_long_name_keeps_both_ends() -> None:
    assert shortened_in_the_middle("logistic regression, l2, C=10", 15) == "logisti…2, C=10"


def test_a_cut_leaves_no_accent_without_its_letter() -> None:
    assert shortened_in_the_middle("aaaaaaaae\u0301bc", 6) == "aaa…bc"


def test_labels_that_shortening_makes_alike_are_numbered() -> None:
    first, second = labels_of(["a" * 40 + "1" + "b" * 40, "a" * 40 + "2" + "b" * 40])
    assert (first[-3:], second[-3:]) == (" #1", " #2")


@given(st.lists(st.text(max_size=80), unique=True, min_size=1, max_size=30))
def test_labels_are_short_different_and_in_one_line(names: list[str]) -> None:
    labels = labels_of(names)
    assert len(set(labels)) == len(names)
    for label in labels:
        assert width(label) <= MOST_COLUMNS
        assert label == literal(label)


# ----------------------------------------------------------------------------------------------------------------------
# Text on a figure: literal, measured, without warnings; numbers that can be told apart.


IN_NO_FONT = "\U000f1234"  # for private use
WORDS = st.lists(
    st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=12), min_size=1, max_size=20
)


def parsed(text: str) -> float:
    return float(text.replace("−", "-"))


def test_latin_needs_no_more_than_sans_serif() -> None:
    assert families("C4.5+m: α = 0.05 − é ◆●○ ≤") == ["sans-serif"]
    assert families("") == ["sans-serif"]


def test_further_fonts_are_installed_ones_that_have_what_is_lacking(monkeypatch: pytest.MonkeyPatch) -> None:
    assert families("a") == ["sans-serif"]
    assert families("a" + IN_NO_FONT) == ["sans-serif"]
    monkeypatch.setattr(lettering, "_characters", lambda path: frozenset(map(ord, "ab" + "ℵ" * ("STIX" in path))))
    lettering._font_with.cache_clear()
    try:
        assert families("abℵ")[1:] == [lettering._font_with("ℵ")]
        assert "STIX" in families("abℵ")[1]
    finally:
        lettering._font_with.cache_clear()


def test_characters_that_no_font_has_are_named_when_a_figure_is_saved(tmp_path: Path) -> None:
    drawn = verdicts.random(3, names=["a", "b" + IN_NO_FONT, "c"]).plot()
    with pytest.warns(MissingGlyphsWarning, match=f"No font on this machine has {IN_NO_FONT}: .* boxes"):
        drawn.save(tmp_path / "boxes.png")
    drawn.save(tmp_path / "text.svg")  # warnings are errors here: whoever shows it chooses the font
    assert IN_NO_FONT in (tmp_path / "text.svg").read_text(encoding="utf-8")


def test_every_family_can_be_found() -> None:
    assert set(families("深度 🙂")[1:]) <= set(fontManager.get_font_names())


def test_width_grows_with_text_and_size() -> None:
    assert width_of("", 10) == 0
    assert 0 < width_of("iii", 10) < width_of("WWW", 10) < width_of("WWWi", 10)
    assert width_of("learner", 20) == pytest.approx(2 * width_of("learner", 10), rel=1e-6)


def test_width_is_that_of_the_text_as_it_stands() -> None:
    assert width_of("$x$", 10) == pytest.approx(width_of("x", 10) + 2 * width_of("$", 10), rel=0.05)


def test_width_is_what_is_drawn() -> None:
    made = Figure(figsize=(4, 1), dpi=72)
    ax = made.add_axes((0, 0, 1, 1))
    write(ax, 0, 0, "gradient boosting", 12)
    box = ax.texts[0].get_window_extent(FigureCanvasAgg(made).get_renderer())
    assert width_of("gradient boosting", 12) == pytest.approx(box.width, rel=0.05)


def test_characters_that_no_font_has_do_not_warn() -> None:
    made = Figure(dpi=72)
    ax = made.add_axes((0, 0, 1, 1))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert width_of(IN_NO_FONT, 10) > 0
        write(ax, 0.5, 0.5, IN_NO_FONT, 10)
        FigureCanvasAgg(made).draw()
        ax.texts[0].get_window_extent()


def test_others_would_warn_about_them() -> None:
    made = Figure(dpi=72)
    made.add_artist(Text(0.5, 0.5, IN_NO_FONT))
    with pytest.warns(UserWarning, match="Glyph .* missing from"):
        FigureCanvasAgg(made).draw()


def test_only_warnings_about_glyphs_are_kept_quiet() -> None:
    def said() -> list[str]:
        warnings.warn("Glyph 5 (x) missing from font(s) y.", UserWarning, stacklevel=1)
        warnings.warn("something else", UserWarning, stacklevel=1)
        return [str(warning.message) for warning in caught]

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with without_glyph_warnings():
            assert said() == ["something else"]
        assert len(said()) == 3


def test_text_is_drawn_literally_with_its_middle_at_y() -> None:
    ax = Figure().add_axes((0, 0, 1, 1))
    write(ax, 3.0, 40.0, "a$x^2$_{3}", 10, color="red", horizontalalignment="right")
    (text,) = ax.texts
    assert isinstance(text, quiet_text())
    assert text.get_text() == "a$x^2$_{3}"
    assert (text.get_parse_math(), text.get_usetex()) == (False, False)
    assert text.get_position() == (3.0, pytest.approx(43.5))  # y goes down: the baseline is below the middle
    assert (text.get_fontsize(), text.get_color(), text.get_horizontalalignment()) == (10, "red", "right")


@given(words=WORDS, width=st.floats(5, 300))
def test_lines_hold_all_words_and_no_more_than_fits(words: list[str], width: float) -> None:
    text = " ".join(words)
    lines = lines_of(text, 9, width)
    assert " ".join(lines) == text
    assert all(width_of(line, 9) <= width or " " not in line.replace(" = ", "=") for line in lines)


@given(words=st.lists(st.text("abcW", min_size=1, max_size=9), min_size=1, max_size=15), width=st.floats(5, 300))
def test_no_line_ends_early(words: list[str], width: float) -> None:
    lines = lines_of(" ".join(words), 9, width)
    for line, following in pairwise(lines):
        assert width_of(f"{line} {following.split(' ')[0]}", 9) > width


def test_a_wide_word_has_a_line_of_its_own() -> None:
    assert lines_of("a incomprehensibility b", 9, 30) == ["a", "incomprehensibility", "b"]
    assert lines_of("", 9, 30) == [""]


def test_what_belongs_together_stays_together() -> None:
    assert lines_of("of α = 0.05 and", 9, 1) == ["of", "α = 0.05", "and"]
    assert lines_of("◆ control ● other ○ none", 9, 1) == ["◆ control", "● other", "○ none"]


def test_a_column_has_as_many_decimals_as_the_one_that_needs_most() -> None:
    assert column([1.5, 2.0, 10.25]) == ["1.50", "2.00", "10.25"]
    assert column([1.0, 2.0]) == ["1", "2"]
    assert column([1.23456], digits=3) == ["1.23"]
    assert column([-1.5, 2.0]) == ["−1.5", "2.0"]
    assert column([]) == []


@given(st.lists(st.floats(1e-3, 1e5).map(lambda x: round(x, 6)), min_size=1, max_size=8))
def test_numbers_of_a_column_stand_below_each_other(values: list[float]) -> None:
    texts = column(values)
    assert len({len(text.partition(".")[2]) for text in texts}) == 1
    assert [parsed(text) for text in texts] == pytest.approx(values, rel=5.1e-4)


def test_ticks_have_the_same_form() -> None:
    assert tick_texts([-1.0, 0.0, 1.0]) == ["−1", "0", "1"]
    assert tick_texts([0.0, 0.25, 0.5]) == ["0.00", "0.25", "0.50"]
    assert tick_texts([-1e-7, 0.0, 1e-7]) == ["−1e−7", "0", "1e−7"]
    assert tick_texts([]) == []


@given(
    start=st.integers(-(10**7), 10**7),
    n=st.integers(2, 9),
    exponent=st.integers(-12, 9),
    step=st.sampled_from([1, 2, 5]),
)
def test_ticks_can_be_told_apart(start: int, n: int, exponent: int, step: int) -> None:
    ticks = [(start + i) * step * 10.0**exponent for i in range(n)]
    texts = tick_texts(ticks)
    assert len(set(texts)) == n
    assert [parsed(text) for text in texts] == pytest.approx(ticks, rel=1e-3)
    assert len({"e" in text for text, tick in zip(texts, ticks, strict=True) if tick}) == 1
    assert not any("-" in text or "e+" in text for text in texts)


@pytest.mark.parametrize("kind", ["box-density", "roc", "critical-difference"])
def test_every_kind_names_characters_that_no_font_has_and_draws_dollars(kind: str, tmp_path: Path) -> None:
    name = "b$x$" + IN_NO_FONT
    charts = {
        "box-density": lambda: box_density({"": {"a": [0.1, 0.2, 0.4], name: [0.3, 0.2, 0.1]}}, axis="error"),
        "roc": lambda: threshold_curves("roc", {name: ([0, 0, 1], [0, 1, 1])}, axes=("x", "y"), title="iris"),
        "critical-difference": lambda: verdicts.random(3, names=["a", name, "c"]).plot(),
    }
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        charts[kind]().save(tmp_path / "figure.png")
    assert [warning.category for warning in caught] == [MissingGlyphsWarning]
    assert f"No font on this machine has {IN_NO_FONT}:" in str(caught[0].message)
    charts[kind]().save(tmp_path / "figure.svg")
    assert name in (tmp_path / "figure.svg").read_text(encoding="utf-8")


def test_texts_of_any_chart_fall_back_to_a_font_that_has_their_letters(monkeypatch: pytest.MonkeyPatch) -> None:
    latin = frozenset(range(0x2100))
    monkeypatch.setattr(lettering, "_characters", lambda path: latin | {ord("ℵ")} if "STIX" in path else latin)
    lettering._font_with.cache_clear()
    try:
        made = box_density({"": {"a": [0.1, 0.2, 0.4], "ℵ": [0.3, 0.2, 0.1]}}, axis="error").figure()
        fonts = {text.get_text(): text.get_fontfamily() for text in made.findobj(Text)}
        assert "STIX" in fonts["ℵ"][1]
        assert fonts["a"] == ["sans-serif"]
    finally:
        lettering._font_with.cache_clear()


def test_figures_leave_nothing_in_memory() -> None:
    chart = verdicts.demsar().plot("intervals")
    chart.to_svg()
    gc.collect()
    before = sum(isinstance(thing, Figure) for thing in gc.get_objects())
    for _ in range(6):
        chart.to_svg()
    gc.collect()
    assert sum(isinstance(thing, Figure) for thing in gc.get_objects()) <= before
