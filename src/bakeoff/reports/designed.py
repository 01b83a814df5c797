"""The report of a designed study: effects and interactions first, then levels, the best setting, figures, and what lies
behind them. Like the report of learners it is made of verdicts; what is known of the study comes as blocks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Any

from bakeoff import __version__
from bakeoff.errors import BakeoffError
from bakeoff.figures.designed import design_chart
from bakeoff.judging.design_verdict import DesignVerdict
from bakeoff.judging.verdict import Verdict
from bakeoff.procedures.references import cite
from bakeoff.reports.page import (
    Grid,
    HtmlPage,
    Items,
    Listing,
    PageFile,
    PageSection,
    Picture,
    Words,
    csv_text,
    picture_of,
)
from bakeoff.reports.report import MOST_BYTES, Experiment
from bakeoff.text import number, percent

MOST_SETTINGS = 60  # rows that are shown; the file has all
MOST_CURVES = 6  # tasks whose learning curves are drawn

Table = tuple[list[str], list[list[str]]]


def design_report_of(verdicts: Sequence[DesignVerdict], known: Experiment) -> HtmlPage:
    """The report of the verdicts on a design, one for each measure, of which the first is the one asked for."""
    first, drawn = verdicts[0], count(1)
    sections = [_answer(first, drawn), _effects(first), _levels(first), _more(first), _settings(first)]
    for place, other in enumerate(verdicts[1:], 2):
        blocks = (Words(other.paragraph), *_pictures(other, drawn), *_effects(other).blocks)
        sections.append(PageSection(f"analysis-{place}", f"Also asked: {other.measure}", blocks))
    raised = dict.fromkeys(warning for verdict in verdicts for warning in verdict.warnings)
    items = tuple((warning.code, f"{warning.text} {warning.action}") for warning in raised)
    sections += [
        PageSection(
            "warnings",
            "Warnings, and what to do",
            (Items(items, "warnings") if items else Words("No warning was raised."),),
        ),
        PageSection("next", "What to run next", known.ahead),
        PageSection("failures", "Failures and missing values", known.failures),
        PageSection("design", "The design", known.design),
        PageSection("methods", "Methods and references", tuple(_methods(first))),
        PageSection("reproduce", "How to reproduce it", (*known.reproduce, *_whole(verdicts))),
    ]
    return HtmlPage(
        known.title or f"{first.kind}: {first.measure}",
        known.source or first.source,
        tuple(section for section in sections if section.blocks),
        f"Made by bakeoff {__version__}. This page holds all that it shows, and asks no network for anything.",
    )


def _answer(verdict: DesignVerdict, drawn: Iterator[int]) -> PageSection:
    standing = verdict.standing
    blocks: list[Any] = []
    if standing is not None:
        blocks.append(Words(str(standing), "note" if standing.planned else "caution"))
    answer = answer_of(verdict)
    blocks += [Words(answer, "answer")] if answer else []
    blocks += [*_pictures(verdict, drawn), Words(verdict.paragraph)]
    return PageSection("answer", "The answer", tuple(blocks))


def answer_of(verdict: DesignVerdict) -> str:
    """What was shown to matter, in a sentence; empty where nothing of the kind was tested."""
    shown = [each.label for each in verdict.effects if each.p_adjusted <= verdict.alpha]
    if shown:
        return f"Shown to matter for {verdict.measure}: {', '.join(shown)}."
    if verdict.effects:
        return f"No factor was shown to matter for {verdict.measure}, which is not to say that none does."
    return ""


def figures_of(verdict: DesignVerdict) -> list[tuple[str, dict[str, Any]]]:
    """The kinds of figures that a design of its kind has, each with its options."""
    kinds: list[tuple[str, dict[str, Any]]] = []
    if verdict.surface is not None:
        kinds.append(("contour", {}))
    elif verdict.curves:
        kinds += [("learning-curve", {"task": each.task}) for each in verdict.curves[:MOST_CURVES]]
    elif verdict.noise is not None:
        kinds += [("interaction", {}), ("task-differences", {})]
    else:
        kinds += [("half-normal", {})] if verdict.screening is not None else []
        kinds += [("interaction", {"x": b, "group": a}) for a, b in verdict.shown_interactions] or [("interaction", {})]
    return kinds


def _pictures(verdict: DesignVerdict, drawn: Iterator[int]) -> Iterator[Picture]:
    for kind, options in figures_of(verdict):
        try:
            chart = design_chart(verdict, kind, **options)
            place = next(drawn)
            yield picture_of(chart, kind if place == 1 else f"{kind}-{place}", place)
        except (BakeoffError, StopIteration):
            continue  # one factor has no interaction to draw


def _effects(verdict: DesignVerdict) -> PageSection:
    blocks: list[Any] = []
    if verdict.effects:
        fields = ("name", "label", "f", "epsilon", "p", "p_adjusted", "share")
        data = [[*(getattr(each, name) for name in fields), *each.df] for each in verdict.effects]
        file = PageFile("effects.csv", "CSV", csv_text([*fields, "df", "df_error"], data), "text/csv")
        caption = (
            f"Effects on {verdict.measure}, each against its own variation over {verdict.blocks}; p adjusted by Holm."
        )
        blocks.append(_grid(caption, verdict.effect_table(), file=file))
    if verdict.screening is not None and verdict.sizes:
        blocks.append(_grid("Effects as differences between two halves of the settings.", verdict.screening_table()))
    if verdict.trends:
        blocks.append(_grid("Straight and curved parts of numeric factors.", verdict.trend_table(), left=2))
    for pair in verdict.shown_interactions:
        blocks.append(_grid(f"Mean {verdict.measure} over {pair[0]} and {pair[1]}.", verdict.cell_means(*pair)))
    return PageSection("effects", "Effects and interactions", tuple(blocks))


def _levels(verdict: DesignVerdict) -> PageSection:
    blocks = [
        _grid(f"Levels of {factor}, averaged over the other factors.", verdict_of_levels.table(), left=3)
        for factor, verdict_of_levels in verdict.levels.items()
    ]
    return PageSection("levels", "The levels of each factor", tuple(blocks))


def _more(verdict: DesignVerdict) -> PageSection:
    """What surfaces, curves, noise and learners beside the design have in numbers."""
    blocks: list[Any] = []
    if (surface := verdict.surface) is not None:
        blocks += [Words(surface.sentence), _grid("The surface, of factors coded from −1 to +1.", surface.table())]
        steps = tuple(f"{step['what']}: {step['why']}" for step in surface.steps)
        blocks += [Words("What was run after the first design, and why:"), Items(steps)] if steps else []
    for curves in verdict.curves:
        blocks.append(_grid(f"{curves.heading}.", curves.table()))
        tables = [(each.first, each.second, each.better, each.size) for each in curves.separations]
        rows = [[a, b, better, "" if size is None else number(size)] for a, b, better, size in tables]
        if rows:
            head = ["learner", "learner", "better", "from size"]
            blocks.append(_grid("Where two curves separate; empty if nowhere.", (head, rows), left=3))
    if (noise := verdict.noise) is not None:
        blocks.append(Words(noise.sentence))
        blocks += [_grid(f"Wins-losses-ties at {noise.factor} {level}.", noise.table(level)) for level in noise.records]
    if verdict.orders:
        rows = [[each.name, number(each.sd), number(each.widest)] for each in verdict.orders]
        head = ["learner", "sd between orders", "widest range"]
        blocks.append(_grid(f"How {verdict.measure} varies with the order of rows, within a block.", (head, rows)))
    if verdict.reference is not None:
        blocks += [Words(verdict.about_reference), *_beside(verdict.reference)]
    return PageSection("more", "Surface, curves, and what stands beside the design", tuple(blocks))


def _beside(pairs: Verdict) -> Iterator[Grid]:
    yield _grid("The best setting, chosen on other blocks, and learners without the factors.", pairs.table(), left=3)


def _settings(verdict: DesignVerdict) -> PageSection:
    best = verdict.best
    rows = [(label, number(value)) for label, value in (
        (f"best mean of {best.of} settings", best.mean),
        ("settings that were chosen on the other blocks", best.nested),
        ("best mean, shrunken towards the mean of all", best.shrunken),
    ) if value == value]  # fmt: skip
    names = list(dict.fromkeys(name for each in verdict.settings.values() for name in each))
    data = [
        [name, *(each.get(factor, "") for factor in names), verdict.means[name]]
        for name, each in verdict.settings.items()
    ]
    file = PageFile("settings.csv", "CSV", csv_text(["setting", *names, "mean"], data), "text/csv")
    hidden = len(verdict.settings) - MOST_SETTINGS
    notes = (f"{hidden} more are in the file.",) if hidden > 0 else ()
    grid = _grid(
        f"Settings by mean {verdict.measure}, the best first.", verdict.setting_table(MOST_SETTINGS), len(names), file
    )
    first = () if len(best.first) < 2 else (Items(best.first),)
    content = (Words(verdict.about_best), Grid("What the best mean is worth.", ("", verdict.measure), tuple(rows)))
    may = (Words("None of these was shown to be worse than another setting:", "note"), *first) if first else ()
    blocks = (*content, *may, Grid(grid.caption, grid.header, grid.rows, grid.left, notes, file=file))
    return PageSection("settings", "The best settings, and the winner's curse", blocks)


def _methods(verdict: DesignVerdict) -> Iterator[Any]:
    text = [
        f"{len(verdict.settings)} settings of the factors were run ({verdict.kind}), all in the same blocks "
        f"({verdict.blocks}{verdict.how}). Each effect is a set of contrasts that every block estimates, and was held "
        "against its own variation from block to block, with the ε of Greenhouse and Geisser (1959)"
    ]
    text.append(f"p was adjusted for all effects by Holm (1979), α = {percent(verdict.alpha)}")
    text.append("Levels were compared averaged over the other factors, which share α")
    keys = ["greenhouse1959", "holm1979"]
    if verdict.shares_training:
        text.append("F was corrected for training data in common as Nadeau and Bengio (2003) correct t")
        keys.append("nadeau2003")
    if verdict.noise is not None:
        keys.append("dietterich2000")
    yield Words(". ".join(text) + ".")
    yield Items(tuple(str(cite(key)) for key in keys), "references")


def _whole(verdicts: Sequence[DesignVerdict]) -> Iterator[Listing]:
    for place, verdict in enumerate(verdicts, 1):
        name, text = f"design{place if place > 1 else ''}.json", verdict.to_json()
        if len(text) <= MOST_BYTES:
            file = PageFile(name, f"{name}: everything, with full precision", text, "application/json")
            yield Listing(f"{name}: the verdict on {verdict.measure}", file)


def _grid(caption: str, table: Table | tuple[Any, Any], left: int = 1, file: PageFile | None = None) -> Grid:
    header, rows = table
    return Grid(caption, tuple(header), tuple(map(tuple, rows)), left, file=file)
