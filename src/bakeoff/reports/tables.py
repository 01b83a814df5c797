"""The tables of a verdict: its learners, its tasks, its pairs, the matrix of p, and the tests of all learners."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isnan, nan
from typing import Any

from bakeoff import text as show
from bakeoff.errors import UsageError, nearest
from bakeoff.judging.verdict import Decision, Verdict
from bakeoff.judging.wording import statistic
from bakeoff.reports.manuscript import BoldNote, PaperTable, TableCell
from bakeoff.scores import Level

# Beyond so many learners a matrix of all pairs is no table of a paper.
MOST_IN_MATRIX = 30
WORSE_MARK, BETTER_MARK = "†", "‡"


def tables_of(
    verdict: Verdict, names: Sequence[str] | None = None, reference: str | None = None
) -> tuple[PaperTable, ...]:
    """The tables asked for; all that these data have, if none is named. `reference` is the learner that marks are
    about: the control, if the verdict has one."""
    reference = reference if reference is not None else verdict.control or None
    if reference is not None and reference not in verdict.finding.learners:
        raise UsageError(f"There is no learner {reference!r}. {nearest(reference, verdict.finding.learners)}")
    makers: dict[str, Callable[[], PaperTable | None]] = {
        "learners": lambda: learners_table(verdict, reference),
        "tasks": lambda: tasks_table(verdict, reference),
        "pairs": lambda: pairs_table(verdict),
        "p": lambda: p_table(verdict),
        "tests": lambda: tests_table(verdict),
    }
    if names is None:
        return tuple(table for make in makers.values() if (table := make()) is not None)
    tables = []
    for name in names:
        if name not in makers:
            raise UsageError(f"There is no table {name!r}. {nearest(name, makers)}")
        table = makers[name]()
        if table is None:
            raise UsageError(f"This verdict has no table {name!r}: {_WHY_NOT[name]}")
        tables.append(table)
    return tuple(tables)


_WHY_NOT = {
    "learners": "no score of a learner by itself is known.",
    "tasks": "there is one task, or there are too many cells for a table.",
    "pairs": "no pairs of learners were compared.",
    "p": f"it is for all pairs of 3 to {MOST_IN_MATRIX} learners that have p-values or probabilities.",
    "tests": "the procedure makes no test of all learners at once.",
}


def best_of(verdict: Verdict) -> frozenset[str]:
    """The learners in bold: all that may be first, unless that is everybody. One that stands alone is there only if it
    was shown to be better than each of the others."""
    return frozenset() if len(verdict.first) == len(verdict.ranks) else frozenset(verdict.first)


def marks_against(verdict: Verdict, reference: str | None) -> dict[str, str]:
    """How each learner stands to the reference, where a difference was shown."""
    marks: dict[str, str] = {}
    for judged in verdict.decisions:
        if reference not in (judged.first, judged.second) or not judged.apart:
            continue
        other = judged.second if judged.first == reference else judged.first
        better = judged.first if judged.decision is Decision.BETTER else judged.second
        marks[other] = BETTER_MARK if better == other else WORSE_MARK
    return marks


def _notes_on_signs(verdict: Verdict, reference: str | None) -> list[str | BoldNote]:
    notes, best, alpha = list[str | BoldNote](), best_of(verdict), show.number(verdict.finding.alpha)
    if best:
        who = "learner that was" if len(best) == 1 else "learners that may be the best: no other was"
        others = "the other" if len(verdict.ranks) == 2 else "each of the others"
        rest = f" shown to be better than {others if len(best) == 1 else 'any of them'}"
        notes.append(BoldNote(f"the {who}{rest} (α = {alpha})."))
    elif verdict.ranks:
        notes.append("None is marked as the best: no learner was shown to be better than another.")
    if reference is not None and verdict.decisions:
        marks = set(marks_against(verdict, reference).values())
        meanings = [f"{mark} shown to be {how} than {reference}" for mark, how in _SIGNS if mark in marks]
        sentence = "; ".join(meanings) or f"no learner was shown to be better or worse than {reference}"
        notes.append(f"{sentence[:1].upper()}{sentence[1:]} (α = {alpha}).")
    return notes


_SIGNS = ((WORSE_MARK, "worse"), (BETTER_MARK, "better"))


def _over(verdict: Verdict) -> str:
    finding = verdict.finding
    if finding.level is Level.SINGLE and not finding.conditional_on:
        return "in a single run"
    things = "draws" if finding.conditional_on else finding.level.value
    n = show.counted_each(finding.n_each, things) if finding.n_each else show.counted(finding.n_blocks, things)
    averaged = f" ({finding.averaged})" if finding.averaged else ""
    return f"{'on' if things == 'instances' else 'over'} {n}{averaged}"


def learners_table(verdict: Verdict, reference: str | None = None) -> PaperTable | None:
    """Each learner by itself: where it stands, n, mean, standard deviation, median, interval, ranks it may have."""
    finding = verdict.finding
    summaries = {each.learner: each for each in verdict.summaries}
    names = verdict.ranking
    mean = f"mean {finding.measure.name}"
    columns: list[tuple[str, list[str], str, list[Any]]] = []
    position = [finding.position[name] for name in names]
    if finding.position_name != mean or not summaries:
        columns.append((finding.position_name, show.column(position), "position", position))
    interval = ""
    if all(name in summaries for name in names):
        rows = [summaries[name] for name in names]
        interval = next((each.interval for each in rows if each.interval), "")
        columns.append(("n", [str(each.n) for each in rows], "n", [each.n for each in rows]))
        for title, field in ((mean, "mean"), ("sd", "sd"), ("median", "median")):
            values = [getattr(each, field) for each in rows]
            columns.append((title, show.column(values, 3 if field == "sd" else 4), field, values))
        places = show.decimals([end for each in rows for end in (each.lower, each.upper)])
        shown = [show.interval(each.lower, each.upper, places) for each in rows]
        level = next((each.level for each in rows if each.level), "")
        columns.append((f"{level} interval".strip(), shown, "lower", [each.lower for each in rows]))
        columns.append(("", [""] * len(rows), "upper", [each.upper for each in rows]))
    effects = _effects_to_first(verdict)
    if any(not isnan(value) for value in effects):
        columns.append(("d to the first", show.column(effects, 3), "effect", effects))
    ranks = verdict.ranks
    if ranks and len(names) > 2:
        spans = [ranks[name] for name in names]
        shown = [str(low) if low == high else f"{low}–{high}" for low, high in spans]
        columns.append(("ranks it may have", shown, "best_rank", [low for low, _ in spans]))
        columns.append(("", [""] * len(names), "worst_rank", [high for _, high in spans]))
    used = [column for column in columns if any(column[1])]
    best, marks = best_of(verdict), marks_against(verdict, reference)
    lines = tuple(
        (TableCell(name, name in best, marks.get(name, "")), *(TableCell(column[1][i]) for column in used))
        for i, name in enumerate(names)
    )
    notes = _notes_on_signs(verdict, reference)
    if interval:
        notes.append(f"Interval: {interval}; each is of one learner by itself, and does not tell whether two differ.")
    if any(not isnan(value) for value in effects):
        notes.append(
            "d to the first: by how many standard deviations of their differences the first learner is better (paired; "
            "of independent samples pooled). Cohen's words: below 0.2 negligible, 0.5 small, 0.8 medium, above large."
        )
    if finding.level is Level.TASKS and summaries:
        notes.append("Means over tasks average what need not be comparable; the order is that of the first column.")
    return PaperTable(
        "learners",
        f"{show.counted(len(names), 'learners')} by {finding.measure.name} ({finding.measure.better} is better), "
        f"{_over(verdict)}.",
        ("learner", *(column[0] for column in used)),
        lines,
        ("learner", *(column[2] for column in columns)),
        tuple((name, *(column[3][i] for column in columns)) for i, name in enumerate(names)),
        notes=tuple(notes),
    )


def _effects_to_first(verdict: Verdict) -> list[float]:
    """By how many standard deviations the first of the ranking is better than each learner; NaN where not compared."""
    first = verdict.ranking[0]
    known = {effect.contrast: effect.standardised for effect in verdict.finding.effects}
    effects = {}
    for judged in verdict.decisions:
        if first in (judged.first, judged.second):
            other, sign = (judged.second, 1.0) if judged.first == first else (judged.first, -1.0)
            effects[other] = sign * known.get(judged.row.contrast, nan)
    return [effects.get(name, nan) for name in verdict.ranking]


def tasks_table(verdict: Verdict, reference: str | None = None) -> PaperTable | None:
    """Tasks and learners, and below them where learners stand. Within a task nothing is bold: no task was tested."""
    by_task, finding = verdict.by_task, verdict.finding
    if by_task is None:
        return None
    several = any(n > 1 for row in by_task.runs for n in row) and finding.level is not Level.INSTANCES
    places = show.decimals([value for row in by_task.means for value in row])
    spread = show.decimals([value for row in by_task.sds for value in row], 2) if several else 0

    def shown(mean: float, sd: float) -> str:
        text = show.fixed(mean, places)
        return f"{text} ± {show.fixed(sd, min(spread, places))}" if several and not isnan(sd) else text

    rows = [
        (TableCell(task), *(TableCell(shown(mean, sd)) for mean, sd in zip(means, sds, strict=True)))
        for task, means, sds in zip(by_task.tasks, by_task.means, by_task.sds, strict=True)
    ]
    best, marks = best_of(verdict), marks_against(verdict, reference)
    last = [finding.position.get(name, nan) for name in by_task.learners]
    text = show.column(last)
    foot = [TableCell(text[i], name in best, marks.get(name, "")) for i, name in enumerate(by_task.learners)]
    rows.append((TableCell(finding.position_name), *foot))
    notes = _notes_on_signs(verdict, reference)
    if several:
        runs = sorted({n for row in by_task.runs for n in row if n})
        counted = str(runs[0]) if len(runs) == 1 else f"{runs[0]} to {runs[-1]}"
        notes.insert(0, f"Mean ± standard deviation over {counted} runs of a learner on a task.")
    notes.append("Within a task no value is marked as the best: no test was made of a single one.")
    data = [
        (task, name, mean, sd, n)
        for task, *parts in zip(by_task.tasks, by_task.means, by_task.sds, by_task.runs, strict=True)
        for name, mean, sd, n in zip(by_task.learners, *parts, strict=True)
    ]
    return PaperTable(
        "tasks",
        f"Results by task: {finding.measure.name} ({finding.measure.better} is better) on {len(by_task.tasks)} tasks.",
        ("task", *by_task.learners),
        tuple(rows),
        ("task", "learner", "mean", "sd", "runs"),
        tuple(data),
        notes=tuple(notes),
        of_learners=True,
    )


def pairs_table(verdict: Verdict) -> PaperTable | None:
    """The decisions, as on the screen; as data all that `to_frame` has."""
    header, cells = verdict.table()
    if not cells:
        return None
    finding = verdict.finding
    level = f"α = {show.number(finding.alpha)}"
    by = f"{finding.title}, {finding.sides}" + (f", {finding.adjust_title}" if len(finding.pairs) > 1 else "")
    margin = "" if verdict.margin is None else f", margin {show.number(verdict.margin)}"
    records = verdict.records()
    return PaperTable(
        "pairs",
        f"Comparisons of pairs by {finding.measure.name}: {by}, {level}{margin}.",
        ("first", "decision", "second", *header[3:]),
        tuple(tuple(map(TableCell, row)) for row in cells),
        tuple(records),
        tuple(zip(*records.values(), strict=True)),
        left=3,
        notes=("Undecided: these data do not tell the two apart, which is not evidence that they are equal.",)
        if any(judged.decision is Decision.UNDECIDED for judged in verdict.decisions)
        else (),
    )


def p_table(verdict: Verdict) -> PaperTable | None:
    """The adjusted p of each pair; of a posterior the probability that the learner of the row is the better one."""
    finding, names = verdict.finding, verdict.ranking
    if not verdict.ranks or not 3 <= len(names) <= MOST_IN_MATRIX:
        return None
    values: dict[tuple[str, str], float] = {}
    for judged in verdict.decisions:
        row = judged.row
        forth, back = (row.better, row.worse) if finding.posterior else (row.p_adjusted, row.p_adjusted)
        values[judged.first, judged.second], values[judged.second, judged.first] = forth, back
    if all(isnan(value) for value in values.values()):
        return None
    apart = {pair for j in verdict.decisions if j.apart for pair in ((j.first, j.second), (j.second, j.first))}

    def cell(a: str, b: str) -> TableCell:
        if a == b:
            return TableCell("–")
        value = values.get((a, b), nan)
        return TableCell(
            show.p_value(value) if finding.posterior else show.p_value(value, finding.alpha), (a, b) in apart
        )

    what = "probability that the learner of the row is better" if finding.posterior else "adjusted p"
    return PaperTable(
        "p",
        f"Matrix of all pairs: {what} ({finding.title}).",
        ("", *names),
        tuple((TableCell(a), *(cell(a, b) for b in names)) for a in names),
        ("learner", *names),
        tuple((a, *(values.get((a, b), nan) for b in names)) for a in names),
        notes=(BoldNote(f"a difference is shown (α = {show.number(finding.alpha)})."),) if apart else (),
        of_learners=True,
    )


def tests_table(verdict: Verdict) -> PaperTable | None:
    """The tests of all learners at once."""
    tests = [row for row in verdict.finding.tests if row.p == row.p]
    if not tests:
        return None
    alpha = verdict.finding.alpha
    return PaperTable(
        "tests",
        f"Tests of all {len(verdict.finding.learners)} learners at once.",
        ("test", "p"),
        tuple((TableCell(statistic(row)), TableCell(show.p_value(row.p, alpha))) for row in tests),
        ("test", "statistic", "df", "p"),
        tuple((row.statistic_name, row.statistic, " ".join(map(str, row.df)), row.p) for row in tests),
    )
