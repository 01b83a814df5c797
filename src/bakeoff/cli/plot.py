"""`bakeoff plot`: a figure by kind, of a file or a stored study; or which kinds there are, and which of them fit."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bakeoff.cli.compare import (
    is_study,
    measure_of,
    options_of,
    request_of,
    save_figure,
    scores_of,
    scores_of_study,
    split_options,
)
from bakeoff.errors import BakeoffError, InputError, UsageError
from bakeoff.figures import chart_named, charts
from bakeoff.figures.figure import Chart, Style, kind_of
from bakeoff.judging.case import Case
from bakeoff.judging.judgment import verdict_on
from bakeoff.judging.request import Request
from bakeoff.procedures import procedure_named
from bakeoff.text import text_table, wrapped

if TYPE_CHECKING:
    import pandas as pd

    from bakeoff.judging import Verdict
    from bakeoff.judging.design_verdict import DesignVerdict
    from bakeoff.measures.answers import LearnerAnswers
    from bakeoff.scores import Scores


def run_plot(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    arguments.file = list(arguments.file)
    if arguments.kind is not None and _is_file(arguments.kind):
        arguments.file, arguments.kind = [arguments.kind, *arguments.file], None
    if arguments.kind is None:
        _list_kinds() if not arguments.file else _list_fitting(PlotSource(arguments, rest))
        return
    kind = arguments.kind.strip().lower().replace("_", "-")
    chart = chart_named(kind)
    if not arguments.file or arguments.output is None:
        lacking = "the scores to draw" if not arguments.file else "-o FILE (.svg, .pdf or .png), where it goes"
        raise UsageError(f"{kind} needs {lacking}: bakeoff plot {kind} scores.csv -o figure.svg")
    kind_of(arguments.output, chart.text_kinds)  # before anything is computed for it
    style = Style(arguments.width, arguments.font_size, arguments.font)
    figure = PlotSource(arguments, rest).chart(chart, kind)
    print(save_figure(figure, arguments.output, caption=arguments.caption, style=style))
    if figure.caption and not arguments.caption:
        print(f"\n{wrapped(figure.caption)}")


def _is_file(word: str) -> bool:
    """Whether a word in the place of a kind is a file."""
    return word.strip().lower().replace("_", "-") not in charts() and (bool(Path(word).suffix) or Path(word).exists())


DRAWN_OF = {
    "scores": "scores, or a study",
    "verdict": "scores, or a study",
    "predictions": "predictions, or a study",
    "table": "a table of its own",
}


def _list_kinds() -> None:
    rows = [[kind, chart.kinds[kind], DRAWN_OF[chart.made_of]] for kind, chart in sorted(charts().items())]
    print(text_table(["kind", "shows", "drawn of"], rows, left=3, most=100))
    print("\nbakeoff plot FILE says which of them fit a file; bakeoff plot KIND FILE -o figure.pdf draws one.")


def _list_fitting(source: PlotSource) -> None:
    """Which kinds can be drawn of a file, and why the others cannot: by trying."""
    fitting, others = [], []
    for kind, chart in sorted(charts().items()):
        try:
            source.chart(chart, kind)
        except BakeoffError as error:
            others.append((kind, str(error).splitlines()[0]))
        else:
            fitting.append([kind, chart.kinds[kind]])
    name = " ".join(map(str, source.arguments.file))
    if fitting:
        print(f"Of {name} can be drawn:\n\n{text_table(['kind', 'shows'], fitting, left=2, most=100)}")
    if others:
        print("\nThese cannot:" if fitting else f"Of {name} nothing can be drawn:")
        print("\n".join(wrapped(f"  {kind}: {why}", indent="    ") for kind, why in others))
    if fitting:
        print(f"\nTo draw one: bakeoff plot {fitting[0][0]} {name} -o figure.pdf")


class PlotSource:
    """What figures are made of, by the files and options of a command; each is read or computed once."""

    def __init__(self, arguments: argparse.Namespace, rest: Sequence[str]) -> None:
        self.arguments, self.rest = arguments, split_options(arguments, rest)

    def chart(self, chart: type[Chart], kind: str) -> Chart:
        """A chart of that kind."""
        arguments = self.arguments
        if self.rest and chart.made_of != "verdict":
            arguments.grammar.unrecognised(self.rest)
        if chart.made_of == "predictions":
            how = {name: getattr(arguments, name) for name in ("positive", "band", "pool", "bins")}
            return chart.of(self.answers, kind, **how)
        if chart.made_of == "table":
            if is_study(arguments) and self.scores.settings:
                return self.design.plot(kind, **self._columns)
            return chart.of(self.table, kind, **self._columns)
        if chart.made_of == "verdict":
            return chart.of(self.verdict, kind, scores=self.scores, left_only=arguments.left)
        if chart.several_measures:
            return chart.of(self.scores, kind, measures=arguments.measure)
        options: dict[str, Any] = {"measure": self.measure, "level": arguments.level, "control": arguments.control}
        if len(arguments.learner or ()) == 2:
            options["pair"] = tuple(arguments.learner)
        if arguments.bins is not None:
            options["bins"] = arguments.bins
        return chart.of(self.scores, kind, **options)

    @cached_property
    def design(self) -> DesignVerdict:
        """The verdict on the factors of a designed study."""
        from bakeoff.judging.designed import judge_design

        return judge_design(self.scores, measure=self.measure, level=self.arguments.level)

    @property
    def _columns(self) -> dict[str, Any]:
        """Which column of a plain table is what, as far as it was said."""
        arguments = self.arguments
        value = arguments.value or (arguments.measure[0] if arguments.measure else None)
        pair = tuple(arguments.learner) if len(arguments.learner or ()) == 2 else None
        return {"x": arguments.x, "y": arguments.y, "value": value, "group": arguments.group,
                "pair": pair}  # fmt: skip

    @cached_property
    def table(self) -> pd.DataFrame:
        """The file as a plain table, or the scores of a study as one."""
        if is_study(self.arguments):
            return self.scores.to_frame()
        import pandas as pd

        (file,) = self.arguments.file[:1]
        try:
            if str(file).endswith(".parquet"):
                return pd.read_parquet(file)
            return pd.read_csv(sys.stdin if file == "-" else file, sep=None, engine="python", encoding="utf-8-sig")
        except OSError as error:
            raise InputError(f"It cannot be read: {error.strerror or error}.", source=str(file)) from error
        except Exception as error:  # pandas has many ways to say that it is no table
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise InputError(
                f"A table in CSV or Parquet was expected, and this is none: {reason}", source=str(file)
            ) from error

    @cached_property
    def scores(self) -> Scores:
        return scores_of_study(self.arguments) if is_study(self.arguments) else scores_of(self.arguments)

    @cached_property
    def measure(self) -> str | None:
        return measure_of(self.arguments, self.scores)

    @cached_property
    def verdict(self) -> Verdict:
        arguments = self.arguments
        card = procedure_named(arguments.procedure).card if arguments.procedure else None
        options = options_of(arguments, card, self.rest)
        request = {"measure": self.measure, "margin": arguments.margin, **request_of(arguments)}
        return verdict_on(Case(self.scores, Request.of(arguments.procedure, options=options, **request)))

    @cached_property
    def answers(self) -> list[LearnerAnswers]:
        """Predictions of a file, or those stored of a study."""
        if not is_study(self.arguments):
            kept = scores_of(self.arguments, positive=self.arguments.positive or "").predictions
            return [] if kept is None else kept.answers()
        from bakeoff.cli.study import stored
        from bakeoff.results.curves import study_answers
        from bakeoff.study.file import read_study

        (file,) = self.arguments.file[:1]
        study = read_study(file)
        with stored(study, Path(file).with_suffix(".sqlite"), file) as store:
            part = {"tasks": self.arguments.task, "learners": self.arguments.learner}
            return list(study_answers(store, study.key, **part))
