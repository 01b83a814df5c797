"""Wrong arguments are answered by one sentence with what to do, and never by a page of usage."""

from __future__ import annotations

import pytest

from bakeoff.cli import main
from bakeoff.cli.grammar import Grammar, in_a_sentence

Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("run study.toml -j two", "-j/--jobs takes a whole number, but 'two' was found. See `bakeoff run --help`."),
        ("power sign --n 10.5", "takes a whole number, but '10.5' was found. See `bakeoff power --help`."),
        ("adjust x", "P takes a number, but 'x' was found. See `bakeoff adjust --help`."),
        ("adjust", "Needed, but not found: P. See `bakeoff adjust --help`."),
        ("compare s.csv --alpha", "--alpha must be followed by a value, but none was found."),
        ("compare s.csv --missing wrst", "--missing cannot be 'wrst'. Did you mean 'worst'? Known are: drop-block,"),
        ("judgee s.toml", "There is no command 'judgee'. Did you mean 'judge'?"),
        ("advise s.csv --mesure auc", "unrecognised arguments: --mesure auc. Did you mean '--measure'? See"),
        ("advise s.csv --mesure=auc", "Did you mean '--measure'?"),
        ("procedures friedman", "unrecognised arguments: friedman. See `bakeoff procedures --help`."),
    ],
)
def test_a_mistake_is_a_sentence(line: str, sentence: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit) as left:
        main(line.split())
    assert left.value.code == 2
    said = capsys.readouterr()
    assert sentence in said.err
    assert said.err.startswith("bakeoff: ")
    assert "usage:" not in said.err
    assert said.err.count("\n") == 1
    assert said.out == ""


def test_options_of_a_procedure_are_explained_by_its_card(wide: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit) as left:
        main(["analyse", wide, "--measure", "auc", "--with", "binomial", "--p0", "half"])
    assert left.value.code == 2
    said = capsys.readouterr().err
    assert said == "bakeoff: --p0 takes a number, but 'half' was found. See `bakeoff explain binomial`.\n"


def test_what_is_right_passes() -> None:
    made = Grammar(prog="p")
    made.add_argument("--n", type=int)
    made.add_argument("--x", type=float)
    found = made.parse_args(["--n", "3", "--x", "1e-3"])
    assert (found.n, found.x) == (3, 0.001)


def test_other_messages_keep_their_words() -> None:
    assert in_a_sentence("something else") == "something else."
    assert in_a_sentence("argument --x: is odd") == "--x: is odd."
    assert in_a_sentence("Who: are you?") == "Who: are you?"
