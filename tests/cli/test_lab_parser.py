"""The grammar of the laboratory's commands."""

from __future__ import annotations

import pytest

from bakeoff.cli.parser import parser


def test_published_has_a_size_a_seed_and_workers() -> None:
    told = parser().parse_args(["published", "hothorn-table1", "--full", "--seed", "3", "-j", "2", "--json"])
    assert (told.name, told.full, told.seed, told.jobs, told.json) == ("hothorn-table1", True, 3, 2, True)
    told = parser().parse_args(["published"])
    assert (told.name, told.full, told.seed, told.jobs, told.output) == (None, False, 0, 1, None)


def test_help_says_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parser().parse_args(["published", "--help"])
    text = " ".join(capsys.readouterr().out.split())
    assert "List the published results, or compute one again beside what was printed." in text
    assert "with the document's own number of replications" in text


def test_calibrate_has_a_study_or_a_design() -> None:
    told = parser().parse_args(["calibrate", "s.toml", "--learner", "a", "--learner", "b", "--with", "x,y", "-j", "2"])
    assert (told.study, told.learner, told.procedure, told.jobs) == ("s.toml", ["a", "b"], ["x,y"], 2)
    told = parser().parse_args(["calibrate", "--design", "cv:10", "--n", "200", "--delta", "0.1"])
    assert (told.study, told.design, told.n, told.delta, told.alpha, told.seed) == (None, "cv:10", 200, 0.1, 0.05, 0)
    assert (told.replications, told.learner, told.null, told.quiet) == (None, None, None, False)
