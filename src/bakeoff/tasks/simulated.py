"""Tasks whose samples are drawn: from a generator, or from the law of a data set as a bootstrap estimates it.

A study with the scheme "simulation" wants many learning samples and test samples; under any other scheme a task of this
kind is one learning sample, with a test sample that came with it if m is given. How many, and from which seed, is the
study's to say: `bound` tells it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import InputError, UsageError, nearest
from bakeoff.generators import BOOTSTRAPS, bootstrap_of, generator_from
from bakeoff.generators import SampleSource as Law
from bakeoff.generators.generator import DRAWING_VERSION, Generator, UserFunction, check_int, dice, fingerprint
from bakeoff.keys import canonical_json, digest, seed_of
from bakeoff.resampling.split import Draws
from bakeoff.scores.table import frozen
from bakeoff.tasks.dataset import Dataset, Kind, Roles
from bakeoff.tasks.sources import Source
from bakeoff.text import count

# ----------------------------------------------------------------------------------------------------------------------
# The origin of samples that were drawn: what makes two of them samples of one task, however many others there are.
#
# Results on drawn samples are found again by the origin of the task and the content of the sample, so that a study that
# asks for more samples keeps those that are finished. All that a learner is told of a task (its classes, inputs, which
# of them have missing values) is part of the origin: where more samples bring another class, it is another task.


def contents(data: Dataset, draws: Draws) -> tuple[bytes, ...]:
    """The hash of each learning sample with the test sample that goes with it."""
    test = None if draws.fresh else rows_hash(data, draws.test(0))
    return tuple(
        digest("sample", rows_hash(data, draws.learning(b)), test or rows_hash(data, draws.test(b)))
        for b in range(draws.count)
    )


def origin(data: Dataset, law: Mapping[str, Any], first: bytes) -> str:
    """The hash of what all samples share: the law, what is known of the data as a whole, and the first sample.

    The first sample tells two functions of one name apart, whose code has been changed.
    """
    known = {
        "kind": data.kind.value,
        "features": list(data.features),
        "categorical": list(data.categorical),
        "missing": np.flatnonzero(_missing(data.X)).tolist(),
        "frame": not isinstance(data.X, np.ndarray),
        "classes": [f"{type(label).__name__} {label}" for label in data.classes],
        "target": data.target,
    }
    return digest("origin", canonical_json({"law": law, "known": known}), first).hex()


def rows_hash(data: Dataset, rows: NDArray[np.integer[Any]]) -> bytes:
    """The hash of some rows, inputs and target."""
    from bakeoff.tasks.memory import array_hash, frame_hash

    X, y = data.rows(rows)
    inputs = array_hash(X) if isinstance(X, np.ndarray) else frame_hash(X)
    return digest("rows", inputs, b"" if y is None else array_hash(y))


def _missing(X: Any) -> NDArray[np.bool_]:
    """Of each input, whether it has missing values anywhere."""
    absent = np.isnan(X) if isinstance(X, np.ndarray) else X.isna().to_numpy()
    return np.asarray(absent.any(axis=0))


# ----------------------------------------------------------------------------------------------------------------------


FIXED, FRESH = "fixed", "fresh"
DEFAULT_M = 1000
# All rows are held in memory by every worker, eight bytes a value.
MOST_VALUES = 2**27
_MANY_ROWS, _FEW_ROWS = 10**6, 10
_LEARNING, _TEST = 1, 2


@dataclass(frozen=True, eq=False)
class SimulatedSource:
    """n rows a learning sample and m a test sample, drawn from `generator`, or by `bootstrap` from the data of `base`.

    `test` is "fixed", one test sample for all learning samples, or "fresh", another one for each. `samples` is the
    number of learning samples, None for a single one that is to be resampled. `owners` are the keys of the learners, in
    their order, where each has samples of its own: these go round among them, and follow from the key of their owner,
    so that nobody's samples change when another learner is added.
    """

    generator: Generator | UserFunction | None = None
    n: int | None = None
    m: int | None = None
    test: str = FIXED
    base: Source | None = None
    bootstrap: str = ""
    samples: int | None = None
    seed: int = 1
    owners: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if (self.generator is None) == (self.base is None):
            raise UsageError("Samples are drawn from a generator or by a bootstrap of data. Give one of them.")
        if self.base is not None and self.bootstrap not in BOOTSTRAPS:
            raise UsageError(f"There is no bootstrap {self.bootstrap!r}. {nearest(str(self.bootstrap), BOOTSTRAPS)}")
        if self.n is None and self.generator is not None:
            raise UsageError("A generator needs n, the size of a learning sample: n = 100.")
        for name, least in (("n", 2), ("m", 1)):
            if getattr(self, name) is not None:
                check_int(getattr(self, name), name, least)
        if self.test not in (FIXED, FRESH):
            raise UsageError(f"test cannot be {self.test!r}. {nearest(str(self.test), (FIXED, FRESH))}")

    @property
    def runs_code(self) -> bool:
        return isinstance(self.generator, UserFunction) or (self.base is not None and self.base.runs_code)

    def describe(self) -> dict[str, Any]:
        """What was said of it. How many samples there are, and from which seed, is said by the study."""
        if self.generator is not None:
            law = self.generator.describe()
        else:
            assert self.base is not None
            law = {"bootstrap": self.bootstrap, **self.base.describe()}
        given = {"n": self.n, "m": self.m, "test": self.test}
        return {"simulated": {**law, **{name: value for name, value in given.items() if value is not None}}}

    def bound(self, samples: int | None, seed: int, owners: tuple[str, ...] = ()) -> SimulatedSource:
        """The same law, from which a study draws so many learning samples with its seed."""
        return replace(self, samples=samples, seed=seed, owners=owners)

    def key(self, roles: Roles) -> str | None:
        """The hash of all that the samples follow from; None where only drawing them tells."""
        base = b"" if self.base is None else (self.base.key(roles) or "")
        if self.runs_code or (self.base is not None and not base):
            return None
        parts = {**self._law(), "samples": self.samples, "version": DRAWING_VERSION, **_outcome(roles)}
        parts |= {"owners": list(self.owners)} if self.owners else {}
        return digest("drawn", canonical_json(parts), str(self.seed), base, *fingerprint()).hex()

    def _law(self) -> dict[str, Any]:
        law: dict[str, Any] = self.describe()["simulated"]
        return law

    def read(self, name: str, roles: Roles) -> Dataset:
        from bakeoff.tasks.memory import dataset_in_memory

        data = None if self.base is None else self._learning_sample(name, roles)
        law, kind = self._law_of(data)
        n = self.n if self.n is not None or data is None else data.n
        assert n is not None
        m = self.m if self.m is not None else DEFAULT_M if self.samples is not None else 0
        draws = Draws(self.samples or 1, n, m, fresh=self.test == FRESH and self.samples is not None)
        X, y = self._drawn(law, draws, name)
        roles_read = _roles_of(roles, data, kind)
        dataset = dataset_in_memory(name, (X, y), roles_read)
        if dataset.n != draws.rows:
            raise InputError(
                f"{draws.rows} rows were drawn, and {draws.rows - dataset.n} have no value of the target. Every one "
                "needs a value.",
                source=f"task {name!r}",
            )
        alone = self.samples is None
        whole_set = replace(
            dataset,
            key=self.key(roles) or dataset.key,
            features=dataset.features if data is None else data.features,
            test=frozen(draws.test(0)) if alone and m else None,
            notes=(*self._notes(draws, dataset), *dataset.notes),
        )
        return whole_set if alone else self._with_origin(whole_set, draws, roles)

    def _with_origin(self, data: Dataset, draws: Draws, roles: Roles) -> Dataset:
        hash_of_contents = contents(data, draws)
        law = {**self._law(), "seed": self.seed, "m": draws.m, **_outcome(roles)}
        law |= {"owners": list(self.owners)} if self.owners else {}
        return replace(
            data, draws=replace(draws, contents=hash_of_contents), origin=origin(data, law, hash_of_contents[0])
        )

    def _learning_sample(self, name: str, roles: Roles) -> Dataset:
        assert self.base is not None
        data = self.base.read(name, roles)
        together = data.groups is not None or data.clusters is not None or data.test is not None
        if data.kind is Kind.DENSITY or together or data.targets:
            what = "groups, clusters or a test sample of their own" if together else "no target"
            what = "several targets" if data.targets else what
            raise UsageError(
                f"Task {name!r}: bootstrap draws rows of data with one target one by one, and these data have {what}. "
                "Use the data themselves with the scheme 'out-of-bootstrap' or 'competition'."
            )
        return data

    def _law_of(self, data: Dataset | None) -> tuple[Law, str | None]:
        if self.generator is not None:
            return self.generator, getattr(self.generator, "kind", None)
        assert data is not None
        return bootstrap_of(self.bootstrap, data.X, data.y, data.kind.value), data.kind.value

    def _drawn(self, law: Law, draws: Draws, name: str) -> tuple[Any, Any]:
        """All rows, sample by sample, in the order of `Draws`. Each has chances of its own: others may be added."""
        # Without m and test: they are about the test samples, and the learning samples are to stay what they are.
        parameters = {name: value for name, value in self._law().items() if name not in ("m", "test")}
        seed = seed_of("draws", str(self.seed), canonical_json(parameters))
        sizes = []
        for b in range(draws.count):
            sizes.append((_LEARNING, b, draws.n))
            if draws.m and (draws.fresh or b == 0):
                sizes.append((_TEST, b, draws.m))
        if draws.rows > _MANY_ROWS:
            # A first look at few rows, because a single sample may be more than memory holds.
            _check_memory(law.draw(_FEW_ROWS, dice(seed))[0], draws, name)
        parts = [law.draw(size, dice(seed, what, *self._chances(what, number, draws))) for what, number, size in sizes]
        return _joined([X for X, _ in parts], name), _joined([y for _, y in parts], name)

    def _chances(self, what: int, number: int, draws: Draws) -> tuple[int, ...]:
        """What tells the chances of a sample from those of the others: its number, or its owner and number there."""
        if not self.owners or (what == _TEST and not draws.fresh):
            return (number,)
        repeat, owner = divmod(number, len(self.owners))
        key, twins = self.owners[owner], self.owners[:owner].count(self.owners[owner])
        return repeat, seed_of("owner", key, *([str(twins)] if twins else []))

    def _notes(self, draws: Draws, dataset: Dataset) -> tuple[str, ...]:
        size = f"{draws.rows * max(1, len(dataset.features)) * 8 / 2**20:.3g} MB in memory"
        learning = f"{count(draws.count)} learning samples" if draws.count > 1 else "a learning sample"
        tested = f"{'as many test samples' if draws.fresh else 'a test sample'} of {count(draws.m)}" if draws.m else ""
        both = f"{learning} of {count(draws.n)}" + (f" and {tested}" if tested else "")
        note = f"{both} drawn: {count(draws.rows)} rows, {size}"
        if self.bootstrap in ("nonparametric", "bayesian") and draws.m:
            return note, "test samples hold rows that were learned from, which favours learning by heart"
        return (note,)


def _check_memory(X: Any, draws: Draws, name: str) -> None:
    columns = np.shape(X)[1] if np.ndim(X) == 2 else 1
    if draws.rows * columns > MOST_VALUES or draws.rows >= 2**31:
        raise UsageError(
            f"Task {name!r} would draw {count(draws.rows)} rows of {columns} inputs, "
            f"{draws.rows * columns * 8 / 2**30:.1f} GB that every worker holds in memory; at most "
            f"{MOST_VALUES * 8 / 2**30:.0f} GB are allowed. Use fewer repeats, smaller n or m, or test = 'fixed'."
        )


def _outcome(roles: Roles) -> dict[str, Any]:
    return {"roles": roles.describe()}


def _roles_of(roles: Roles, data: Dataset | None, kind: str | None) -> Roles:
    """What is known of the target: from the generator, from the data, or said by the user."""
    if data is None:
        return roles if kind is None or roles.kind is not None else replace(roles, kind=Kind(kind))
    positive = str(data.classes[-1]) if len(data.classes) == 2 else None
    return Roles(kind=data.kind, positive=positive)


def _joined(parts: list[Any], name: str) -> Any:
    if all(hasattr(part, "iloc") for part in parts):
        import pandas as pd

        return pd.concat(parts, ignore_index=True)
    try:
        return np.concatenate([np.asarray(part) for part in parts])
    except ValueError as error:
        raise InputError(
            f"Samples do not fit together: {error}. Each needs the same inputs, as an array or a DataFrame.",
            source=f"task {name!r}",
        ) from None


def simulated_source(
    generator: Any, *, parameters: Any = None, n: int | None = None, m: int | None = None, test: str = FIXED
) -> SimulatedSource:
    """A source from a generator by name, path or function."""
    return SimulatedSource(generator_from(generator, parameters), n, m, test)
