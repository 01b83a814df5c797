"""The words of a paper: results and methods of a verdict as paragraphs, with references and their BibTeX."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import copysign, isnan

from bakeoff import __version__
from bakeoff import text as show
from bakeoff.errors import UsageError, nearest
from bakeoff.inference.adjustments import ADJUSTMENTS
from bakeoff.inference.finding import Finding
from bakeoff.judging import wording
from bakeoff.judging.verdict import Judged, Verdict
from bakeoff.procedures import procedure_named
from bakeoff.procedures.references import Reference, author_year, bibtex, cite
from bakeoff.reports.manuscript import Manuscript, PaperTable, Section, TableCell
from bakeoff.reports.tables import tables_of
from bakeoff.reports.variability import NO, PARTLY, UNKNOWN, YES, variability

STYLES = ("plain", "paper")
SOFTWARE = "bakeoff"
# Pairs that a paragraph gives with all their numbers; more are in the table.
MOST_WITH_NUMBERS = 6
# Codes of warnings that tell what was done to the scores, which belongs to the methods.
TREATED = ("missing-cells",)


def words(verdict: Verdict, style: str = "plain") -> str:
    """The results as a paragraph: for everyone, or as a paper has it."""
    if style not in STYLES:
        raise UsageError(f"There is no style {style!r}. {nearest(style, STYLES)}")
    if style == "plain" or not verdict.finding.pairs:
        return verdict.paragraph
    standing = "" if verdict.standing is None else f"{verdict.standing} "
    parts = (_compared(verdict), _global(verdict), _described(verdict), _pairs(verdict), _scope(verdict))
    return standing + wording.condition(verdict) + " ".join(part for part in parts if part)


def _compared(verdict: Verdict) -> str:
    finding = verdict.finding
    who = f"{len(finding.learners)} learners"
    if len(finding.learners) <= wording.MOST_PLACED:
        who += f" ({show.listing(list(finding.learners), wording.MOST_PLACED)})"
    place = wording.place(verdict)
    return (
        f"We compared {who} by {finding.measure.name} ({finding.measure.better} is better) "
        f"{place[:1].lower()}{place[1:]}."
    )


def _global(verdict: Verdict) -> str:
    test = wording.test_of_all(verdict)
    if test is None:
        return ""
    rejects = "rejects" if test.p <= verdict.finding.alpha else "does not reject"
    return (
        f"A test of all learners at once {rejects} the hypothesis that there is no difference "
        f"({wording.statistic(test)}, {show.p_equals(test.p, verdict.finding.alpha)})."
    )


def _described(verdict: Verdict) -> str:
    """The learners in their order, each with its numbers."""
    finding, names = verdict.finding, verdict.ranking[: wording.MOST_PLACED]
    position = dict(
        zip(verdict.ranking, show.column([finding.position[name] for name in verdict.ranking]), strict=True)
    )
    of_name = {each.learner: each for each in verdict.summaries}
    known = [of_name[name] for name in names if name in of_name]
    further: dict[str, list[str]] = {name: [] for name in names}
    if len(known) == len(names):
        mean = f"mean {finding.measure.name}"
        by_mean = finding.position_name == mean
        about = [each.mean if by_mean else each.median for each in known]
        places = show.decimals([*about, *(end for each in known for end in (each.lower, each.upper))])
        for each, value in zip(known, about, strict=True):
            centre, span = show.fixed(value, places), show.interval(each.lower, each.upper, places)
            within = f", {each.level} CI {span}" if span else ""  # beside what it is of
            if by_mean:
                position[each.learner] = centre + within
                further[each.learner] += [f"SD {show.fixed(each.sd, places)}"] if not isnan(each.sd) else []
            else:
                further[each.learner] += [f"median {centre}{within}"] if centre else []
    standings = [f"{name} ({'; '.join([position[name], *further[name]])})" for name in names]
    more = len(verdict.ranking) - len(names)
    rest = f", and {more} more" if more else ""
    return f"In the order of their {finding.position_name}: {', '.join(standings)}{rest}."


def _pairs(verdict: Verdict) -> str:
    finding = verdict.finding
    how = wording.how_tested(verdict)
    apart = [judged for judged in verdict.decisions if judged.apart]
    if finding.posterior or len(apart) > MOST_WITH_NUMBERS:
        return f"{how}: {wording.claims_in_words(verdict)}"
    claims = [f"{_claim(judged, verdict)} ({_numbers(judged, verdict)})" for judged in apart]
    for kind, phrase in _KINDS.items():
        some = [judged for judged in verdict.decisions if judged.decision.value == kind]
        claims += [f"{j.first} {phrase.format(j.second)} ({_numbers(j, verdict)})" for j in some[:MOST_WITH_NUMBERS]]
        if len(some) > MOST_WITH_NUMBERS:
            claims.append(f"{len(some) - MOST_WITH_NUMBERS} more pairs of that kind are in the table")
    if claims:
        return f"{how}: {'; '.join(claims)}.{_open(verdict)}"
    if len(verdict.decisions) == 1:
        only = verdict.decisions[0]
        between = f"between {only.first} and {only.second} ({_numbers(only, verdict)})"
    else:
        between = f"in any of the {len(verdict.decisions)} pairs{_least_p(verdict)}"
    return f"{how}: no difference was shown {between}{_NOT_EQUAL}"


_KINDS = {
    "equivalent": "and {} are equivalent within the margin",
    "non-inferior": "is not inferior to {} by the margin",
}


def _claim(judged: Judged, verdict: Verdict) -> str:
    winner, loser = judged.better_first
    return f"{winner} {wording.verbs(verdict)[0]} {loser}"


def _numbers(judged: Judged, verdict: Verdict) -> str:
    """The difference in favour of the winner, its interval, the statistic with its degrees of freedom, and p: that of
    the claim, which is another one where the claim is about the margin."""
    row, places = judged.row, verdict.places
    (low, high), advantage = judged.ends, judged.advantage
    if judged.decision.value == "worse":
        low, high, advantage = -high, -low, -advantage
    scale = "difference" if verdict.finding.on_measure else verdict.finding.scale
    parts = [f"{scale} {show.fixed(advantage, places)}"]
    if not isnan(low):
        kind = "" if row.interval.value == "pointwise" else f"{row.interval.value} "
        parts.append(f"{show.percent(row.confidence)} {kind}CI {show.interval(low + 0.0, high + 0.0, places)}")
    if judged.decision.value in _KINDS:
        margin = [each for each in verdict.finding.relevance if each.contrast == row.contrast]
        tested = [getattr(each, f"{judged.decision.name.lower()}_adjusted") for each in margin]
        return ", ".join([*parts, *(f"one-sided {show.p_equals(p)}" for p in tested if not isnan(p))])
    if not isnan(row.statistic) and row.statistic_name:
        signed = row.statistic_name in ("t", "z")  # as the difference is, in favour of the first
        value = copysign(row.statistic, advantage) if signed else row.statistic
        parts.append(wording.statistic(replace(row, statistic=value)))
    if not isnan(row.p_adjusted):
        adjusted = "adjusted " if len(verdict.finding.pairs) > 1 and verdict.finding.adjust != "none" else ""
        parts.append(adjusted + show.p_equals(row.p_adjusted, verdict.finding.alpha))
    return ", ".join(parts)


def _open(verdict: Verdict) -> str:
    """What was not shown, and that this is not equality."""
    left = [judged for judged in verdict.decisions if judged.decision.value == "undecided"]
    if not left:
        return ""
    which = f"other {len(left)} of {len(verdict.decisions)} pairs"
    if len(left) == 1:
        which = f"remaining pair, {left[0].first} and {left[0].second},"
    return f" For the {which} no difference was shown{_least_p(verdict)}{_NOT_EQUAL}"


def _least_p(verdict: Verdict) -> str:
    """The smallest p of the pairs that are undecided."""
    left = [judged.row.p_adjusted for judged in verdict.decisions if judged.decision.value == "undecided"]
    known = [p for p in left if not isnan(p)]
    sign = "≥" if len(left) > 1 else "="
    return f" ({show.p_equals(min(known), verdict.finding.alpha, sign)})" if known else ""


_NOT_EQUAL = ", which is not evidence that they are equal."


def _scope(verdict: Verdict) -> str:
    about = wording.scope(verdict.finding.speaks_about, verdict.finding.conditional_on)
    return f"What is estimated is the {wording.estimand_of(verdict)}; the conclusion speaks about {about}."


# ----------------------------------------------------------------------------------------------------------------------
# Methods, and where they come from


def methods(verdict: Verdict) -> Section:
    """What was done, so that another could do it again, with the sources of it."""
    finding, keys = verdict.finding, _keys(verdict.finding)
    named = "; ".join(author_year(key) for key in keys)
    k, m = len(finding.learners), len(finding.pairs)
    blocks = wording.place(verdict)
    compared = "The scores were judged" if k == 1 else f"{k} learners were compared"
    parts = [f"{compared} {blocks[:1].lower()}{blocks[1:]}."]
    parts += [warning.text for warning in verdict.warnings if warning.code in TREATED]
    parts.append(_variability(finding))
    parts.append(f"Procedure: {_with_sources(finding, named)}{_hypothesis(finding)}.")
    if finding.posterior:
        parts.append(f"A claim needs a posterior probability of at least {show.number(1 - finding.alpha)}.")
    elif m > 1:
        adjusted = (
            "p-values of {} comparisons are not adjusted for their number"
            if finding.adjust == "none"
            else f"p-values of {{}} comparisons are adjusted for their number ({finding.adjust_title})"
        )
        parts.append(f"{adjusted.format(m)}, at α = {show.number(finding.alpha)}.")
    elif m or not isnan(finding.against):
        parts.append(f"The level is α = {show.number(finding.alpha)}.")
    if verdict.margin is not None:
        parts.append(f"The margin of relevance, fixed in advance, is {show.number(verdict.margin)}.")
    if options := finding.options_text_without(_unsaid(finding), _meanings(finding)):
        parts.append(f"Settings: {options}.")
    if verdict.standing is not None:
        parts.append(str(verdict.standing))
    parts.append(_software(verdict))
    return Section("Methods", " ".join(part for part in parts if part), (*keys, SOFTWARE))


def _hypothesis(finding: Finding) -> str:
    """Of a test its sides and its null hypothesis, and where none is made that there is none."""
    if finding.posterior:
        answer = procedure_named(finding.procedure).card.instead_of_null or finding.null
        return f"; no null hypothesis is tested: {answer}"
    if not finding.pairs and isnan(finding.against):
        return ", which gives an interval; no hypothesis is tested"
    return f", {finding.sides}; null hypothesis: {finding.null}"


def _unsaid(finding: Finding) -> set[str]:
    """Options that tell a reader nothing: the direction, which is said beside the measure, switches that were left as
    they are, choices left to the program, and draws where none were made."""
    unused = {"resamples", "seed"} if finding.details.get("exact") else set[str]()
    unused |= {name for name, value in finding.options.items() if value == "auto"}
    switches = [
        option for option in procedure_named(finding.procedure).card.options if isinstance(option.default, bool)
    ]
    left = {option.name for option in switches if finding.options.get(option.name) is option.default}
    return {"larger_is_better", *left, *unused}


def _meanings(finding: Finding) -> dict[str, str]:
    """What each of the procedure's own options is, in a few words: `zeros = split` tells nobody anything."""
    return {option.name: option.meaning for option in procedure_named(finding.procedure).card.options}


def _variability(finding: Finding) -> str:
    """What varies from block to block, and is therefore covered by the conclusion; and what is not."""
    sources = variability(finding)
    by_kind = {kind: [each.name for each in sources if each.covered == kind] for kind in (YES, PARTLY, NO, UNKNOWN)}
    phrases = {YES: "covers {}", PARTLY: "covers {} in part", NO: "does not cover {}"}
    phrases[UNKNOWN] = "is not known to cover {}"
    coverage = [phrases[kind].format(show.listing(names)) for kind, names in by_kind.items() if names]
    return f"Of what varies from one experiment to another, the conclusion {'; it '.join(coverage)}."


def _with_sources(finding: Finding, named: str) -> str:
    """A method with its sources in brackets; those who have given it their name are not named twice."""
    card = procedure_named(finding.procedure).card
    if not named or not card.title_bracket:
        return f"{finding.title} ({named})" if named else finding.title
    alone = named.startswith(card.title_bracket)
    return f"{card.plain_title} ({named if alone else f'{card.title_bracket}; {named}'})"


def _software(verdict: Verdict) -> str:
    names = {"bakeoff": "bakeoff", "python": "Python", "numpy": "NumPy", "scipy": "SciPy"}
    packages = [f"{names.get(name, name)} {version}" for name, version in verdict.finding.versions.items()]
    return f"Computed with {show.listing(packages) or f'bakeoff {__version__}'}."


def _keys(finding: Finding) -> tuple[str, ...]:
    """Keys of the sources of the procedure and of the adjustment."""
    card = procedure_named(finding.procedure).card
    adjustment = ADJUSTMENTS.get(finding.adjust)
    adjusted = adjustment.sources if adjustment is not None and len(finding.pairs) > 1 else ()
    keys = [source.partition(" ")[0] for source in card.sources if isinstance(source, str)]
    return tuple(dict.fromkeys([*keys, *adjusted]))


def references(finding: Finding) -> tuple[str, ...]:
    """The sources of what was done, as a list of references has them."""
    card = procedure_named(finding.procedure).card
    foreign = [str(source) for source in card.sources if isinstance(source, Reference)]
    return (*(str(cite(key)) for key in _keys(finding)), *foreign, f"The bakeoff developers, {_title(finding)}.")


def _title(finding: Finding) -> str:
    version = finding.versions.get("bakeoff", __version__)
    return f"bakeoff: honest comparisons of machine-learning methods, version {version}"


def bibtex_entries(finding: Finding) -> list[str]:
    """The same as entries of BibTeX."""
    software = (
        f"@misc{{{SOFTWARE},\n  author = {{{{The bakeoff developers}}}},\n  title = {{{{{_title(finding)}}}}},\n"
        "  howpublished = {computer program},\n}"
    )
    return [*map(bibtex, _keys(finding)), software]


def bibtex_of(*findings: Finding) -> str:
    """A file of BibTeX with the sources of findings, each once."""
    entries = dict.fromkeys(entry for finding in findings for entry in bibtex_entries(finding))
    return "\n\n".join(entries) + "\n"


def manuscript_of(
    verdict: Verdict, *, style: str = "paper", tables: Sequence[str] | None = None, reference: str | None = None
) -> Manuscript:
    """All that a paper would show of a verdict."""
    finding = verdict.finding
    return Manuscript(
        title=f"{show.listing(list(finding.learners), 4)}: {finding.measure.name}",
        answer=verdict.answer,
        sections=(Section("Results", words(verdict, style)), methods(verdict)),
        tables=tables_of(verdict, tables, reference),
        notes=tuple(f"Warning {warning}" for warning in verdict.warnings),
        references=references(finding),
    )


def manuscript_of_finding(finding: Finding) -> Manuscript:
    """What one procedure found, as a document: its rows, and the tables that stand beside them."""
    header, rows = finding.table()
    frame = [[getattr(row, name) for name in _COLUMNS] for row in finding.rows]
    first = PaperTable("rows", f"{finding.heading}.", tuple(header), _cells(rows), _COLUMNS, tuple(map(tuple, frame)))
    further = {**finding.further_tables(), "margin": finding.relevance_table(), "effects": finding.effect_table()}
    tables = [
        PaperTable(f"further-{i}", f"{title}.", tuple(head), _cells(lines), tuple(head), tuple(map(tuple, lines)))
        for i, (title, (head, lines)) in enumerate(further.items(), 1)
        if lines
    ]
    standing = "" if finding.standing is None else f" {finding.standing}"
    about = f"Null hypothesis: {finding.null}. The estimate is the {finding.estimate or finding.scale}.{standing}"
    return Manuscript(
        title=finding.title,
        answer="",
        sections=(Section("Analysis", about),),
        tables=(first, *tables),
        notes=(*finding.conventions, *finding.cautions, *finding.against_advice),
        references=references(finding),
    )


_COLUMNS = ("contrast", "estimate", "lower", "upper", "statistic", "p", "p_adjusted", "worse", "same", "better", "note")


def _cells(rows: Sequence[Sequence[str]]) -> tuple[tuple[TableCell, ...], ...]:
    return tuple(tuple(map(TableCell, row)) for row in rows)
