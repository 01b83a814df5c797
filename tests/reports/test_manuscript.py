"""Every form of a verdict says the same, and names from files of others are text in each of them."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import zoo

import bakeoff
from bakeoff.errors import UsageError
from bakeoff.judging import Verdict, judge
from bakeoff.measures import known_measure
from bakeoff.reports.manuscript import as_markdown
from bakeoff.reports.tables import best_of, marks_against, tables_of
from bakeoff.scores import Scores, unpaired
from bakeoff.text import latex_text, markdown_text

HOSTILE = [
    r"a_b & 50% of {c} $x^2$ ~ \input{/etc/passwd} #1",
    "<script>alert('x')</script><img src=x onerror=y>",
    "| a | **b** `c` [d](http://e) ![f](g) @all",
    "\x1b[31mred\x1b[0m \u202eback \"quoted\" --- 'single'",
    r"\\ \end{table} \write18{id} % comment",
]


def table(gap: float = 0.03, k: int = 4, n: int = 20, names: list[str] | None = None, folds: int = 1) -> Scores:
    rng = np.random.default_rng(5)
    names = names or ["ada", "bob", "cyd", "dee", "eve", "fay", "gus", "hal", "ivy"][:k]
    base = 0.7 + 0.05 * rng.standard_normal((n, 1, 1))
    values = base + gap * np.arange(k)[None, :, None] + 0.01 * rng.standard_normal((n, k, folds))
    rows = [
        (name, f"task {t}", str(f), values[t, i, f])
        for t in range(n)
        for i, name in enumerate(names)
        for f in range(folds)
    ]
    learner, task, fold, value = zip(*rows, strict=True)
    more = {"fold": fold} if folds > 1 else {}
    return Scores.of(value, learner=learner, task=task, measures={"accuracy": known_measure("accuracy")}, **more)


def tied_at_the_top() -> Verdict:
    rng = np.random.default_rng(2)
    base = 0.7 + 0.05 * rng.standard_normal((30, 1))
    values = base + np.array([0.0, 0.0, -0.05, -0.1]) + 0.01 * rng.standard_normal((30, 4))
    return judge(zoo.table(values, kind="tasks"))


def test_the_whole_group_of_the_best_is_bold_and_never_a_lone_winner() -> None:
    verdict = tied_at_the_top()
    assert best_of(verdict) == {"ada", "bob"}
    bold = re.findall(r"\\textbf\{(\w+)\}", verdict.to_latex(tables=["learners"]))
    assert set(bold) == {"ada", "bob"}
    nothing = judge(zoo.table(np.random.default_rng(3).random((8, 3)), kind="tasks"))
    assert best_of(nothing) == frozenset()
    assert r"\textbf" not in nothing.to_latex(tables=["learners", "tasks"])
    assert "no learner was shown to be better than another" in nothing.to_latex(tables=["learners"])
    alone = judge(table(0.05))
    assert best_of(alone) == {"dee"}


def test_nothing_is_bold_within_a_task() -> None:
    (tasks,) = tables_of(tied_at_the_top(), ["tasks"])
    assert not any(cell.bold for row in tasks.rows[:-1] for cell in row)
    assert [cell.bold for cell in tasks.rows[-1]] == [False, True, True, False, False]


def test_marks_are_about_the_reference() -> None:
    verdict = judge(table(0.05), control="bob")
    assert verdict.control == "bob"
    assert marks_against(verdict, "bob") == {"ada": "†", "cyd": "‡", "dee": "‡"}
    text = verdict.to_latex(tables=["learners"])
    assert r"ada\textsuperscript{\dag{}}" in text
    assert r"dee\textsuperscript{\ddag{}}" in text
    assert "shown to be worse than bob" in text
    chosen = judge(table(0.05)).to_markdown(tables=["learners"], reference="cyd")
    assert "dee**‡" in chosen
    with pytest.raises(UsageError, match="There is no learner 'zoe'"):
        judge(table()).to_latex(reference="zoe")


def test_numbers_of_learners_are_those_of_the_scores() -> None:
    scores = table()
    verdict = judge(scores)
    values = {name: scores.value[scores.learner.codes == i] for i, name in enumerate(scores.learners)}
    for summary in verdict.summaries:
        own = values[summary.learner]
        assert summary.n == len(own) == 20
        assert summary.mean == pytest.approx(own.mean())
        assert summary.sd == pytest.approx(own.std(ddof=1))
        assert summary.median == pytest.approx(np.median(own))
        # The 6th and the 15th of 20 values: R's qbinom(0.025, 20, 0.5) is 6.
        assert (summary.lower, summary.upper) == (np.sort(own)[5], np.sort(own)[14])
    rows = list(csv.DictReader(StringIO(verdict.to_csv("learners"))))
    assert [row["learner"] for row in rows] == list(verdict.ranking)
    assert [float(row["mean"]) for row in rows] == [summary.mean for summary in verdict.summaries]


def test_cells_of_tasks_are_means_and_deviations_of_their_runs() -> None:
    scores = table(folds=5, n=6)
    verdict = judge(scores)
    assert verdict.by_task is not None
    here = (scores.task.codes == 0) & (scores.learner.codes == scores.learners.index(verdict.ranking[0]))
    assert verdict.by_task.means[0][0] == pytest.approx(scores.value[here].mean())
    assert verdict.by_task.sds[0][0] == pytest.approx(scores.value[here].std(ddof=1))
    assert verdict.by_task.runs[0][0] == 5
    (tasks,) = tables_of(verdict, ["tasks"])
    assert re.fullmatch(r"0\.\d{4} ± 0\.\d+", tasks.rows[0][1].text)
    assert "over 5 runs" in tasks.notes[0]


def test_intervals_of_means_are_widened_for_folds_and_left_out_where_nothing_is_known() -> None:
    values = 0.7 + 0.02 * np.random.default_rng(0).standard_normal((10, 2))
    folds = judge(zoo.table(values, kind="kfold"))
    (ada,) = (each for each in folds.summaries if each.learner == "ada")
    half = 2.262157 * values[:, 0].std(ddof=1) * np.sqrt(1 / 10 + 1 / 9)  # t of 9 degrees of freedom
    assert (ada.upper - ada.lower) / 2 == pytest.approx(half, rel=1e-6)
    assert "widened for training data in common" in ada.interval
    answers = judge(zoo.table((values > 0.7).astype(float), kind="instances"))
    assert all("Wilson" in each.interval for each in answers.summaries)
    runs = Scores.of(
        values.ravel(),
        learner=["ada", "bob"] * 10,
        repeat=[str(i) for i in range(10) for _ in range(2)],
        measures={"accuracy": known_measure("accuracy")},
    )
    assert all(each.interval == "" and np.isnan(each.lower) for each in judge(runs).summaries)


@pytest.mark.parametrize("decimals", [[0.5, 0.25, 0.125], [1e-7, 0.5], [12.0, 3.25]])
def test_columns_have_fixed_decimals(decimals: list[float]) -> None:
    from bakeoff.text import column

    shown = [text for text in column(decimals) if "e" not in text]
    assert len({len(text.partition(".")[2]) for text in shown}) == 1
    assert all(float(text) != 0 for text in column(decimals))


# ----------------------------------------------------------------------------------------------------------------------
# JSON, and every other form from it again


def test_a_verdict_is_read_again_and_every_form_made_from_it(tmp_path: Path) -> None:
    for verdict in (judge(table()), tied_at_the_top(), judge(table(folds=3, n=4)), judge(table(k=2, n=3), margin=0.01)):
        again = bakeoff.read_verdict(verdict.save(tmp_path / "verdict.json"))
        assert again == verdict
        assert again.to_dict() == verdict.to_dict()
        for form in ("to_text", "to_latex", "to_markdown", "to_html", "to_bibtex", "methods", "to_csv"):
            assert getattr(again, form)() == getattr(verdict, form)(), form
        assert again.words("paper") == verdict.words("paper")


def test_a_posterior_and_a_single_learner_are_read_again(tmp_path: Path) -> None:
    values = 0.7 + 0.02 * np.random.default_rng(0).standard_normal((10, 3))
    bayes = judge(zoo.table(values, kind="kfold"), "bayes-correlated-t", margin=0.01)
    alone = judge(zoo.table((values[:, :1] > 0.7).astype(float), kind="instances"))
    against = judge(zoo.table((values > 0.7).astype(float), kind="instances"), against=0.2)
    for verdict in (bayes, alone, against):
        again = bakeoff.read_verdict(verdict.save(tmp_path / "verdict.json"))
        assert again.to_dict() == verdict.to_dict()
        assert again.to_markdown() == verdict.to_markdown()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[1]", "it names no schema"),
        ('{"schema": "bakeoff.verdict/9"}', "its schema is 'bakeoff.verdict/9'"),
        ('{"schema": "bakeoff.verdict/1"}', "but is not"),
        ("no json", "is no JSON"),
        ('{"verdicts": []}', "holds 0 verdicts"),
    ],
)
def test_what_is_no_verdict_is_refused_with_a_sentence(text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(bakeoff.InputError, match=re.escape(message)):
        bakeoff.read_verdict(tmp_path / "a.json")
    with pytest.raises(bakeoff.InputError, match="cannot be read"):
        bakeoff.read_verdict(tmp_path / "b.json")


def test_the_ending_says_what_is_written(tmp_path: Path) -> None:
    verdict = judge(table())
    begins = {
        "a.tex": "% \\usepackage", "a.md": "# ada", "a.html": "<!DOCTYPE html>", "a.csv": "planned,first",
        "a.json": "{", "a.bib": "@", "a.txt": "dee is first", "a.svg": "<?xml",
    }  # fmt: skip
    for name, begin in begins.items():
        assert verdict.save(tmp_path / name).read_text("utf-8").startswith(begin)
    with pytest.raises(UsageError, match=r"\.docx is none of them"):
        verdict.save(tmp_path / "a.docx")
    with pytest.raises(UsageError, match="A CSV file holds one table"):
        verdict.save(tmp_path / "a.csv", tables=["learners", "pairs"])
    with pytest.raises(UsageError, match=r"no table 'taks'\. Did you mean 'tasks'"):
        verdict.save(tmp_path / "a.md", tables=["taks"])


# ----------------------------------------------------------------------------------------------------------------------
# Names of others


class Texts(HTMLParser):
    """What a browser would show, and the tags that it would see."""

    def __init__(self) -> None:
        super().__init__()
        self.shown, self.tags = "", set[str]()

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)

    def handle_data(self, data: str) -> None:
        self.shown += data


def test_hostile_names_are_text_in_html() -> None:
    page = Texts()
    page.feed(judge(table(names=HOSTILE, k=5)).to_html())
    assert not page.tags & {"script", "img", "a", "iframe", "link"}
    assert "<script>alert('x')</script><img src=x onerror=y>" in page.shown
    assert "\x1b" not in page.shown


def test_hostile_names_are_text_in_markdown() -> None:
    made = as_markdown(judge(table(names=HOSTILE, k=5)).manuscript())
    rows = [line for line in made.splitlines() if line.startswith("|")]
    for block in re.split(r"\n\n", made):
        lines = [line for line in block.splitlines() if line.startswith("|")]
        cells = {len(re.findall(r"(?<!\\)\|", line)) for line in lines}
        assert len(cells) <= 1, "a name has made columns of its own"
    assert rows
    for name in HOSTILE:
        assert markdown_text(name) in made
    assert not re.search(r"(?<!\\)[<`]|(?<![\\*])\*\*b|@all|\x1b", made)


PREAMBLE = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage{textcomp,booktabs,longtable,graphicx}
\begin{document}
"""


def compiled(text: str, folder: Path, bib: str = "") -> str:
    """The log of pdfLaTeX; a machine without it has nothing to say, unless it is the one that must."""
    if shutil.which("pdflatex") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("pdflatex is missing: scripts/system-packages installs it")
        pytest.skip("pdflatex is not installed; scripts/system-packages would")
    ends = "\n\\bibliographystyle{plain}\\bibliography{refs}" if bib else ""
    (folder / "paper.tex").write_text(f"{PREAMBLE}{text}{ends}\n\\end{{document}}\n", encoding="utf-8")
    (folder / "refs.bib").write_text(bib, encoding="utf-8")
    run = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"]
    for command in [run, *([["bibtex", "paper"], run, run] if bib else [])]:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, errors="replace", timeout=120, check=False
        )
        assert done.returncode == 0, done.stdout[-3000:]
    assert (folder / "paper.pdf").stat().st_size > 10_000
    return done.stdout


def test_no_table_is_wider_than_the_line(tmp_path: Path) -> None:
    answers = (np.random.default_rng(1).random((80, 2)) < [0.6, 0.8]).astype(float)
    log = compiled(judge(zoo.table(answers, kind="instances")).to_latex(), tmp_path)
    assert "Overfull" not in log


def test_many_learners_with_long_names_stay_on_the_page(tmp_path: Path) -> None:
    names = [f"gradient boosting with early stopping, depth {i}" for i in range(1, 14)]
    for n in (9, 50):
        text = judge(table(names=names, k=len(names), n=n)).to_latex()
        assert "(part 1 of 2)." in text
        assert r"\label{tab:tasks-2}" in text
        assert r"\rotatebox{90}{gradient boosting with early stopping, depth 13}" in text
        log = compiled(text, tmp_path)
        assert "in alignment" not in log  # where LaTeX tells that a table is too wide


def test_minus_signs_are_set_as_such_and_hyphens_are_left_alone() -> None:
    assert latex_text("[-0.025, -.5] k-NN v-2 x -3") == (
        r"{[}\ensuremath{-}0.025, \ensuremath{-}.5{]} k-NN v-2 x \ensuremath{-}3"
    )


def test_latex_compiles_with_its_references(tmp_path: Path) -> None:
    verdict = judge(table(k=9, n=60, folds=2), "friedman", adjust="holm")
    assert r"\begin{longtable}" in verdict.to_latex()
    assert r"\resizebox" in verdict.to_latex()
    log = compiled(verdict.to_latex(), tmp_path, verdict.to_bibtex())
    assert "undefined" not in log.lower().replace("label(s) may have changed", "")


def test_hostile_names_compile_as_text(tmp_path: Path) -> None:
    names = [*HOSTILE, "Łódź-naïve–Šidák α≥½"]
    verdict = judge(table(names=names, k=6))
    text = verdict.to_latex()
    assert r"\input{" not in text
    assert r"\write18" not in text
    assert r"\textbackslash{}input\{/etc/passwd\}" in text
    assert "LuaLaTeX" not in text
    compiled(text, tmp_path)
    assert "use LuaLaTeX or XeLaTeX" in judge(table(names=["漢字", "b", "c", "d"])).to_latex()


def test_every_sign_of_latex_is_a_letter() -> None:
    signs = "\\{}$&#%_^~<>|\"`'[]-–—α"
    made = latex_text(signs)
    assert not re.search(r"(?<!\\)[$&#%_^~]", made)
    assert made.startswith(r"\textbackslash{}\{\}\$\&\#\%\_")


def test_all_that_autorank_reports_is_there() -> None:
    """The example of its own documentation: six populations of 50, normal about these means, cut off at 0 and 1."""
    legacy = np.random.RandomState(42)
    values = np.column_stack([legacy.normal(mean, 0.3, 50).clip(0, 1) for mean in (0.2, 0.3, 0.5, 0.8, 0.85, 0.9)])
    populations = tuple(f"pop_{i}" for i in range(6))
    verdict = judge(zoo.table(values, kind="tasks", learners=populations))
    text = verdict.words("paper")
    for said in ("6 learners (pop_0, pop_1", "over 50 tasks", "α = 0.05", "Iman–Davenport F(5, 245) = ", "p < 0.001"):
        assert said in text
    assert all(name in text for name in populations)
    (learners,) = tables_of(verdict, ["learners"])
    assert learners.header[:7] == ("learner", "mean rank", "n", "mean accuracy", "sd", "median", "95 % interval")
    assert "d to the first" in learners.header
    row = next(row for row in learners.data if row[0] == "pop_0")
    assert dict(zip(learners.data_header, row, strict=True))["mean"] == pytest.approx(values[:, 0].mean())
    best = values[:, populations.index(verdict.ranking[0])] - values[:, 0]
    effect = dict(zip(learners.data_header, row, strict=True))["effect"]
    assert effect == pytest.approx(best.mean() / best.std(ddof=1))
    assert verdict.groups is not None
    assert {"pop_3", "pop_4", "pop_5"} <= set(verdict.groups[0])
    assert r"\toprule" in verdict.to_latex()
    assert verdict.plot().to_frame() is not None


# ----------------------------------------------------------------------------------------------------------------------
# The command line


def test_compare_writes_what_the_ending_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from bakeoff.cli import main

    file = Path(bakeoff.__file__).parent / "data" / "dietterich2000.csv"
    for ending in ("tex", "md", "html", "csv", "bib", "txt", "json"):
        target = tmp_path / f"table.{ending}"
        assert main(["compare", str(file), "--measure", "error", "-o", str(target)]) == 0
    assert "\\toprule" in (tmp_path / "table.tex").read_text()
    assert (tmp_path / "table.csv").read_text().count("\n") == 7
    kept = str(tmp_path / "table.json")
    assert main(["compare", kept, "-o", str(tmp_path / "again.tex")]) == 0
    assert (tmp_path / "again.tex").read_text() == (tmp_path / "table.tex").read_text()
    assert main(["compare", kept]) == 0
    assert capsys.readouterr().out.strip() == (tmp_path / "table.txt").read_text().strip()
    assert main(["compare", str(file), "--measure", "error", "-o", str(tmp_path / "x.docx")]) == 2
    assert "none of them" in capsys.readouterr().err
    assert main(["compare", str(file), "--measure", "error", "--table", "p", "-o", str(tmp_path / "p.csv")]) == 0
    assert (tmp_path / "p.csv").read_text().startswith("learner,AdaBoosted C4.5")
    assert main(["compare", str(file), "--measure", "error", "--style", "paper"]) == 0
    assert "We compared 4 learners" in " ".join(capsys.readouterr().out.split())
    assert main(["analyse", str(file), "--measure", "error", "--with", "friedman", "-o", str(tmp_path / "f.tex")]) == 0
    assert "Friedman" in (tmp_path / "f.tex").read_text()


def test_the_schema_is_the_one_in_the_docs_and_verdicts_keep_it() -> None:
    import jsonschema

    from bakeoff.reports.files import verdict_schema

    schema = verdict_schema()
    page = Path(__file__).parents[2] / "docs" / "verdict-schema.json"
    assert json.loads(page.read_text()) == schema, "write it anew: make docs"
    jsonschema.Draft202012Validator.check_schema(schema)
    check = jsonschema.Draft202012Validator(schema)
    values = 0.7 + 0.02 * np.random.default_rng(0).standard_normal((10, 3))
    bayes = judge(zoo.table(values, kind="kfold"), "bayes-correlated-t", margin=0.01)
    for verdict in (judge(table()), bayes, judge(table(), alternative="better", control="ada")):
        check.validate(json.loads(verdict.to_json()))
    broken = json.loads(bayes.to_json()) | {"decisions": [{"first": 1}]}
    assert not check.is_valid(broken)


def test_a_paper_gives_statistics_and_claims_no_more_than_was_tested() -> None:
    rng = np.random.default_rng(4)
    runs = zoo.table(0.3 - 0.1 * np.arange(2) + 0.01 * rng.standard_normal((10, 2)), kind="kfold", name="error")
    pair = judge(runs).words("paper")
    assert re.search(r"bob is better than ada \(difference 0\.\d+, 95 % CI \[0\.\d+, 0\.\d+\], t\(9\) = \d", pair)
    values = 0.3 * rng.random((14, 1)) + 0.1 * np.arange(3) + 0.01 * rng.standard_normal((14, 3))
    ranks = judge(zoo.table(values, kind="tasks"), "friedman").words("paper")
    assert "has a better mean rank, among these learners, than" in ranks
    assert "is better than" not in ranks
    assert "(difference in mean rank 2" in ranks


def test_the_p_of_a_claim_about_the_margin_is_that_of_the_margin() -> None:
    rng = np.random.default_rng(9)
    verdict = judge(zoo.table(0.8 + 0.01 * rng.standard_normal((14, 2)), kind="tasks"), margin=0.05)
    (only,), (against,) = verdict.decisions, verdict.finding.relevance
    assert only.decision.value == "equivalent"
    assert only.row.p > 0.05 > against.equivalent_adjusted
    words = verdict.words("paper")
    assert "are equivalent within the margin" in words
    assert f"one-sided p {'< 0.001' if against.equivalent_adjusted < 0.001 else '= '}" in words


def test_methods_tell_what_was_done_to_the_scores_and_leave_out_what_was_not() -> None:
    rng = np.random.default_rng(2)
    values = rng.random((9, 3))
    values[2, 1] = np.nan
    verdict = judge(zoo.table(values, kind="tasks"), missing="drop-block")
    assert "1 block without a value for every learner was left out: " in verdict.methods()
    assert verdict.finding.details["exact"]
    assert "resamples" not in verdict.methods()
    alone = judge(zoo.table(rng.random((10, 1)), kind="kfold"))
    assert "no hypothesis is tested" in alone.methods()
    probable = judge(zoo.table(rng.random((12, 2)), kind="tasks"), "bayes-sign", margin=0.05)
    assert "no null hypothesis is tested: the answer is how probable" in probable.methods()
    ranked = judge(zoo.table(rng.random((12, 2)), kind="tasks"), "wilcoxon")
    assert "Settings: zeros = split (what becomes of zero differences)." in ranked.methods()


def test_rates_of_two_test_samples_cover_instances_and_say_how_many() -> None:
    counts = bakeoff.read_scores(pd.DataFrame({"learner": ["a", "b"], "correct": [80, 70], "n_test": [100, 120]}))
    verdict = judge(unpaired(counts))
    assert verdict.words("paper").startswith(
        "We compared 2 learners (a and b) by accuracy (larger is better) on 100 and"
    )
    assert "the conclusion covers test instances; it does not cover training samples" in verdict.methods()
