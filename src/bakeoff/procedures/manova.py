"""Multivariate analysis of variance: several learners compared on several measures at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, nan, prod, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

from bakeoff.errors import DegenerateError, UsageError
from bakeoff.inference.adjustments import adjust
from bakeoff.inference.evidence import Decided
from bakeoff.mathematics.checks import choice, number_table, squarable
from bakeoff.mathematics.groups import dependence, f_ratio, independent_columns, left_out
from bakeoff.mathematics.laws import f_sf
from bakeoff.procedures.card import Answers, Caution, Compares, Need, Published
from bakeoff.procedures.needs import not_repeated, three_or_more
from bakeoff.procedures.procedure import ManyResult, Result, procedure
from bakeoff.scores import Blocks, Layout, Level

# ----------------------------------------------------------------------------------------------------------------------
# The four multivariate statistics of a hypothesis matrix H against an error matrix E: one small eigenproblem.


Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Statistic:
    """A multivariate statistic with its F (exact or approximate) and p."""

    name: str
    value: float
    f: float
    df: tuple[float, float]
    p: float


def root_of(E: Array) -> tuple[Array, Array] | None:
    """The measures' units and L⁻¹ with E = LL' in those units; None unless each measure is clearly free of others."""
    unit = np.sqrt(E.diagonal())
    if not unit.all():
        return None
    try:
        root = np.linalg.cholesky(E / unit / unit[:, None])
    except np.linalg.LinAlgError:
        return None
    # The diagonal is what each measure keeps of its own when those before it are taken off.
    return (unit, np.linalg.inv(root)) if root.diagonal().min() > 1e-5 else None


def root_of_residuals(residuals: Array) -> tuple[Array, Array]:
    """The same by a QR decomposition of the residuals, which nearly dependent measures need: E squares condition."""
    unit = np.linalg.norm(residuals, axis=0)
    root: Array = np.linalg.qr(residuals / unit)[1]
    return unit, np.asarray(np.linalg.inv(root.T), dtype=float)


def eigenvalues(H: Array, unit: Array, inverse: Array) -> Array:
    """Those of E⁻¹H from the largest on, which are all that the statistics need."""
    values = np.linalg.eigvalsh(inverse @ (H / unit / unit[:, None]) @ inverse.T)
    return np.asarray(np.maximum(values[::-1], 0.0))


def eigen(H: Array, unit: Array, inverse: Array) -> tuple[Array, Array]:
    """Eigenvalues of E⁻¹H from the largest on, and its eigenvectors as columns, scaled so that w'Ew = 1.

    They are those of the symmetric L⁻¹HL⁻ᵀ, with E = LL' in the measures' own units, as `root_of` gives them.

    >>> values, vectors = eigen(np.diag([2.0, 8.0]), *root_of(np.diag([1.0, 4.0])))
    >>> values.tolist(), vectors.tolist()
    ([2.0, 2.0], [[0.0, 1.0], [0.5, 0.0]])
    """
    values, vectors = np.linalg.eigh(inverse @ (H / unit / unit[:, None]) @ inverse.T)
    w = inverse.T @ vectors[:, ::-1]
    # A direction has no sign of its own: its heaviest measure (in its own unit) counts as positive.
    w = w * np.sign(w[np.abs(w).argmax(axis=0), np.arange(len(values))])
    return np.maximum(values[::-1], 0.0), np.asarray(w / unit[:, None])


def statistics(roots: Array, p: int, df_h: float, df_e: float) -> tuple[Statistic, ...]:
    """Wilks, Pillai, Hotelling–Lawley and Roy from the eigenvalues of E⁻¹H, with the F of each as R gives it.

    Exact if min(p, df_h) is 1, Wilks's also if it is 2. Roy's F is an upper bound: its p is too small.
    """
    each: list[float] = roots.tolist()
    s, m, n = min(p, df_h), (abs(p - df_h) - 1) / 2, (df_e - p - 1) / 2
    wilks = prod(1 / (1 + root) for root in each)
    pillai, lawley, roy = sum(root / (1 + root) for root in each), sum(each), max(each, default=0.0)
    square = p * p + df_h * df_h - 5
    t = sqrt(((p * df_h) ** 2 - 4) / square) if square > 0 else 1.0
    df2 = (df_e - (p - df_h + 1) / 2) * t - (p * df_h - 2) / 2
    a, b, larger = 2 * m + s + 1, 2 * n + s + 1, max(p, df_h)
    made = (
        ("Wilks", wilks, (wilks ** (-1 / t) - 1) * df2 / (p * df_h) if wilks > 0 else inf, p * df_h, df2),
        ("Pillai", pillai, b / a * pillai / (s - pillai) if pillai < s else inf, s * a, s * b),
        ("Hotelling–Lawley", lawley, 2 * (s * n + 1) * lawley / (s * s * a), s * a, 2 * (s * n + 1)),
        ("Roy", roy, (df_e - larger + df_h) * roy / larger, larger, df_e - larger + df_h),
    )
    return tuple(
        Statistic(name, value, f, (float(one), float(two)), float(special.fdtrc(one, two, f)) if two > 0 else nan)
        for name, value, f, one, two in made
    )


# ----------------------------------------------------------------------------------------------------------------------


DESIGNS = ("blocks", "independent")
REDUCE = ("no", "yes")


@dataclass(frozen=True, slots=True, eq=False)
class Manova:
    """What an analysis found, with `root` the root of E that makes E⁻¹H symmetric.

    `kept` are the columns of the measures in it: all, unless some that follow from others were left out.
    """

    tests: tuple[Statistic, ...]
    H: Array
    E: Array
    df_h: float
    df_e: float
    eigenvalues: Array
    root: tuple[Array, Array]
    values: Array
    means: Array
    sizes: Array
    kept: tuple[int, ...]

    @property
    def eigenvectors(self) -> Array:
        """The directions that separate the groups, in columns, from the one that does it most."""
        return eigen(self.H, *self.root)[1][:, : len(self.eigenvalues)]

    @property
    def projection(self) -> Array:
        """What the eigenvectors make of each value."""
        return np.asarray(self.values @ self.eigenvectors)


def manova_groups(
    y: ArrayLike, group: Sequence[Any] | NDArray[Any], *, measures: Sequence[str] = (), reduce: str = "no"
) -> Manova:
    """The analysis of independent samples of any sizes: a row of measures and the label of its group for each value.

    >>> y = [[9, 3], [6, 2], [9, 7], [0, 4], [2, 0], [3, 8], [1, 9], [2, 7]]
    >>> found = manova_groups(y, [1, 1, 1, 2, 2, 3, 3, 3])
    >>> round(found.tests[0].value, 4), round(found.tests[0].f, 2), found.tests[0].df
    (0.0385, 8.2, (4.0, 8.0))
    """
    values = number_table(y, "y", rows=3)
    labels = np.asarray(group)
    if labels.shape != (len(values),):
        raise UsageError(f"Every row needs the label of its group; found {len(values)} rows and {labels.size} labels.")
    _, code = np.unique(labels, return_inverse=True)
    member = (np.arange(code.max() + 1)[:, None] == code).astype(float)
    n = member.sum(axis=1)
    if len(n) < 2:
        raise UsageError("At least two groups are needed; found one.")
    means = member @ values / n[:, None]
    return _analyse(values, values - means[code], means, n, float(len(values) - len(n)), measures, reduce)


def manova_blocks(table: ArrayLike, *, measures: Sequence[str] = (), reduce: str = "no") -> Manova:
    """The analysis of learners that share blocks (blocks × learners × measures): the blocks' means are taken off."""
    values = _cube(table)
    n, k, p = values.shape
    means = values.mean(axis=0)
    aligned = values - values.mean(axis=1, keepdims=True) + values.mean(axis=(0, 1))
    rows = aligned.reshape(-1, p)
    residuals = (aligned - means).reshape(-1, p)
    return _analyse(rows, residuals, means, np.full(k, float(n)), float((n - 1) * (k - 1)), measures, reduce)


def _cube(table: ArrayLike) -> Array:
    try:
        values = np.asarray(table, dtype=float)
    except (TypeError, ValueError):
        raise UsageError("'table' must be an array of numbers, blocks × learners × measures.") from None
    if values.ndim != 3 or values.shape[0] < 2 or values.shape[1] < 2 or values.shape[2] < 1:
        raise UsageError(
            f"'table' must have at least two blocks, two learners and one measure; found the shape {values.shape}."
        )
    if not np.isfinite(values).all():
        raise UsageError("Every value of 'table' must be a finite number; some are not.")
    return values


def _analyse(
    values: Array, residuals: Array, means: Array, n: Array, df_e: float, measures: Sequence[str], reduce: str
) -> Manova:
    choice(reduce, REDUCE, "reduce")
    p = values.shape[1]
    largest = np.abs(values).max(axis=0)
    if largest.max() > 1e150 or largest.min() < 1e-150:
        for column in values.T:
            squarable(column)
    noise = 100 * np.finfo(float).eps * largest
    kept = list(range(p))
    E = residuals.T @ residuals  # E = Σ Σ (x − m_i)(x − m_i)'
    root = root_of(E)
    if root is None or (root[0] <= len(values) ** 0.5 * noise).any():
        names = list(measures) or [f"measure {j + 1}" for j in range(p)]
        kept = independent_columns(residuals, noise)
        if len(kept) < p and (reduce == "no" or not kept):
            raise dependence(p, kept, names, "values around the learners' means") if df_e >= p else _too_few(df_e, p)
        values, residuals, means, noise = values[:, kept], residuals[:, kept], means[:, kept], noise[kept]
        E = residuals.T @ residuals
        root = root_of_residuals(residuals)
    df_h = float(len(n) - 1)
    centred = means - n @ means / n.sum()
    centred[:, means.max(axis=0) - means.min(axis=0) <= noise] = 0.0
    H = (centred * n[:, None]).T @ centred  # H = Σ n_i (m_i − m)(m_i − m)'
    roots = eigenvalues(H, *root)[: int(min(len(kept), df_h))]
    tests = statistics(roots, len(kept), df_h, df_e)
    return Manova(tests, H, E, df_h, df_e, roots, root, values, means, n, tuple(kept))


def _too_few(df_e: float, p: int) -> DegenerateError:
    return DegenerateError(
        f"{p} measures need at least as many degrees of freedom of the error; there are {df_e:g}.",
        alternatives=["more blocks", "fewer measures"],
    )


def _several_measures(facts: Layout) -> str | None:
    if len(facts.measures) >= 2:
        return None
    return f"it compares on several measures at once (--measure repeated), and there is one: {facts.measure.name}"


def _facts(_blocks: Blocks, layout: Layout) -> dict[str, Any]:
    return {"measures": layout.measures, "learners": layout.learners}


def _published() -> dict[str, float]:
    y = [[9, 3], [6, 2], [9, 7], [0, 4], [2, 0], [3, 8], [1, 9], [2, 7]]
    found = manova_groups(y, [1, 1, 1, 2, 2, 3, 3, 3])
    made = {
        f"{name}{i + 1}{j + 1}": float(m[i, j])
        for name, m in (("B", found.H), ("W", found.E))
        for i in (0, 1)
        for j in (0, 1)
    }
    return {**made, "Λ*": found.tests[0].value, "√Λ*": found.tests[0].value ** 0.5}


def _enough_blocks(facts: Layout) -> str | None:
    df = (facts.n_blocks - 1) * (facts.n_learners - 1)
    if df >= len(facts.measures):
        return None
    return f"it needs (blocks − 1) (learners − 1) of at least {len(facts.measures)}, the measures; there are {df}"


@procedure(
    Compares.MANY,
    Level.RESAMPLES,
    title="Multivariate analysis of variance",
    question="Do several learners differ in any of several measures, taken together, and in which?",
    null="the learners have the same mean of every measure",
    answers=Answers.MULTIVARIATE,
    needs=(
        three_or_more(),
        Need("at least two measures", _several_measures),
        Need("more blocks than measures allow for", _enough_blocks, supplied_by="reduce"),
        not_repeated(),
    ),
    assumes=(
        "The vectors of measures are independent from block to block and about multivariate normal.",
        "They have one covariance matrix for all learners, and within a block the learners are alike correlated.",
        "No measure follows from the others: E has an inverse.",
    ),
    conventions=(
        "H and E are the sums of squares and products between learners and around them; Wilks, Pillai, "
        "Hotelling–Lawley and Roy are functions of the eigenvalues of E⁻¹H, with the F approximations of R.",
        "By default what the blocks have in common is taken off first, and E has (k − 1)(n − 1) degrees of "
        "freedom. design=independent leaves it in E, with k(n − 1).",
        "Small Λ speaks against the null hypothesis; of V, U and θ large values do.",
        "Follow-ups: F of each measure, adjusted by Holm over the measures; T² of each pair with the pooled E, "
        "adjusted as asked for over the pairs (hotelling gives each pair a covariance of its own).",
        "The eigenvectors of E⁻¹H are the directions that separate the learners most, scaled to w'Ew = 1, the "
        "heaviest measure positive. The learners' means projected on them are in a table; details hold H, E, and "
        "the projection of all values, block by block.",
        "Measures that follow from others are refused, with a set that does not; reduce=yes carries on with it.",
    ),
    cautions=(
        "Alpaydın (19.14.2) treats folds that all learners share as independent samples; that is "
        "design=independent, which counts the differences between folds as error.",
        "He also prints 'reject if Λ' > Λ_α'; small values of Λ' reject.",
        Caution(
            "The folds of a cross-validation share training data, which the error matrix does not know of.",
            "Measured at a true null (four nearest-mean classifiers on features of their own, accuracy and share "
            "of positives, n = 200, α = .05): 0.9 % false positives of Wilks's Λ over one 10-fold cross-validation "
            "(2,000 repetitions), 94 % over 10 × 10 folds (200).",
        ),
        "Roy's F is an upper bound, so that its p is too small unless there are two learners.",
        "With fixed class sizes [tp, fp, fn, tn] has rank 2: use two of the four.",
    ),
    references=("wilks1932", "pillai1955", "johnson2007 section 6.4", "alpaydin2014 section 19.14.2"),
    published=Published(
        "Johnson and Wichern (2007), examples 6.8 and 6.9: three samples of two measures",
        "B11 = 78; B12 = -12; B22 = 48; W11 = 10; W12 = 1; W22 = 24; Λ* = 0.0385",
        _published,
    ),
    recommended_for="several learners on several measures over the same resamples",
    rank=45,
    options={
        "design": ("whether the learners share their blocks", DESIGNS),
        "reduce": ("carry on without the measures that follow from others", REDUCE),
    },
    sides=False,
    arguments_from=_facts,
)
def manova(
    table: ArrayLike,
    *,
    design: str = "blocks",
    reduce: str = "no",
    measures: Sequence[str] = (),
    learners: Sequence[str] = (),
) -> ManyResult:
    """Compare k learners over n blocks on p measures: is there any combination of measures in which they differ?

    Useful when one number hides the kind of error. The null hypothesis is that the learners have the same mean of every
    measure. `table` is blocks × learners × measures. `design` "blocks" takes off what the blocks have in common, which
    leaves (k−1)(n−1) degrees of freedom for the error; "independent" does not, as Alpaydın prints it. Follow-ups say
    which measures differ (F of each, adjusted by Holm) and which pairs (T² with the pooled error). `measures` and
    `learners` are names for messages and tables.

    >>> rng = np.random.default_rng(1)
    >>> many = manova(rng.normal(size=(8, 3, 2)) + [[0, 0], [1, 0], [2, 1]])
    >>> [test.statistic_name for test in many.tests][:2], many.tests[0].df
    (['Wilks Λ', 'Pillai V'], (4.0, 26.0))
    """
    choice(design, DESIGNS, "design")
    values = _cube(table)
    n, k, p = values.shape
    if design == "blocks":
        found = manova_blocks(values, measures=measures, reduce=reduce)
    else:
        found = manova_groups(values.reshape(-1, p), np.tile(np.arange(k), n), measures=measures, reduce=reduce)
    given = list(measures) or [f"measure {j + 1}" for j in range(p)]
    names, without = [given[j] for j in found.kept], left_out(given, found.kept)
    symbols = {"Wilks": "Λ", "Pillai": "V", "Hotelling–Lawley": "U", "Roy": "θ"}
    tests = [
        Result(
            statistic=test.value,
            statistic_name=f"{test.name} {symbols[test.name]}",
            df=test.df,
            p=test.p,
            note=f"F = {test.f:.4g}" + (f"; {without}" if without and not place else ""),
        )
        for place, test in enumerate(found.tests)
    ]
    vectors = found.eigenvectors
    t2, pairs_p, pairs_df = pairwise(found)
    share = found.eigenvalues / found.eigenvalues.sum() if found.eigenvalues.sum() > 0 else found.eigenvalues
    header = ["eigenvector of E⁻¹H", "eigenvalue", "share", *names]
    rows = [
        [f"{i + 1}", float(root), float(share[i]), *map(float, vectors[:, i])]
        for i, root in enumerate(found.eigenvalues)
    ]
    places = found.means @ vectors
    who = list(learners) or [f"learner {j + 1}" for j in range(k)]
    along = ["learner", *(f"along {i + 1}" for i in range(places.shape[1]))]
    return ManyResult(
        tests=(*tests, *_one_by_one(found, names)),
        decided=Decided(np.full((k, k), np.nan), pairs_p, pairs_p, t2, "T²", df=pairs_df),
        details={
            "H": found.H,
            "E": found.E,
            "eigenvalues": found.eigenvalues,
            "eigenvectors": vectors,
            "projection": (found.values @ vectors).reshape(n, k, -1),
            "measures": tuple(names),
            "tables": {
                "directions that separate the learners": (header, rows),
                "the learners' mean projections on them": (along, [[who[j], *map(float, places[j])] for j in range(k)]),
            },
        },
    )


def pairwise(found: Manova) -> tuple[Array, Array, tuple[float, float]]:
    """T² of each pair with the pooled error, d'(E/df)⁻¹d / (1/n_i + 1/n_j), its p, and the df of its F."""
    p, df = len(found.kept), found.df_e
    d = found.means[:, None, :] - found.means
    unit = np.sqrt(np.diag(found.E))
    inverse = np.linalg.inv(found.E / unit / unit[:, None])
    t2 = df * np.einsum("ijp,pq,ijq->ij", d / unit, inverse, d / unit) / (1 / found.sizes[:, None] + 1 / found.sizes)
    df2 = df - p + 1
    return t2, np.asarray(f_sf(t2 * df2 / (p * df), p, df2)), (float(p), df2)


def _one_by_one(found: Manova, names: Sequence[str]) -> list[Result]:
    """The analysis of variance of each measure, p adjusted by Holm."""
    each = [f_ratio(found.H[j, j], found.df_h, found.E[j, j], found.df_e) for j in range(len(names))]
    adjusted = adjust([p for _, p in each], "holm")
    return [
        Result(
            statistic=f,
            statistic_name="F",
            df=(found.df_h, found.df_e),
            p=p,
            p_adjusted=float(adjusted[j]),
            about=f"all learners alike in {names[j]}",
        )
        for j, (f, p) in enumerate(each)
    ]
