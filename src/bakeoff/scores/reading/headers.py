"""Which column plays which role, by the names that people give them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from bakeoff.errors import InputError, UsageError, nearest
from bakeoff.measures import Measure, known_measure
from bakeoff.measures.measure import canonical_name, normalise_name
from bakeoff.scores.reading.raw import RawTable
from bakeoff.scores.table import Labels, frozen

# Compared by `plain`: without case, blanks and punctuation. "Data Set", "data-set" and "DATA_SET" are one name.
SYNONYMS: dict[str, str] = {
    "learner": (
        "model system classifier regressor algorithm algo alg method estimator agent approach technique clf pipeline "
        "solver flow policy submission team learner_id learner_name model_id model_name system_id system_name "
        "algorithm_name algorithm_id method_name classifier_name estimator_name agent_id agent_name key_scheme "
        "wflow_id model_adapter llm llm_name architecture framework provider engine variant verfahren methode modell "
        "algorithmus klassifikator"
    ),
    "task": (
        "dataset data data_set problem benchmark env environment game db database corpus task_id task_name "
        "dataset_id dataset_name data_id data_name problem_id problem_name benchmark_name env_id env_name key_dataset "
        "series series_id time_series unique_id ts_id datensatz"
    ),
    "measure": "metric measure_name metric_name criterion scorer scoring evaluation_measure",
    "repeat": (
        "rep repeats repetition replicate replication seed random_seed random_state run trial repeat_id rep_id seed_id "
        "repeat_idx repeat_no rep_no repetition_id replicate_id run_id run_no run_number trial_id trial_no "
        "trial_number sim sim_id simulation cv_repeat key_run rng_seed train_seed training_seed torch_seed"
    ),
    "fold": (
        "cv_fold cvfold fold_id fold_no fold_number fold_num fold_nr fold_idx fold_index kfold k_fold outer_fold "
        "test_fold key_fold"
    ),
    # Runs of a kind that the name does not tell: folds of a cross-validation, or random splits, which overlap.
    "split": (
        "resample cv iteration iter partition split_id split_no split_nr split_num split_idx split_index split_number "
        "cv_split cv_iter cv_iteration resample_id resample_no resampling resampling_iteration resample_index "
        "bootstrap bootstrap_id bootstrap_sample bootstrap_replicate bootstrap_iteration holdout "
        "holdout_id subsample subsample_id shuffle monte_carlo train_test_split"
    ),
    "instance": (
        "item example question sample case observation query prompt document instance_id item_id example_id "
        "question_id sample_id case_id observation_id query_id qid prompt_id doc_id document_id row_ids "
        "utterance utterance_id utt_id segment segment_id sentence sentence_id item_idx example_idx question_idx "
        "scan scan_id record record_id test_case test_case_id testcase rowindex row_index"
    ),
    "value": (
        "score result values scores results metric_value measure_value performance estimate test_score "
        "mean_test_score mean_score mean rating"
    ),
    "n_train": (
        "train_size ntrain training_size size_train num_train n_training train_n train_samples n_train_samples "
        "number_of_training_instances"
    ),
    "n_test": (
        "test_size ntest testing_size size_test num_test n_testing test_n test_samples n_test_samples "
        "number_of_testing_instances"
    ),
    "prediction": "y_pred ypred pred predicted predictions yhat y_hat predicted_label predicted_class forecast",
    "status": "state run_status exit_status",
    "message": "msg error_message error_msg exception traceback reason failure",
    "truth": (
        "y_true ytrue y true true_label true_class ground_truth groundtruth label labels target actual gold "
        "gold_label gold_answer y_test correct_answer"
    ),
}
# Points of a training curve: a learner has one score, and not one for each of these.
_POINTS = (
    "epoch epochs step steps global_step train_step training_step checkpoint ckpt iter iteration n_estimators round"
)
POINTS_OF_A_CURVE = frozenset(_POINTS.split())
# Names that may mean the role, or may be a learner's or a row's own name: they count only where nothing else does.
WEAK: dict[str, str] = {
    "truth": "reference expected expected_output response observed class answer outcome",
    "row": "id index idx row row_id row_number rownames row_names nr no number name unnamed_0",
}
KEYS = ("task", "repeat", "fold", "instance")
SIZES = ("n_train", "n_test")
CLUSTER = "cluster"  # never by its name alone: see `columns`
LONG_ROLES = ("learner", *KEYS, CLUSTER, "measure", "value", *SIZES, "status", "message")
WIDE_ROLES = (*KEYS, CLUSTER, "measure", *SIZES)
PREDICTION_ROLES = (*KEYS, CLUSTER, "truth")

_ROLE_OF = {name: role for role, names in SYNONYMS.items() for name in (role, *names.split())}
# "Tasks" and "Models" head columns as well; runs and seeds in the plural are numbers of them.
_ROLE_OF |= {f"{name}s": role for name, role in _ROLE_OF.items() if role in ("learner", "task", "measure")} | _ROLE_OF
_WEAK_ROLE_OF = {name: role for role, names in WEAK.items() for name in names.split()}
_MEANS = "average|avg|mean|median|total|overall|all|aggregate|aggregated|summary"
_SUMMARY = re.compile(
    rf"({_MEANS})|(std|sd|stdev|std_dev|stderr|sem|min|max|wins|best)|((macro|micro|weighted|{_MEANS})_?"
    r"(average|avg|mean|rank|score|std))|(avg|average|mean)_(ranks?|win_rate)"
)
_AVERAGING = ".estimator"  # yardstick's column of "binary" or "macro": no learner
LEARNED_FROM, TESTED_ON = frozenset({"train", "training"}), frozenset({"test", "testing", "holdout", "hold_out"})
PARTS_OF_A_SPLIT = LEARNED_FROM | TESTED_ON | frozenset({"val", "valid", "validation", "dev", "eval", "evaluation"})


@dataclass(frozen=True)
class HeaderRoles:
    """The column that plays each role, and what was decided about it in words."""

    column: dict[str, str]
    notes: tuple[str, ...] = ()

    def get(self, role: str) -> str | None:
        return self.column.get(role)

    def others(self, table: RawTable) -> tuple[str, ...]:
        """The columns without a role."""
        return tuple(name for name in table.names if name not in self.column.values())


def role_of(name: str) -> str | None:
    """The role that a header names.

    >>> role_of("Data Set"), role_of("Random-Seed"), role_of("C4.5")
    ('task', 'repeat', None)
    """
    if name.strip() == _AVERAGING:
        return None
    return _ROLE_OF.get(normalise_name(name))


def weak_role_of(name: str) -> str | None:
    """The role that a header may name if nothing else does.

    >>> weak_role_of("ID"), weak_role_of("reference")
    ('row', 'truth')
    """
    return _WEAK_ROLE_OF.get(normalise_name(name))


def recognise(table: RawTable, wanted: Sequence[str]) -> HeaderRoles:
    """Find the columns that play the wanted roles; two for one role are an error, because either may be meant."""
    column = {role: name for role, name in table.roles.items() if role in wanted}
    notes = [f"column {name!r} read as {role}" for role, name in column.items() if role_of(name) not in (role, None)]
    for name in table.names:
        role = role_of(name)
        if role is None or role not in wanted or name in column.values() or role in table.roles:
            continue
        if role in column:
            raise table.error(
                f"The columns {column[role]!r} and {name!r} both look like the {role}. Rename or leave out the one "
                f"that is not meant: --columns {role}={name}, or --ignore {name}.",
                column=name,
            )
        column[role] = name
        if name != role:
            notes.append(f"column {name!r} read as {role}")
    return HeaderRoles(column, tuple(notes))


def key_columns(table: RawTable, roles: HeaderRoles, keys: Sequence[str] = KEYS) -> dict[str, Labels]:
    """The key columns as labels. A key holds a label in every row, or in none (then the column does not count)."""
    columns = {}
    for role in keys:
        name = roles.get(role)
        if name is None:
            continue
        column = table.labels(name)
        if "" in column.labels:
            if len(column.labels) == 1 and role in KEYS:
                continue
            row = int((column.codes == column.labels.index("")).argmax())
            rule = f"The {role} is empty in this row. Every row must name its {role}."
            if role == "repeat":
                rule += (
                    " If it is a published number, leave its row out and hold the others against it: --against VALUE."
                )
            raise table.error(rule, row=row, column=name)
        if role in ("repeat", "fold"):
            _refuse_train_and_test(table, name, column)
        if role in KEYS:
            _refuse_summaries(table, role, name, column)
        columns[role] = column
    return columns


def size_columns(table: RawTable, roles: HeaderRoles) -> dict[str, NDArray[np.float64]]:
    """The sizes of training and test sets, where they are given."""
    columns = {}
    for role in SIZES:
        name = roles.get(role)
        if name is None:
            continue
        sizes = table.numbers(name)
        wrong = np.flatnonzero(~np.isnan(sizes) & ~((sizes > 0) & np.isfinite(sizes)))
        if len(wrong):
            row = int(wrong[0])
            raise table.error(f"A size above 0 was expected, but {sizes[row]:g} was found.", row=row, column=name)
        columns[role] = sizes
    return columns


def matching(wanted: str, names: Sequence[str]) -> list[str]:
    """The name that was asked for as it stands, or else those that differ in case and punctuation only.

    >>> matching("roc auc", ["ROC-AUC", "acc"])
    ['ROC-AUC']
    """
    # Names without a Latin letter or digit are all the same to `plain`, and must not match each other.
    return [name for name in names if name == wanted] or [
        name for name in names if normalise_name(name) and normalise_name(name) == normalise_name(wanted)
    ]


def matching_measures(wanted: str, names: Sequence[str]) -> list[str]:
    """The columns or labels of a measure: by its name, or by another that it goes by.

    >>> matching_measures("accuracy", ["acc", "f1"])
    ['acc']
    """
    by_name = matching(wanted, names)
    called = canonical_name(wanted)
    if by_name or called is None:
        return by_name
    same = [name for name in names if canonical_name(name) == called]
    return same if len(same) == 1 else []


def rows_of_measure(table: RawTable, roles: HeaderRoles, measures: Sequence[str]) -> RawTable:
    """The rows of some measures under the names asked for, where a column tells several apart; else all rows."""
    name = roles.get("measure")
    if name is None or not measures:
        return table
    column = table.labels(name)
    positions = np.full(len(column.labels), -1)
    for place, measure in enumerate(measures):
        wanted = [column.labels.index(label) for label in matching_measures(measure, column.labels)]
        if not wanted:
            raise UsageError(f"There is no measure {measure!r} in {table.source}. {nearest(measure, column.labels)}")
        if (positions[wanted] >= 0).any():
            raise UsageError(
                f"{measures[positions[wanted].max()]!r} and {measure!r} are the same measure: name it once."
            )
        positions[wanted] = place
    by_row = positions[column.codes]
    rows = table.where(by_row >= 0)
    return rows.with_column(name, Labels(tuple(measures), frozen(by_row[by_row >= 0].astype(np.intp))))


def points_of_a_curve(table: RawTable, name: str) -> InputError:
    """The refusal of a column that numbers epochs, steps or checkpoints of one training."""
    return table.error(
        f"The column numbers points of a training curve, and a learner has one score: keep the rows of one {name} "
        f"(--where {name}=…), the last, or one that was chosen on other data than these scores are from.",
        column=name,
    )


def is_summary(label: str) -> bool:
    """Whether a row is called as one that sums up the others.

    >>> is_summary("Avg. rank"), is_summary("Mean win rate"), is_summary("wine")
    (True, True, False)
    """
    return _SUMMARY.fullmatch(normalise_name(label)) is not None


def _refuse_summaries(table: RawTable, role: str, name: str, column: Labels) -> None:
    """Many tables end in a row of averages, which would count as one more task or fold that agrees with the others."""
    # Instances may be words, and millions: a summary of them is their first or their last.
    ends = role == "instance" and len(column.labels) > 2
    for label in (column.labels[0], column.labels[-1]) if ends else column.labels:
        if len(column.labels) > 2 and is_summary(label):
            raise table.error(
                f"The {name} {label!r} looks like a summary of the others. Leave the row out (--where "
                f"'{name}!={label}'), or rename it if it is none.",
                row=int((column.codes == column.labels.index(label)).argmax()),
                column=name,
            )


def _refuse_train_and_test(table: RawTable, name: str, column: Labels) -> None:
    """A column "split" with "train" and "test" in it names no folds, and scores on training data are no evidence."""
    parts = {label.lower() for label in column.labels}
    if len(parts) > 1 and parts <= PARTS_OF_A_SPLIT:
        raise table.error(
            f"The column tells {', '.join(sorted(parts))} scores apart, not folds. Keep the rows of the test part "
            "only, and leave the column out.",
            column=name,
        )


# ----------------------------------------------------------------------------------------------------------------------
# Which direction of a measure is better: from its name, or from the user, and never from a guess.


_ROUNDING = 1e-6  # a mean of single-precision numbers may exceed 1 by so much
_SAID = "as you said"
_TOLD = "as the file says"
_NO_PER_CENT = 1.5  # where the largest value is no larger, "in per cent" would be a guess


def directed(
    names: Sequence[str], larger_is_better: bool | None, directions: Mapping[str, bool] | None = None
) -> dict[str, Measure]:
    """The measures whose direction is known by name, told by the file, or said; `Scores` refuses those that are left.

    The user's word is about the one measure of a table, or about those of several that have no known direction.

    >>> directed(["rmse"], None)["rmse"].better
    'smaller'
    >>> directed(["frobscore"], True)["frobscore"].origin
    'as you said'
    >>> directed(["accuracy"], False)["accuracy"].origin
    'as you said; usually larger is better'
    """
    known = {name: measure for name in names if (measure := known_measure(name)) is not None}
    for name, larger in (directions or {}).items():
        if name in names and (name not in known or known[name].larger_is_better != larger):
            # A filter follows a comma: exact_match,strict-match is exact_match of answers that were read strictly.
            usual = known_measure(name.partition(",")[0])
            alike = usual is not None and usual.larger_is_better == larger
            known[name] = replace(usual, name=name) if usual and alike else Measure(name, larger, origin=_TOLD)
    if larger_is_better is None:
        return known
    if len(names) == 1:
        return {names[0]: _as_said(names[0], known.get(names[0]), larger_is_better)}
    unknown = [name for name in names if name not in known]
    if not unknown:
        raise UsageError(
            f"Which measure is it whose direction you give? The table holds several ({', '.join(names)}), all with a "
            "known direction. Name one (--measure NAME; in Python measure=NAME), or leave the direction out."
        )
    return known | {name: _as_said(name, None, larger_is_better) for name in unknown}


def _as_said(name: str, known: Measure | None, larger_is_better: bool) -> Measure:
    if known is None:
        return Measure(name, larger_is_better, origin=_SAID, by_user=True)
    if known.larger_is_better == larger_is_better:
        return replace(known, origin=_SAID, by_user=True)
    origin = f"{_SAID}; usually {known.better} is better"
    return replace(known, larger_is_better=larger_is_better, origin=origin, by_user=True, turned=True)


def one_measure(names: Sequence[str], because: str) -> UsageError:
    """The refusal of several measures by a table that holds one."""
    return UsageError(f"Say one measure, not {len(names)} ({', '.join(names)}): {because}.")


def with_range(
    measures: dict[str, Measure], measure: Labels, value: NDArray[np.float64]
) -> tuple[dict[str, Measure], list[str]]:
    """Fit the known range of a measure to the values found: an accuracy of 85 is in per cent, not above the ceiling.

    `measure` holds a label for each row of `value`, which may have several columns.

    >>> accuracy = directed(["accuracy"], None)
    >>> fitted, notes = with_range(accuracy, Labels.of(["accuracy"]), np.array([85.0]))
    >>> fitted["accuracy"].upper, notes
    (100, ['accuracy goes up to 85: read as per cent, from 0 to 100'])
    >>> with_range(accuracy, Labels.of(["accuracy"]), np.array([1.0000001]))[1]
    []
    """
    fitted, notes = dict(measures), []
    for code, name in enumerate(measure.labels):
        if name not in measures:
            continue
        its = value[measure.codes == code]
        its = its[np.isfinite(its)]
        if not len(its):
            continue
        low, high, usual = float(its.min()), float(its.max()), measures[name]
        if usual.lower - _ROUNDING <= low and high <= usual.upper + _ROUNDING:
            continue
        is_share = (usual.lower, usual.upper) == (0, 1)
        if is_share and low >= -_ROUNDING and high <= _NO_PER_CENT:
            fitted[name] = replace(usual, lower=-inf, upper=inf)
            notes.append(
                f"{name} goes up to {high:g}, which is neither a share from 0 to 1 nor likely a per cent: no range is "
                "assumed; look at the values above 1"
            )
        elif is_share and low >= 0 and high <= 100:
            fitted[name] = replace(usual, upper=100)
            notes.append(f"{name} goes up to {high:g}: read as per cent, from 0 to 100")
        else:
            fitted[name] = replace(usual, lower=-inf, upper=inf)
            notes.append(f"{name} goes from {low:g} to {high:g}, outside its usual range: no range is assumed")
    return fitted, notes
