"""Cross-validation of bootstrap samples: against a plain loop over positions."""

from __future__ import annotations

import numpy as np
import pytest

from bakeoff.errors import UsageError
from bakeoff.resampling.bootstrap_cv import BootstrapCrossValidation
from bakeoff.resampling.bootstrap_samples import Bootstrap
from bakeoff.resampling.split import Sample


def test_folds_divide_the_positions_of_the_bootstrap_sample() -> None:
    n, scheme = 23, BootstrapCrossValidation(folds=5, repeats=20)
    samples = {s.repeat: s.train for s in Bootstrap(repeats=20).splits(Sample(n), 3).splits}
    for s in scheme.splits(Sample(n), 3).splits:
        whole, learned, tested = (np.bincount(rows, minlength=n) for rows in (samples[s.repeat], s.train, s.test))
        in_fold = whole - learned
        assert (in_fold >= 0).all()
        assert in_fold.sum() in (4, 5)
        # Tested on is what stands in the fold and nowhere else, as often as it stands there.
        assert tested.tolist() == np.where(learned == 0, in_fold, 0).tolist()


def test_copies_in_the_fold_count_as_often_as_they_were_drawn() -> None:
    made = BootstrapCrossValidation(folds=2, repeats=30).splits(Sample(10), 1).splits
    assert any(len(np.unique(s.test)) < len(s.test) for s in made)


def test_empty_folds_are_skipped_counted_and_keep_their_number() -> None:
    made = BootstrapCrossValidation(folds=4, repeats=50).splits(Sample(4), 1)
    skipped = 200 - len(made.splits)
    assert skipped > 0
    assert any(note.startswith(f"Of 200 folds {skipped} had nothing left") for note in made.notes)
    numbers = {repeat: [s.fold for s in made.splits if s.repeat == repeat] for repeat in range(1, 51)}
    assert any(folds and folds != list(range(1, len(folds) + 1)) for folds in numbers.values())


def test_nothing_empty_at_the_size_of_the_paper() -> None:
    made = BootstrapCrossValidation(folds=5, repeats=50).splits(Sample(150), 1)
    assert len(made.splits) == 250
    assert made.notes == ()


def test_folds_of_groups_are_about_as_large() -> None:
    groups = np.repeat(np.arange(30), 3)
    for s in BootstrapCrossValidation(folds=5, repeats=10).splits(Sample(90, groups=groups), 1).splits:
        assert len(s.train) == 72
        assert not np.isin(groups[s.test], groups[s.train]).any()


def test_classes_are_dealt_evenly_if_asked() -> None:
    strata = np.array([0] * 40 + [1] * 10)

    def spread(stratify: bool) -> int:
        scheme = BootstrapCrossValidation(folds=5, repeats=30, stratify=stratify)
        made = scheme.splits(Sample(50, strata), 1).splits
        learned = {(s.repeat, s.fold): int((strata[s.train] == 1).sum()) for s in made}
        return max(
            max(counts) - min(counts)
            for counts in ([n for (r, _), n in learned.items() if r == repeat] for repeat in range(1, 31))
        )

    assert spread(stratify=True) <= 1 < spread(stratify=False)


def test_too_many_folds() -> None:
    with pytest.raises(UsageError, match="5 folds of a bootstrap sample need at least 5 rows; found 4 rows"):
        BootstrapCrossValidation().splits(Sample(4), 1)
