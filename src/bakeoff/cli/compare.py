"""The commands that read a table of scores: compare, advise, analyse, order, gate, first, aggregate; votes, of votes;
and adjust, for p-values."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bakeoff.atomic_files import write_text
from bakeoff.cli.grammar import Grammar, check_output, emit
from bakeoff.errors import BakeoffError, MissingGlyphsWarning, UsageError
from bakeoff.inference.adjustments import ADJUSTMENTS, METHODS, rejected
from bakeoff.inference.finding import Finding
from bakeoff.judging import advise, analyse, multitest
from bakeoff.judging.advice import Advice, advice_on
from bakeoff.judging.case import Case
from bakeoff.judging.judgment import verdict_on
from bakeoff.judging.order import measured_cost
from bakeoff.judging.request import Request
from bakeoff.judging.verdict import SCHEMA, Verdict
from bakeoff.measures import known_measure
from bakeoff.procedures import meaning_of, procedure_named
from bakeoff.procedures.card import Answers, Card
from bakeoff.scores import Scores, align, read_scores, unpaired
from bakeoff.scores.alignment import Alignment
from bakeoff.scores.layout import declare_runs, declare_scope
from bakeoff.scores.reading import read_by_factor
from bakeoff.text import listing, to_json, wrapped

if TYPE_CHECKING:
    from bakeoff.figures.figure import Chart, Style

# ----------------------------------------------------------------------------------------------------------------------
# What the commands that read scores have in common.


def scores_of(arguments: argparse.Namespace, **reading: Any) -> Scores:
    """The scores that a command names, reduced to the tasks and learners asked for."""
    return _declared(read_scores(*arguments.file, **{**_reading_of(arguments), **reading}), arguments)


def _reading_of(arguments: argparse.Namespace) -> dict[str, Any]:
    return {
        "rows": arguments.rows,
        "measure": arguments.measure or None,
        "larger_is_better": arguments.larger,
        "shape": arguments.shape,
        "cluster": arguments.cluster,
        "strata": arguments.strata,
        "ignore": arguments.ignore or (),
        "format": arguments.format,
        "columns": ",".join(arguments.columns or ()),
        "where": arguments.where or (),
        "transpose": arguments.transpose,
        "average": arguments.average,
        "positive": arguments.positive,
    }


def _declared(scores: Scores, arguments: argparse.Namespace) -> Scores:
    """The part asked for, with what was said of it."""
    scores = declare_scope(part_of(scores, arguments), arguments.about)
    return with_runs(unpaired(scores) if arguments.unpaired else scores, arguments)


def with_runs(scores: Scores, arguments: argparse.Namespace) -> Scores:
    """The scores, with what was said of their runs. Beside a procedure that takes a ratio it is an option of that."""
    ratio = None if arguments.ratio is None else ratio_in(arguments.ratio)
    named = getattr(arguments, "procedure", None)
    if arguments.runs is None and named is not None and _takes_ratio(procedure_named(named).card):
        ratio = None
    return declare_runs(scores, arguments.runs, ratio)


def ratio_in(text: str) -> float:
    """A number, or a fraction of two.

    >>> ratio_in("104/208"), ratio_in("0.25")
    (0.5, 0.25)
    """
    above, slash, below = text.partition("/")
    try:
        return float(above) / float(below) if slash else float(text)
    except (ValueError, ZeroDivisionError):
        raise UsageError(
            f"The ratio of test to training size is a number such as 0.5 or 104/208; found {text!r}."
        ) from None


def _takes_ratio(card: Card) -> bool:
    return any(option.name == "ratio" for option in card.options)


def part_of(scores: Scores, arguments: argparse.Namespace) -> Scores:
    """The tasks and learners asked for."""
    if arguments.task or arguments.learner:
        scores = scores.only(tasks=arguments.task, learners=_settings_of(scores, arguments.learner))
    return scores.without(arguments.without) if arguments.without else scores


def _settings_of(scores: Scores, learners: Sequence[str] | None) -> Sequence[str] | None:
    """The names of learners; of a designed study a learner is all of its settings."""
    if not learners or not scores.settings:
        return learners
    known = scores.settings["settings"]
    parts = [[name for name, each in known.items() if each.get("learner") == one] or [one] for one in learners]
    return [name for part in parts for name in part]


def measure_of(arguments: argparse.Namespace, scores: Scores) -> str | None:
    """The measure asked for; None if there is only one."""
    named = arguments.measure or []
    if len(named) > 1:
        raise UsageError(
            f"Say one measure, not {len(named)}: {', '.join(named)}. Several at once are for `bakeoff advise` and for "
            "`bakeoff analyse --with hotelling` (two learners) or manova (more)."
        )
    if named:
        return str(named[0])
    if len(scores.measure.labels) > 1:
        raise UsageError(
            f"{scores.source} holds {len(scores.measure.labels)} measures ({', '.join(scores.measure.labels)}). "
            f"Say which one the question is about: --measure NAME.{_where_measured(scores)}"
        )
    return None


def _where_measured(scores: Scores) -> str:
    """The tasks that each measure is about, where not all are about the same."""
    pairs = np.unique(np.column_stack([scores.measure.codes, scores.task.codes]), axis=0)
    tasks = {code: [scores.task.labels[task] for of, task in pairs if of == code] for code, _ in pairs}
    if len({tuple(each) for each in tasks.values()}) < 2:
        return ""
    return "".join(f"\n  - {scores.measure.labels[code]}: {listing(names, 4)}" for code, names in tasks.items())


def request_of(arguments: argparse.Namespace) -> dict[str, Any]:
    """The request common to all procedures, as keyword arguments."""
    contrast_given = arguments.contrast or ["all-pairs"]
    contrast = contrast_given[0] if len(contrast_given) == 1 else contrast_given
    return {
        "contrast": "control" if arguments.control is not None and not arguments.contrast else contrast,
        "control": arguments.control,
        "adjust": arguments.adjust,
        "alpha": arguments.alpha,
        "alternative": arguments.alternative,
        "level": arguments.level,
        "missing": arguments.missing,
        "anyway": arguments.anyway,
    }


def options_of(arguments: argparse.Namespace, card: Card | None, rest: Sequence[str]) -> dict[str, Any]:
    """The procedure's own options, by the flags that its card describes. A ratio is common to reading and to them."""
    ratio: str | None = getattr(arguments, "ratio", None)
    rest = _without_guesses(arguments, card, rest)
    own_ratio = {"ratio": ratio_in(ratio)} if ratio is not None and card is not None and _takes_ratio(card) else {}
    if not rest:
        return own_ratio
    grammar: Grammar = arguments.grammar
    if card is None:
        raise UsageError(grammar.about(rest, "A procedure's own options go with --with NAME."))
    own = Grammar(read_more=f"bakeoff explain {card.name}", add_help=False, allow_abbrev=False)
    for option in card.options:
        own.add_argument(
            option.flag,
            dest=option.name,
            type=_boolean if option.kind is bool else option.kind,
            default=argparse.SUPPRESS,
            help=option.help,
        )
    given, unknown = own.parse_known_args(list(rest))
    if unknown:
        flags = [option.flag for option in card.options]
        sentence = f"Options of {card.name}: {', '.join(flags) or 'none'}."
        raise UsageError(grammar.about(unknown, sentence, flags))
    return {**own_ratio, **vars(given)}


def _take_tests_for_what_they_are(arguments: argparse.Namespace) -> None:
    """nemenyi, tukey and the like, said as an adjustment (--posthoc nemenyi), are names of procedures."""
    word = arguments.adjust
    if word is None or word in ADJUSTMENTS:
        return
    with contextlib.suppress(UsageError):
        name, _ = meaning_of(word)
        if arguments.procedure is None or procedure_named(arguments.procedure).name == name:
            arguments.procedure, arguments.adjust = word, None


def weights_of(arguments: argparse.Namespace) -> dict[str, str]:
    """What counts alike in a mean over clusters, if it was said."""
    return {} if arguments.weights is None else {"weights": arguments.weights}


# Names that people guess for options, and that are options of their own with some procedures.
_GUESSED = {"--correction": "adjust", "--rope": "margin"}


def _without_guesses(arguments: argparse.Namespace, card: Card | None, rest: Sequence[str]) -> list[str]:
    """What is left over, without options under a guessed name, which are set under their own."""
    left, words = [], list(rest)
    own = {option.flag for option in card.options} if card is not None else set()
    while words:
        flag, equals, value = words.pop(0).partition("=")
        name = _GUESSED.get(flag)
        means_own = flag in own and (value if equals else "".join(words[:1])) not in ADJUSTMENTS
        if name is None or means_own or not hasattr(arguments, name) or not (equals or words):
            left.append(f"{flag}{equals}{value}")
            continue
        value = value if equals else words.pop(0)
        try:
            setattr(arguments, name, float(value) if name == "margin" else value)
        except ValueError:
            raise UsageError(f"{flag} takes a number, but {value!r} was found.") from None
    return left


def split_options(arguments: argparse.Namespace, rest: Sequence[str]) -> list[str]:
    """What is left over, without the files in it, which are added to those to read. Each option takes one value."""
    options, takes_value = [], False
    for word in rest:
        is_flag = word.startswith("-") and len(word) > 1 and not takes_value
        if is_flag or takes_value:
            options.append(word)
            takes_value = is_flag and "=" not in word
        else:
            arguments.file = [*arguments.file, word]
    return options


def _boolean(text: str) -> bool:
    if text.lower() in ("true", "yes", "on", "1"):
        return True
    if text.lower() in ("false", "no", "off", "0"):
        return False
    raise argparse.ArgumentTypeError(f"yes or no was expected; found {text!r}")


# ----------------------------------------------------------------------------------------------------------------------
# Where the answer of a command goes.


def save_figure(chart: Chart, path: str, *, caption: bool = False, style: Style | None = None) -> str:
    """Save a figure, and say where it is; what became of characters that no font has is said on standard error."""
    from bakeoff.figures.figure import USUAL

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", MissingGlyphsWarning)
        chart.save(path, caption=caption, style=style or USUAL)
    for one in caught:
        print(wrapped(f"Note  {one.message}", indent="  "), file=sys.stderr)
    return f"Figure:  {path}"


# ----------------------------------------------------------------------------------------------------------------------


def run_compare(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    if arguments.factor is not None:
        _compare_factor(arguments, rest)
        return
    check_output(arguments, forms=True)
    if (kept := kept_verdict(arguments.file)) is not None:
        from bakeoff.reports.files import read_circumstances

        drawn = save_figure(kept.plot(), arguments.figure) if arguments.figure else ""
        before = read_circumstances(arguments.file[0])
        text = kept.to_json() if arguments.json else _screen(kept, arguments, *before, drawn)
        emit(arguments, text, lambda ending: in_form([kept], ending, arguments))
        return
    from bakeoff.formats.arena import VotesError

    _take_tests_for_what_they_are(arguments)
    card = procedure_named(arguments.procedure).card if arguments.procedure else None
    options = options_of(arguments, card, split_options(arguments, rest)) | weights_of(arguments)
    try:
        scores = scores_of(arguments)
    except VotesError:
        _compare_votes(arguments)
        return
    measure = measure_of(arguments, scores)
    alignment = align(scores, measure)
    request = {"measure": measure, "margin": arguments.margin, **request_of(arguments), "against": arguments.against}
    try:
        case = Case(scores, Request.of(arguments.procedure, options=options, **request))
        advice, verdict = advice_on(case), verdict_on(case)
    except BakeoffError:
        # What was read is shown all the same: it is what the refusal is about.
        with contextlib.suppress(BrokenPipeError):
            print(alignment.to_text(), end="\n\n", file=sys.stderr, flush=True)
        raise
    drawn = save_figure(verdict.plot(), arguments.figure) if arguments.figure else ""
    if arguments.json:
        whole = {"alignment": alignment.to_dict(), "advice": advice.to_dict(), "verdict": verdict.to_dict()}
        emit(arguments, to_json(whole))
        return
    text = _screen(verdict, arguments, alignment, advice, drawn)
    emit(arguments, text, lambda ending: in_form([verdict], ending, arguments))


def _screen(
    verdict: Verdict, arguments: argparse.Namespace, alignment: Alignment | None, advice: Advice | None, drawn: str
) -> str:
    """A verdict with what was recommended and what was read, where that is known: a verdict that was saved by itself
    does not have it."""
    parts = [shown(verdict, arguments)]
    if advice is not None:
        # What the recommended procedure speaks about, the verdict has said if it was used.
        same = verdict.finding.procedure == advice.recommended
        recommended = advice.choice if same else advice.summary
        parts.append(wrapped(recommended if verdict.finding.pairs else _used_alone(verdict), indent="  "))
    if alignment is not None:
        # The answer first; what was read is first only where something is wrong with it.
        parts.insert(len(parts) if alignment.in_order else 0, alignment.to_text())
    return "\n\n".join([*parts, *([drawn] if drawn else [])])


def shown(verdict: Verdict, arguments: argparse.Namespace) -> str:
    """A verdict for the screen: in plain words, or as a paper has it."""
    if arguments.style != "paper":
        return verdict.to_text()
    from bakeoff.reports.manuscript import as_text

    return as_text(verdict.manuscript("paper", tables=arguments.table)).rstrip("\n")


def in_form(verdicts: Sequence[Verdict], ending: str, arguments: argparse.Namespace) -> str:
    """Verdicts as the file of an ending has them."""
    from bakeoff.reports.files import rendered

    return rendered(verdicts, ending, style=arguments.style or "paper", tables=arguments.table)


def kept_verdict(files: Sequence[str]) -> Verdict | None:
    """The verdict that a file of JSON holds; None if it holds something else."""
    path = Path(files[0]) if len(files) == 1 else None
    if path is None or path.suffix.lower() != ".json" or not path.is_file() or SCHEMA.encode() not in path.read_bytes():
        return None
    from bakeoff.reports.files import read_verdict

    return read_verdict(path)


def _compare_votes(arguments: argparse.Namespace) -> None:
    """Votes between pairs, which have a model of their own: options about tables of scores are refused."""
    given = arguments.grammar.options_given(arguments)
    foreign = [flag for name, flag in given.items() if name not in ("cluster", "without", "alpha", "json", "output")]
    if foreign:
        raise UsageError(
            "These are votes between two models at a time, which Davidson's model ranks: "
            f"{listing(sorted(foreign))} cannot be asked of them. Possible are --cluster (question, judge, both or "
            "none), --without and --alpha, as in `bakeoff votes`."
        )
    run_votes(arguments, ())


def _compare_factor(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    from bakeoff.judging.factors import judge_factor

    if arguments.figure or arguments.against is not None:
        raise UsageError("--factor goes neither with --figure nor with --against: leave them out.")
    card = procedure_named(arguments.procedure).card if arguments.procedure else None
    options = options_of(arguments, card, split_options(arguments, rest))
    factor, by_level = _levels_of(arguments)
    measure = measure_of(arguments, next(iter(by_level.values())))
    request = {**request_of(arguments), "procedure": arguments.procedure, "margin": arguments.margin}
    factorial = judge_factor(by_level, factor=factor, measure=measure, options=options, **request)
    if arguments.json:
        emit(arguments, factorial.to_json())
        return
    alignment = align(next(iter(by_level.values())), measure)
    title = f"At each of {len(by_level)} levels of {factor} ({listing(list(by_level), 8)}), as at the first:"
    parts = [f"{title}\n{alignment.to_text()}", factorial.to_text()]
    emit(arguments, "\n\n".join(reversed(parts) if alignment.in_order else parts))


def _levels_of(arguments: argparse.Namespace) -> tuple[str, dict[str, Scores]]:
    """The scores at each level of a second factor, each reduced to what is asked for."""
    factor, by_level = read_by_factor(arguments.file, arguments.factor, **_reading_of(arguments))
    return factor, {level: _declared(scores, arguments) for level, scores in by_level.items()}


def _used_alone(verdict: Verdict) -> str:
    """Which procedure looked at each learner alone: the advice is about comparing them."""
    return f"Used: {verdict.finding.procedure} ({verdict.finding.title}), which looks at one learner at a time."


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff advise`: which procedures fit, which do not, and why.


def run_advise(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    if is_study(arguments) and _advised_ahead(arguments):
        return
    scores = scores_of_study(arguments) if is_study(arguments) else scores_of(arguments)
    several = len(arguments.measure or ()) > 1
    measure = arguments.measure if several else measure_of(arguments, scores)
    advice = advise(scores, measure=measure, level=arguments.level, missing=arguments.missing)
    emit(arguments, advice.to_json() if arguments.json else advice.to_text(everything=arguments.all))


def _advised_ahead(arguments: argparse.Namespace) -> bool:
    """Advise on the design of a study of which nothing was run yet."""
    from bakeoff.cli.conduct import advise_ahead
    from bakeoff.study.file import read_study

    (file,) = arguments.file
    study = read_study(file)
    if Path(file).with_suffix(".sqlite").exists():
        return False
    advise_ahead(arguments, study)
    return True


def is_study(arguments: argparse.Namespace) -> bool:
    return bool(arguments.file) and str(arguments.file[0]).endswith(".toml")


def scores_of_study(arguments: argparse.Namespace) -> Scores:
    """The stored scores of a study: of its first measure, or of those asked for."""
    from bakeoff.cli.study import stored
    from bakeoff.results.scores import scores_of as stored_scores
    from bakeoff.study.file import read_study
    from bakeoff.study.stored import scores_for

    if arguments.runs is not None or arguments.ratio is not None:
        raise UsageError("A study knows how its runs were split: leave --runs and --ratio out.")
    (file,) = arguments.file
    study = read_study(file)
    named = arguments.measure or [study.measure_names[0]]
    with stored(study, Path(file).with_suffix(".sqlite"), file) as store:
        if len(named) > 1:
            scores = stored_scores(store, study.key, named)
        else:
            scores = scores_for(store, study.key, named[0], level=arguments.level)
    scores = part_of(scores, arguments)
    return unpaired(scores) if arguments.unpaired else scores


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff gate`: may a candidate take the place of a baseline? Its exit code is the answer.


def run_gate(arguments: argparse.Namespace, rest: Sequence[str]) -> int:
    from bakeoff.judging.gate_files import report_to_github
    from bakeoff.judging.gates import gate

    reading = {
        "columns": ",".join(arguments.columns) if arguments.columns else None,
        "where": arguments.where or (),
        "transpose": arguments.transpose,
        "average": arguments.average,
        "format": arguments.format,
        "larger_is_better": arguments.larger,
        "cluster": arguments.cluster,
        "strata": arguments.strata,
        "ignore": arguments.ignore or (),
    }
    decision = gate(
        arguments.baseline,
        arguments.candidate,
        margin=arguments.margin,
        anchor=arguments.anchor,
        anyway=arguments.anyway,
        measure=arguments.measure,
        tasks=arguments.task,
        reading=reading,
        alpha=arguments.alpha,
        on_undecided=arguments.on_undecided,
        max_failed=arguments.max_failed,
        missing=arguments.missing,
        procedure=arguments.procedure,
    )
    for path, text in (
        (arguments.markdown, decision.to_markdown(arguments.name)),
        (arguments.junit, decision.to_junit()),
    ):
        if path is not None:
            write_text(Path(path), text)
    with contextlib.suppress(BrokenPipeError):  # whoever reads no further is told by the exit code all the same
        if arguments.github:
            print(report_to_github(decision, os.environ, arguments.name))
        emit(arguments, decision.to_json() if arguments.json else decision.to_text())
        sys.stdout.flush()
    return decision.exit_code


def run_first(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    from bakeoff.judging.first_place import first_place

    scores = scores_of(arguments)
    place = first_place(
        scores,
        arguments.procedure,
        measure=measure_of(arguments, scores),
        alpha=arguments.alpha,
        level=arguments.level,
        missing=arguments.missing,
        anyway=arguments.anyway,
    )
    if arguments.json:
        emit(arguments, place.to_json())
        return
    emit(arguments, f"{align(scores, measure_of(arguments, scores)).to_text()}\n\n{place.to_text()}")


def run_votes(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    from bakeoff.judging.votes import rank_votes

    ranking = rank_votes(
        *arguments.file, cluster=arguments.cluster, alpha=arguments.alpha, without=arguments.without or ()
    )
    note = "Read as votes between models, which `bakeoff votes` ranks as well."
    text = ranking.to_text() if arguments.command == "votes" else f"{note}\n\n{ranking.to_text()}"
    emit(arguments, ranking.to_json() if arguments.json else text)


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff analyse`: one procedure, and all that it finds.


def run_analyse(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    check_output(arguments, forms=True)
    _take_tests_for_what_they_are(arguments)
    card = procedure_named(arguments.procedure).card
    options = options_of(arguments, card, split_options(arguments, rest)) | weights_of(arguments)
    if arguments.factor is not None:
        _analyse_factor(arguments, card, options)
        return
    scores = scores_of(arguments)
    several = card.answers is Answers.MULTIVARIATE
    measure = arguments.measure if several else measure_of(arguments, scores)
    request = {**request_of(arguments), "measure": measure, "margin": arguments.margin}
    finding = analyse(scores, arguments.procedure, **request, **options)
    if arguments.json:
        emit(arguments, finding.to_json())
        return
    alignment = align(scores, None if several else measure)
    parts = [alignment.to_text(), finding.to_text()]
    emit(arguments, "\n\n".join(reversed(parts) if alignment.in_order else parts), lambda e: _finding_in(finding, e))


def _finding_in(finding: Finding, ending: str) -> str:
    from bakeoff.reports.files import rendered_finding

    return rendered_finding(finding, ending)


def _analyse_factor(arguments: argparse.Namespace, card: Card, options: dict[str, Any]) -> None:
    """The table of a procedure that takes two factors, the second one from a column."""
    from bakeoff.judging.factors import analyse_factor

    factor, by_level = _levels_of(arguments)
    measure = measure_of(arguments, next(iter(by_level.values())))
    analyses = analyse_factor(by_level, card.name, factor=factor, measure=measure, **options)
    emit(arguments, analyses.to_json() if arguments.json else analyses.to_text())


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff order`: a full order of learners, cost deciding where the data do not (MultiTest).


def run_order(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    card = procedure_named(arguments.procedure).card if arguments.procedure else None
    options = options_of(arguments, card, split_options(arguments, rest)) | weights_of(arguments)
    scores = scores_of(arguments)
    if arguments.cost_measure is not None and not arguments.measure:  # what tells the cost is not what is compared
        rest_of = [name for name in scores.measure.labels if name != arguments.cost_measure]
        scores = scores.only(measures=rest_of) if rest_of else scores
    order = multitest(
        scores,
        cost_order=arguments.cost,
        costs=_costs(arguments),
        cost_measure=arguments.cost_measure,
        procedure=arguments.procedure,
        alpha=arguments.alpha,
        adjust=arguments.adjust,
        measure=measure_of(arguments, scores),
        level=arguments.level,
        missing=arguments.missing,
        anyway=arguments.anyway,
        **options,
    )
    emit(arguments, order.to_json() if arguments.json else order.to_text())


def _costs(arguments: argparse.Namespace) -> dict[str, float] | None:
    """What each learner costs by a column of the file; of a measure that nobody knows less is taken to be cheaper."""
    name = arguments.cost_measure
    if name is None:
        return None
    reading = {**_reading_of(arguments), "measure": [name]}
    known = known_measure(name)
    if known is None:
        reading["larger_is_better"] = False
    scores = part_of(read_scores(*arguments.file, **reading), arguments)
    return measured_cost(scores, name)


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff aggregate`: one number over all runs, answers or test rows.


def run_aggregate(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    from bakeoff.judging.aggregates import aggregate

    scores = scores_of(arguments)
    measure = measure_of(arguments, scores)
    aggregates = aggregate(
        scores if measure is None else scores.only(measure=measure),
        arguments.statistic,
        confidence=arguments.confidence,
        resamples=arguments.resamples,
        seed=arguments.seed,
    )
    emit(arguments, aggregates.to_json() if arguments.json else aggregates.to_text())


# ----------------------------------------------------------------------------------------------------------------------
# `bakeoff adjust`: p-values of your own, adjusted for their number by every method.


def run_adjust(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    rejections = rejected(arguments.p, arguments.alpha, arguments.method or METHODS, arguments.family)
    emit(arguments, rejections.to_json() if arguments.json else rejections.to_text())
