"""What the columns of a file are, where names alone do not tell: runs, answers to one item, clusters, times.

A table is prepared before its headers are read: columns that the user ignores go, labels such as Fold01.Rep01 become a
repeat and a fold, several columns of runs become one, and items, clusters and times are told apart by what they hold.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from bakeoff.errors import UsageError, nearest
from bakeoff.measures import known_measure
from bakeoff.measures.measure import canonical_name, normalise_name
from bakeoff.scores.design import RunDesign, Runs
from bakeoff.scores.reading.cells import times_of
from bakeoff.scores.reading.choices import tested_rows, without_spreads, without_summaries
from bakeoff.scores.reading.headers import (
    KEYS,
    LONG_ROLES,
    SIZES,
    matching,
    role_of,
    weak_role_of,
)
from bakeoff.scores.reading.raw import RawTable, at_rows, is_missing, is_number, parse_numbers
from bakeoff.scores.reading.shape import melted, prediction_columns, spread_predictions
from bakeoff.scores.table import Labels, frozen, tasks_in_groups, tasks_named_alike
from bakeoff.text import CodedWarning, listing

# Compared without case, blanks and punctuation, as in `headers`.
_NAMES = {
    # Several answers to one item: a further column beside the item. Alone, some of these number items or runs.
    "answer": (
        "epoch epochs attempt attempt_id generation generation_id completion completion_id rollout rollout_id sample "
        "sample_id sample_idx sample_index trial trial_id try"
    ),
    # In how many ways one item was put or judged: answers, where each item has several of them.
    "aspect": (
        "judge judge_id judge_model judge_name rater rater_id annotator annotator_id evaluator evaluator_id grader "
        "grader_id assessor assessor_id reviewer reviewer_id coder worker worker_id template template_id template_name "
        "prompt_template prompt_template_id prompt_variant prompt_version prompt_style prompt_type prompt_name "
        "phrasing paraphrase paraphrase_id rephrasing variation perturbation language lang locale turn turn_id "
        "subtask sub_task subtask_id subtask_name"
    ),
    # What several items are about, or come from: they are alike, so that a cluster tells less than as many items.
    "cluster": (
        "cluster cluster_id group group_id passage passage_id paragraph paragraph_id context context_id story story_id "
        "article article_id document document_id doc doc_id subject subject_id patient patient_id participant "
        "participant_id person person_id speaker speaker_id user user_id author author_id video video_id repo "
        "repository conversation conversation_id session session_id dialogue dialogue_id template template_id family "
        "family_id site site_id hospital hospital_id topic topic_id scene scene_id image_id source_id"
    ),
    # What may as well be a fixed list of kinds, or have nothing to do with the answers.
    "kind": (
        "category categories domain type kind level difficulty language lang source section chapter subset school "
        "genre skill area field stratum subject_area grade tag"
    ),
    "time": (
        "time date timestamp datetime day week month quarter year hour period ds t time_step cutoff cutoff_date "
        "forecast_date origin window window_id"
    ),
}
_ANSWERS, _ASPECTS, _CLUSTERS, _KINDS, _TIMES = (frozenset(names.split()) for names in _NAMES.values())
_SAMPLED = _ANSWERS - {"epoch", "epochs", "trial", "trial_id"}  # an epoch of a task is a point of its training
FEWEST_CLUSTERS = 3


def names_items_in_common(name: str) -> bool:
    """Whether a header names what several instances have in common, and hence no learner.

    >>> names_items_in_common("Passage"), names_items_in_common("category"), names_items_in_common("svm")
    (True, True, False)
    """
    return normalise_name(name) in _CLUSTERS or normalise_name(name) in _KINDS


def prepare(
    table: RawTable, *, ignore: Sequence[str] = (), cluster: str | None = None, strata: str | None = None
) -> RawTable:
    """The table with its roles settled as far as the cells tell, and with doubts where they do not."""
    table = _with_doubtful_samples(tested_rows(_without(table, ignore)))
    _refuse_numbers_for_names(table)
    table = spread_predictions(
        _in_numbers(melted(table)),
        lambda name: names_items_in_common(name) or name in (cluster, strata) or normalise_name(name) in _TIMES,
    )
    table = _with_scored_predictions(table)
    table = without_spreads(without_summaries(table))
    _refuse_numbered_learners(table)
    table = _with_runs_in_names(_with_parsed_folds(table))
    table = _with_declared(table, cluster, strata)
    table = _with_named_rows(_with_answers_to_tasks(table))
    items = _items_of(table)
    if len(items) > 1:
        table = _with_finer_items(table, items)
    elif len(_named(table, "instance")) > 1:
        table = replace(table, roles={**table.roles, "instance": items[0]})
    table = _with_runs(table)
    if not table.roles.get("instance") and not _named(table, "instance"):
        table = _in_order_of_time(table)
    return _with_clusters(table)


_SAMPLE = re.compile(r"samples?(_id|_no|_nr|_number)?")
_OF_MANY_ROWS = ("accuracy", "error", "balanced_accuracy", "auc", "pr_auc", "mcc", "kappa", "specificity", "r2")


def _with_doubtful_samples(table: RawTable) -> RawTable:
    """A doubt where scores that single items cannot have stand beside "sample": it may number bootstrap samples."""
    name = next((name for name in table.names if _SAMPLE.fullmatch(normalise_name(name))), None)
    if name is None or table.roles or any(_named(table, role) for role in ("repeat", "fold", "split", "truth")):
        return table
    for measure in table.names:
        if canonical_name(measure) not in _OF_MANY_ROWS or not table.holds_numbers(measure):
            continue
        column = table.column(measure)
        values = parse_numbers(column.labels)[0] if isinstance(column, Labels) else column.astype(float)
        if bool((np.isin(values, (0.0, 1.0)) | np.isnan(values)).all()):
            continue
        doubt = CodedWarning(
            "samples-or-items",
            f"{name!r} is taken for single test items, but {measure!r} has values between right and wrong. If it "
            "numbers bootstrap samples or random splits of one data set, these overlap, and far more is claimed than "
            "they bear.",
            f"Say --columns repeat={name} if they are such samples, or --columns instance={name} if each is an item of "
            "its own (in Python columns=).",
        )
        return replace(table, doubts=(*table.doubts, doubt))
    return table


def _named(table: RawTable, role: str) -> list[str]:
    """The columns that name a role, with what was settled before."""
    if role in table.roles:
        return [table.roles[role]]
    settled = set(table.roles.values())
    return [name for name in table.names if role_of(name) == role and name not in settled]


def _without(table: RawTable, ignore: Sequence[str]) -> RawTable:
    for wanted in ignore:
        names = matching(wanted, table.names)
        if not names:
            raise UsageError(
                f"There is no column {wanted!r} to ignore in {table.source}. {nearest(wanted, table.names)}"
            )
        for name in names:
            table = table.without(name)
    return replace(table, notes=(*table.notes, f"ignored, as you said: {listing(list(ignore))}")) if ignore else table


def _refuse_numbers_for_names(table: RawTable) -> None:
    """A file without a header would lose its first row, and its numbers would be learners."""
    names = [name for name in table.names if name]
    if names and all(is_number(name, decimal_comma=table.decimal_comma) for name in names):
        raise table.error(
            f"The first line holds numbers ({listing(names, most=4)}) where the names of columns were expected. Put a "
            "header line first that says whose scores these are."
        )
    scores = [name for name in names[1:] if is_number(name) and not name.strip().lstrip("+-").isdigit()]
    if len(names) > 1 and len(scores) == len(names) - 1:
        raise table.error(
            f"The first line holds scores ({listing(names, most=4)}) where the names of columns were expected. Put a "
            "header line first, such as: dataset,learner-1,learner-2."
        )


def _in_numbers(table: RawTable) -> RawTable:
    """Scores such as 81.2% as numbers; beside a truth they may be labels, and stay."""
    if any(role_of(name) == "truth" for name in table.names):
        return table
    for name in table.names:
        column = table.column(name)
        if not isinstance(column, Labels) or role_of(name) not in (None, "value") or weak_role_of(name) or not name:
            continue
        cells = [label.strip().lower() for label in column.labels]
        filled = [cell for cell in cells if not is_missing(cell)]
        if not filled or not all(cell.endswith("%") and is_number(cell[:-1]) for cell in filled):
            continue
        numbers = [float(cell[:-1]) if not is_missing(cell) else np.nan for cell in cells]
        values = frozen(np.array(numbers)[column.codes])
        note = f"column {name!r} is in per cent"
        table = replace(table.with_column(name, values), notes=(*table.notes, note))
    return table


def _with_scored_predictions(table: RawTable) -> RawTable:
    """A row a prediction, with its learner and the truth beside it: right or wrong, or a squared error."""
    role, column = prediction_columns(table)
    if column is None:
        return table
    truth, prediction = table.labels(role["truth"]), table.labels(column)
    names = tuple(name for name in table.names if name not in (role["truth"], column))
    kept = tuple(table.column(name) for name in names)
    if set(prediction.labels) <= set(truth.labels):
        same = np.array([*truth.labels, ""])[truth.codes] == np.array([*prediction.labels, ""])[prediction.codes]
        score, values = "accuracy", same.astype(float)
    elif table.holds_numbers(role["truth"]) and table.holds_numbers(column):
        score = "squared_error" if column == role.get("prediction") else "brier"
        numbers = table.numbers(column)
        values = (table.numbers(role["truth"]) - numbers) ** 2
        outside = (numbers < 0) | (numbers > 1)
        if score == "brier" and (not set(truth.labels) <= {"0", "1"} or bool(outside.any())):
            return table
    else:
        return table
    note = f"{column!r} is scored against {role['truth']!r} by {score}"
    return replace(table, names=(*names, score), columns=(*kept, frozen(values)), notes=(*table.notes, note))


def _refuse_numbered_learners(table: RawTable) -> None:
    """Learners that are called 0.1 and 0.2, or 1 and 2, are settings or numbers of something; ids may be numbers."""
    named = _named(table, "learner")
    if len(named) != 1 or normalise_name(named[0]).endswith(("_id", "flow")):
        return
    labels = table.labels(named[0]).labels
    if len(labels) > 1 and all(is_number(label, decimal_comma=table.decimal_comma) for label in labels):
        raise table.error(
            f"The column holds numbers only ({listing(list(labels), most=4)}), which name no learner. Write names, "
            f"such as svm or m1; if they are ids, call the column {named[0]}_id.",
            column=named[0],
        )


# ----------------------------------------------------------------------------------------------------------------------
# Runs and folds.


_FOLD_FIRST = re.compile(r"fold\W*_*0*(\d+)[\W_]*(?:rep|repeat|run)\W*_*0*(\d+)", re.IGNORECASE)
_REPEAT_FIRST = re.compile(r"(?:rep|repeat|run)\W*_*0*(\d+)[\W_]*(?:fold|cv)\W*_*0*(\d+)", re.IGNORECASE)


def _with_parsed_folds(table: RawTable) -> RawTable:
    """caret's Fold01.Rep01, rep1_fold2 and the like, as a repeat and a fold; rsample's Repeat1 and Fold01, in two ids.

    mlr3 names its scheme in a column of its own: of plain cross-validation the iterations are the folds.
    """
    for name in table.names:
        if role_of(name) not in ("fold", "split") or _named(table, "repeat"):
            continue
        labels = table.labels(name)
        parsed = [each for label in labels.labels if (each := _repeat_and_fold(label)) is not None]
        if not parsed or len(parsed) < len(labels.labels):
            continue
        repeat, fold = (Labels.of(each[i] for each in parsed) for i in (0, 1))
        table = _with_column(table, f"{name}: repeat", Labels(repeat.labels, frozen(repeat.codes[labels.codes])))
        own = Labels(fold.labels, frozen(fold.codes[labels.codes]))
        table = _with_column(table, f"{name}: fold", own, without=[name])
        return replace(
            table,
            roles={**table.roles, "repeat": f"{name}: repeat", "fold": f"{name}: fold"},
            notes=(*table.notes, f"labels of column {name!r} ({labels.labels[0]}) read as repeat and fold"),
        )
    for name in table.names:
        role = _role_of_labels(table, name)
        if role is not None and not _named(table, role):
            note = f"labels of column {name!r} ({table.labels(name).labels[0]}) read as {role}"
            table = replace(table, roles={**table.roles, role: name}, notes=(*table.notes, note))
    scheme = next((name for name in table.names if normalise_name(name) == "resampling_id"), None)
    splits = _named(table, "split")
    if scheme is not None and len(splits) == 1 and table.labels(scheme).labels == ("cv",) and not _named(table, "fold"):
        table = replace(table, roles={**table.roles, "fold": splits[0]})
    return table


_NUMBERED = re.compile(r"(.*?)[\W_]*\d+")


def _role_of_labels(table: RawTable, name: str) -> str | None:
    """The role that all labels of a column name, as Fold01 and Bootstrap07 do, where its header is a split or an id."""
    if role_of(name) != "split" and normalise_name(name) not in ("id", "id2"):
        return None
    labels = table.labels(name).labels
    words = {match[1] if (match := _NUMBERED.fullmatch(label.strip())) else "" for label in labels}
    role = role_of(words.pop()) if len(words) == 1 else None
    return role if role in ("repeat", "fold", "split") and role != role_of(name) else None


def _repeat_and_fold(label: str) -> tuple[str, str] | None:
    """
    >>> _repeat_and_fold("Fold01.Rep03"), _repeat_and_fold("rep1_fold2"), _repeat_and_fold("Resample07")
    (('3', '1'), ('1', '2'), None)
    """
    if match := _FOLD_FIRST.fullmatch(label.strip()):
        return match[2], match[1]
    if match := _REPEAT_FIRST.fullmatch(label.strip()):
        return match[1], match[2]
    return None


_RUN_IN_NAME = re.compile(
    r"(.+?)[\W_]+(cv[\W_]?fold|fold|seed|split|resample|bootstrap|repeat|rep|run|trial)[\W_]*(\d+)", re.IGNORECASE
)


def _with_runs_in_names(table: RawTable) -> RawTable:
    """Learners called bert_seed0, bert_seed1, … or tasks called iris_fold1, iris_fold2, …, as names and their runs.

    Each would count as a learner or a data set of its own otherwise.
    """
    for role in ("learner", "task"):
        named = _named(table, role)
        if len(named) != 1:
            continue
        labels = table.labels(named[0])
        matches = [match for label in labels.labels if (match := _RUN_IN_NAME.fullmatch(label.strip()))]
        words = {match[2].lower() for match in matches}
        whose = Counter(match[1] for match in matches)
        if len(matches) < len(labels.labels) or len(words) != 1 or min(whose.values()) < 2:
            continue
        word = words.pop()
        own = role_of(word)
        if own is None or _named(table, own) or (role == "learner" and len(whose) < 2):
            continue
        names, numbers = Labels.of(match[1] for match in matches), Labels.of(match[3] for match in matches)
        table = table.with_column(named[0], Labels(names.labels, frozen(names.codes[labels.codes])))
        table = _with_column(table, word, Labels(numbers.labels, frozen(numbers.codes[labels.codes])))
        note = f"labels of column {named[0]!r} ({labels.labels[0]}) read as {role} and {word}"
        table = replace(table, roles={**table.roles, own: word}, notes=(*table.notes, note))
    return table


def _with_runs(table: RawTable) -> RawTable:
    """One column of repeats, from those that number seeds, runs, splits and answers."""
    table = _without_ids_of_rows(table)
    items = _named(table, "instance")
    splits = [name for name in _named(table, "split") if _varies(table, name)]
    repeats = [name for name in _named(table, "repeat") if _varies(table, name)] or _named(table, "repeat")[:1]
    answers = []
    if items:
        taken = {*items, *repeats, *table.roles.values()}
        answers = [name for name in table.names if normalise_name(name) in _ANSWERS and name not in taken]
        answers += [name for name in table.names if name not in taken and _is_aspect(table, name, items[0])]
        answers = [name for name in answers if _varies(table, name)]
    elif not repeats and not splits and not _named(table, "fold"):
        answers = _aspects_of_tasks(table)
    if len(repeats) > 1 and not items:
        return table  # either may be meant: the reader of the headers asks
    runs = [*repeats, *(name for name in (*splits, *answers) if name not in repeats)]
    if not runs or runs == _named(table, "repeat"):
        return table
    notes = table.notes
    if len(runs) == 1:
        table = replace(table, roles={**table.roles, "repeat": runs[0]})
        if runs == answers and role_of(runs[0]) != "repeat":
            of = "answers to an item" if items else "scores on a task"
            if normalise_name(runs[0]) in _ASPECTS:
                table = replace(table, splitting=replace(table.splitting, shared=runs[0]))
            notes = (*notes, f"column {runs[0]!r} read as repeat: it tells several {of} apart")
        if runs == splits and not items and not table.of_scorers:  # a search has a split for each fold, as a rule
            table = replace(table, splitting=replace(table.splitting, called=runs[0]))
    else:
        name = " × ".join(runs)
        table = _with_column(table, name, _joined([table.labels(each) for each in runs]), without=runs)
        table = replace(table, roles={**table.roles, "repeat": name})
        notes = (*notes, f"columns {listing([repr(each) for each in runs])} number the runs together")
    return _with_sizes(replace(table, notes=notes), splits)


def _is_aspect(table: RawTable, name: str, items: str) -> bool:
    """Whether a column tells in which way an item was put or judged: by its name, and with several for an item."""
    if normalise_name(name) not in _ASPECTS or not _named(table, "learner"):
        return False
    return not _within(table.labels(items), table.labels(name))


def _aspects_of_tasks(table: RawTable) -> list[str]:
    """The column that tells several scores of a learner on a task apart by its language, its prompt or its parts."""
    tasks = _named(table, "task")
    if len(tasks) != 1 or not _varies(table, tasks[0]) or not _named(table, "learner"):
        return []
    keys = [table.labels(each) for role in ("learner", "task", "measure") for each in _named(table, role)[:1]]
    if _count(keys) == table.n_rows:
        return []
    names = [name for name in table.names if normalise_name(name) in _ASPECTS and name not in table.roles.values()]
    return [name for name in names if _count([*keys, table.labels(name)]) == table.n_rows][:1]


def _without_ids_of_rows(table: RawTable) -> RawTable:
    """The table without columns such as run_id that have a label for each row, where cells are told apart anyway."""
    for name in _named(table, "repeat"):
        if len(table.labels(name).labels) < table.n_rows or not normalise_name(name).endswith(("_id", "id", "_number")):
            continue
        others = [table.labels(each) for role in ("learner", *KEYS, "measure", "split") for each in _named(table, role)]
        others = [column for column in others if column.codes is not table.labels(name).codes]
        others = [column for column in others if len(column.labels) < table.n_rows]
        if others and _count(others) == table.n_rows:
            note = f"column {name!r} names the rows, and is left out"
            table = replace(table.without(name), notes=(*table.notes, note))
    return table


def _with_sizes(table: RawTable, splits: Sequence[str]) -> RawTable:
    """Random splits, where runs come with the sizes of training and test sets, or the share that is tested on."""
    sizes = {role: name for name in table.names if (role := role_of(name)) in SIZES}
    runs = [*_named(table, "repeat"), *splits]
    if not runs or _named(table, "instance") or _named(table, "fold") or not _varies(table, runs[0]):
        return table
    shares = [name for name in sizes.values() if table.holds_numbers(name)]
    shares = [name for name in shares if bool(((table.numbers(name) > 0) & (table.numbers(name) < 1)).all())]
    tested = sizes.get("n_test")
    if shares and tested in shares and len(shares) == len(sizes):
        share = float(np.mean(table.numbers(tested)))
        learned = float(np.mean(table.numbers(sizes["n_train"]))) if "n_train" in sizes else 1 - share
        for name in shares:
            table = table.without(name)
        note = f"column {tested!r} read as the share of rows that random splits test on"
        splitting = RunDesign(Runs.RANDOM_SPLITS, share / learned)
        return replace(table, splitting=splitting, notes=(*table.notes, note))
    if len(sizes) == len(SIZES):
        unless = "" if splits else " (say --runs fixed-split if all used one split)"
        note = f"column {runs[0]!r} read as random splits, of the sizes given{unless}"
        return replace(table, splitting=RunDesign(Runs.RANDOM_SPLITS), notes=(*table.notes, note))
    return table


def _varies(table: RawTable, name: str) -> bool:
    return len(table.labels(name).labels) > 1


def _with_column(table: RawTable, name: str, column: Labels, without: Iterable[str] = ()) -> RawTable:
    gone = set(without)
    kept = [i for i, other in enumerate(table.names) if other not in gone]
    return replace(
        table,
        names=(*(table.names[i] for i in kept), name),
        columns=(*(table.columns[i] for i in kept), column),
    )


def _joined(columns: Sequence[Labels]) -> Labels:
    """The combinations of labels as one column."""
    if len(columns) == 1:  # labels of many items are not spelled out once more
        return columns[0]
    code = np.zeros(len(columns[0]), dtype=np.intp)
    for column in columns:
        code = np.unique(code * len(column.labels) + column.codes, return_inverse=True)[1]
    _, first = np.unique(code, return_index=True)
    order = np.argsort(first, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    texts = tuple(" / ".join(column.labels[column.codes[row]] for column in columns) for row in first[order])
    return Labels(texts, frozen(rank[code].astype(np.intp)))


# ----------------------------------------------------------------------------------------------------------------------
# Items, and the clusters that they lie in.


def _with_answers_to_tasks(table: RawTable) -> RawTable:
    """Samples of each of many tasks, as in HumanEval, are answers; and OpenML's samples are training sets that grow."""
    items, tasks = _named(table, "instance"), _named(table, "task")
    numbered = [name for name in table.names if normalise_name(name) in _SAMPLED and role_of(name) is None]
    if not items and len(numbered) == len(tasks) == 1 and not any(_named(table, role) for role in ("repeat", "fold")):
        note = f"column {numbered[0]!r} read as repeat: it numbers the answers to each task"
        return replace(table, roles={**table.roles, "repeat": numbered[0]}, notes=(*table.notes, note))
    if len(items) != 1 or normalise_name(items[0]) not in _ANSWERS or "learner" not in map(role_of, table.names):
        return table
    answers = table.labels(items[0])
    if _named(table, "repeat") and _named(table, "fold") and len(answers.labels) > 1:
        folds = [table.labels(each) for role in ("task", "repeat", "fold") for each in _named(table, role)]
        if normalise_name(items[0]) == "sample" and _count([*folds, answers]) == _count(folds) * len(answers.labels):
            raise table.error(
                f"Each fold has the samples {listing(list(answers.labels), most=4)}, as in OpenML's learning curves, "
                "where they number training sets of growing size. Keep the rows of one of them; if they are test "
                "instances, call the column 'instance'.",
                column=items[0],
            )
    if len(tasks) == 1 and len(table.labels(tasks[0]).labels) > len(answers.labels) > 1:
        return replace(table, roles={**table.roles, "repeat": items[0]}) if not _named(table, "repeat") else table
    return table


def _with_named_rows(table: RawTable) -> RawTable:
    """A column "id" of a long table as the instances, if it tells rows apart that nothing else does."""
    if _named(table, "instance") or not _named(table, "learner"):
        return table
    keys = [table.labels(each) for role in ("learner", *KEYS, "measure", "split") for each in _named(table, role)[:1]]
    if _count(keys) == table.n_rows:
        return table
    for name in _units(table, keys):
        note = f"column {name!r} read as instance: each learner has one score on each"
        return replace(table, roles={**table.roles, "instance": name}, notes=(*table.notes, note))
    for name in table.names:
        rows = weak_role_of(name) == "row" and name not in table.roles.values()
        if not rows or not _varies(table, name) or len(table.labels(name).labels) == table.n_rows:
            continue
        answers = [table.labels(each) for each in table.names if normalise_name(each) in _ANSWERS]
        if _count([*keys, *answers, table.labels(name)]) == table.n_rows:
            note = f"column {name!r} read as instance"
            return replace(table, roles={**table.roles, "instance": name}, notes=(*table.notes, note))
    return table


def _units(table: RawTable, keys: Sequence[Labels]) -> list[str]:
    """The column of subjects, topics or patients, where a learner has one score for each of them: then it is no cluster
    of rows, but what the rows are."""
    if "cluster" in table.roles or any(_named(table, role) for role in ("repeat", "fold", "split")):
        return []
    names = [name for name in table.names if normalise_name(name) in _CLUSTERS - {"cluster", "cluster_id"}]
    names = [name for name in names if role_of(name) is None and name not in table.roles.values()]
    return [name for name in names if _count([*keys, table.labels(name)]) == table.n_rows][:1]


def _items_of(table: RawTable) -> list[str]:
    """The columns that number items; of several, not those that number answers to one."""
    names = _named(table, "instance")
    items = [name for name in names if normalise_name(name) not in _ANSWERS]
    return items or names


def _with_finer_items(table: RawTable, items: Sequence[str]) -> RawTable:
    """Of two columns of items, such as question and document, the coarser is what the finer lies in."""
    finest = max(items, key=lambda name: (normalise_name(name) not in _CLUSTERS, len(table.labels(name).labels)))
    others = [name for name in items if name != finest]
    if len(others) != 1 or "cluster" in table.roles:
        return table
    by_name = normalise_name(others[0]) in _CLUSTERS
    if not by_name and not _within(table.labels(finest), table.labels(others[0])):
        return table  # the reader of the headers says that both look like the instance
    return replace(table, roles={**table.roles, "instance": finest, "cluster": others[0]}, cluster_is_taken=True)


def _within(item: Labels, cluster: Labels) -> bool:
    """Whether each item lies in one cluster."""
    pairs = item.codes * np.intp(len(cluster.labels)) + cluster.codes
    return len(np.unique(pairs)) == len(np.unique(item.codes))


def _with_declared(table: RawTable, cluster: str | None, strata: str | None) -> RawTable:
    """The column of clusters or strata that the user names."""
    if cluster is not None and strata is not None:
        raise UsageError(
            "Clusters are a sample of such clusters, strata a fixed list that the conclusion is about: say "
            "--cluster or --strata, not both."
        )
    wanted = cluster if cluster is not None else strata
    if wanted is None:
        fixed = [name for name in table.names if normalise_name(name) == "strata"]
        return replace(table, roles={**table.roles, "cluster": fixed[0]}, strata=True) if fixed else table
    names = matching(wanted, table.names)
    if len(names) != 1:
        raise UsageError(f"There is no column {wanted!r} in {table.source}. {nearest(wanted, table.names)}")
    return replace(table, roles={**table.roles, "cluster": names[0]}, strata=strata is not None)


def _with_clusters(table: RawTable) -> RawTable:
    """Clusters by their name, items that are numbered anew in each of them, and doubts about what may be clusters."""
    items = _named(table, "instance")
    if "cluster" not in table.roles:
        names = [name for name in table.names if normalise_name(name) in _CLUSTERS and name not in items]
        names = [name for name in names if name not in table.roles.values() and role_of(name) not in LONG_ROLES]
        names = [name for name in names if _varies(table, name)]
        # What has a row of its own is no cluster but the row's name.
        names = [name for name in names if _is_coarser(table, name, items)]
        if not names:
            return _with_doubts(table, items)
        declared = [name for name in names if normalise_name(name) in ("cluster", "cluster_id")]
        chosen = max(declared or names, key=lambda name: -len(table.labels(name).labels))
        table = replace(table, roles={**table.roles, "cluster": chosen}, cluster_is_taken=not declared)
    name = table.roles["cluster"]
    if items and not _within(table.labels(items[0]), table.labels(name)):
        keys = [table.labels(each) for role in ("learner", *KEYS, "measure") for each in _named(table, role)[:1]]
        cells, n = _count([*keys]), table.n_rows
        if cells < n == _count([*keys, table.labels(name)]):
            own = f"{name} / {items[0]}"
            joined = _joined([table.labels(name), table.labels(items[0])])
            table = _with_column(table, own, joined, without=items)
            note = f"column {items[0]!r} numbers the instances anew in each {name!r}"
            return replace(table, roles={**table.roles, "instance": own}, notes=(*table.notes, note))
    return table


def _is_coarser(table: RawTable, name: str, items: Sequence[str]) -> bool:
    """Whether a column can be one of clusters: fewer labels than items."""
    of = len(table.labels(items[0]).labels) if items else table.n_rows
    labels = len(table.labels(name).labels)
    if items and not _within(table.labels(items[0]), table.labels(name)):
        return True  # items may be numbered anew in each cluster; otherwise it is refused as contradicting itself
    return labels < of


def _count(columns: Sequence[Labels]) -> int:
    code = np.zeros(len(columns[0]), dtype=np.intp)
    for column in columns:
        code = np.unique(code * len(column.labels) + column.codes, return_inverse=True)[1]
    return int(code.max()) + 1


def _with_doubts(table: RawTable, items: Sequence[str]) -> RawTable:
    """A warning about columns of a long table without a role that divide the items as clusters would."""
    tasks = _named(table, "task")
    if not _named(table, "learner") or not (items or tasks):
        return table  # of other tables the learners' columns must be known first
    names = [name for name in table.names if name and role_of(name) not in LONG_ROLES and not known_measure(name)]
    names = [name for name in names if name not in table.roles.values()]
    if not items:
        return replace(table, doubts=(*table.doubts, *task_doubts(table, table.labels(tasks[0]), names)))
    item = _joined([table.labels(name) for name in (*tasks[:1], items[0])])  # ids begin anew in each task
    return replace(table, doubts=(*table.doubts, *cluster_doubts(table, item, names)))


def cluster_doubts(
    table: RawTable, item: Labels, names: Sequence[str], recurring: Sequence[str] = ()
) -> tuple[CodedWarning, ...]:
    """A warning about those of some columns that divide the items as clusters would, and about names that recur."""
    looks = [*recurring, *(name for name in names if _may_divide(table.labels(name), item))]
    if not looks:
        return ()
    doubt = CodedWarning(
        "unknown-clusters",
        f"{listing([repr(name) for name in looks])} may be what several instances have in common. If so, they are no "
        "independent draws, and more is claimed than they bear.",
        f"Say --cluster {looks[0]} if these are a sample of such groups, --strata {looks[0]} if they are a fixed list, "
        f"or --ignore {looks[0]} if they have nothing to do with the answers (in Python cluster=, strata=, ignore=).",
    )
    return (doubt,)


def task_doubts(table: RawTable, task: Labels, names: Sequence[str]) -> tuple[CodedWarning, ...]:
    """A warning about those of some columns that are named after groups and divide the tasks as such.

    Other columns are facts about data sets, as their number of classes, and stand beside scores in many tables. The
    names of tasks may tell of groups as well, as monk1, monk2, letter1, letter2 do.
    """
    looks = [name for name in names if names_items_in_common(name) and _may_divide(table.labels(name), task)]
    if looks:
        return (tasks_in_groups(looks[0], len(task.labels), len(table.labels(looks[0]).labels)),)
    matches = [match for label in task.labels if (match := _NUMBERED.fullmatch(label.strip()))]
    stems = Counter(match[1] for match in matches)
    if len(matches) < len(task.labels) or len(stems) < FEWEST_CLUSTERS or min(stems.values()) < 2:
        return ()
    return (tasks_named_alike(list(stems), len(task.labels)),)


def _may_divide(labels: Labels, item: Labels) -> bool:
    few = FEWEST_CLUSTERS <= len(labels.labels) <= len(item.labels) // 2
    whole = all(not is_number(label) or label.strip().lstrip("-").isdigit() for label in labels.labels[:50])
    return few and whole and _within(item, labels)


# ----------------------------------------------------------------------------------------------------------------------
# Times.


def _in_order_of_time(table: RawTable) -> RawTable:
    """Rows in the order of a column of times, if there is one with a row a time for each learner."""
    header = table.roles.get("time")
    for name in [header] if header else table.names:
        if (not header and normalise_name(name) not in _TIMES) or any(
            _named(table, role) for role in ("repeat", "fold", "split")
        ):
            continue
        if table.is_empty(name):
            continue
        times = times_of(table, name)
        others = [table.labels(each) for role in ("learner", "task", "measure") for each in _named(table, role)[:1]]
        if times is None or len(table.labels(name).labels) < 3:
            continue
        labels = table.labels(name)
        one_a_time = _count([*others, labels]) == table.n_rows
        shared = table.n_rows == len(labels.labels) * (_count(others) if others else 1)
        if not one_a_time or not shared:
            continue
        order = np.argsort(times, kind="stable")
        columns = tuple(at_rows(column, order) for column in table.columns)
        return replace(
            table,
            columns=columns,
            lines=None if table.lines is None else table.lines[order],
            roles={**table.roles, "instance": name},
            ordered=name,
            notes=(*table.notes, f"column {name!r} read as times, in their order"),
        )
    return table
