"""A measure: its name, its direction, its range. Nobody else asks whether bigger is better."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, inf

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bakeoff.errors import UsageError, nearest
from bakeoff.mathematics.checks import Array, number_column


@dataclass(frozen=True, slots=True)
class Measure:
    """A response that learners are compared on.

    `lower` and `upper` are the limits of its range (±inf if it has none), which is what ceiling and floor
    warnings look at. `origin` says where the direction came from, because a direction is never guessed: it is `by_user`
    if a reader of the table said it, and `turned` if that is not what is usual. What is measured may differ `by_task`,
    as in files that hold for each task the measure that suits it.

    >>> accuracy = Measure("accuracy", larger_is_better=True, lower=0, upper=1)
    >>> accuracy.advantage(0.9, 0.8) > 0
    True
    >>> accuracy.better, accuracy.worst
    ('larger', 0)
    """

    name: str
    larger_is_better: bool
    lower: float = -inf
    upper: float = inf
    origin: str = "known measure"
    by_user: bool = False
    turned: bool = False
    by_task: bool = False

    @property
    def sign(self) -> int:
        """+1 if larger is better, −1 if smaller is better."""
        return 1 if self.larger_is_better else -1

    @property
    def better(self) -> str:
        return "larger" if self.larger_is_better else "smaller"

    @property
    def best(self) -> float:
        return self.upper if self.larger_is_better else self.lower

    @property
    def worst(self) -> float:
        return self.lower if self.larger_is_better else self.upper

    def advantage(self, first: float, second: float) -> float:
        """By how much `first` is better than `second`; negative if it is worse."""
        return self.sign * (first - second)


# ----------------------------------------------------------------------------------------------------------------------
# The measures whose direction everybody agrees on, by name and by the other names people give them.


# name: (larger is better, lower, upper, other names)
_TABLE: dict[str, tuple[bool, float, float, str]] = {
    "accuracy": (
        True,
        0,
        1,
        "acc acc_norm correct is_correct classification_accuracy accuracy_score exact_match em pass_rate passed solved "
        "resolved success success_rate classif_acc percent_correct subset_accuracy exact_match_ratio",
    ),
    "balanced_accuracy": (True, 0, 1, "bacc balanced_accuracy_score"),
    "error": (
        False,
        0,
        1,
        "err error_rate misclassification mmce zero_one_loss 0_1_loss classification_error classif_ce "
        "percent_incorrect subset_error exact_match_error",
    ),
    "hamming_loss": (False, 0, 1, "hamming"),
    "auc": (True, 0, 1, "auroc roc_auc rocauc area_under_curve roc_auc_score area_under_roc classif_auc"),
    "auc_ovo": (True, 0, 1, "roc_auc_ovo"),
    "auc_ovo_weighted": (True, 0, 1, "roc_auc_ovo_weighted"),
    "auc_ovr": (True, 0, 1, "roc_auc_ovr"),
    "auc_ovr_weighted": (True, 0, 1, "roc_auc_ovr_weighted"),
    "average_precision": (True, 0, 1, "ap average_precision_score"),
    "pr_auc": (True, 0, 1, "auprc area_under_prc"),
    "mean_average_precision": (True, 0, 1, "map"),
    "f1": (True, 0, 1, "f_measure fscore f_score f1_score"),
    "f1_macro": (True, 0, 1, "macro_f1"),
    "f1_micro": (True, 0, 1, "micro_f1"),
    "f1_weighted": (True, 0, 1, "weighted_f1"),
    "precision": (True, 0, 1, "ppv positive_predictive_value"),
    "precision_macro": (True, 0, 1, "macro_precision"),
    "precision_micro": (True, 0, 1, "micro_precision"),
    "precision_weighted": (True, 0, 1, "weighted_precision"),
    "recall": (True, 0, 1, "sensitivity tpr tp_rate true_positive_rate hit_rate"),
    "recall_macro": (True, 0, 1, "macro_recall"),
    "recall_micro": (True, 0, 1, "micro_recall"),
    "recall_weighted": (True, 0, 1, "weighted_recall"),
    "specificity": (True, 0, 1, "tnr true_negative_rate"),
    "fp_rate": (False, 0, 1, "fpr false_positive_rate fall_out"),
    "fn_rate": (False, 0, 1, "fnr false_negative_rate miss_rate"),
    "tp": (True, 0, inf, "true_positives"),
    "fp": (False, 0, inf, "false_positives"),
    "fn": (False, 0, inf, "false_negatives"),
    "tn": (True, 0, inf, "true_negatives"),
    "mcc": (True, -1, 1, "matthews matthews_corrcoef phi"),
    "kappa": (True, -1, 1, "cohen_kappa cohens_kappa kappa_statistic"),
    "log_loss": (False, 0, inf, "logloss cross_entropy crossentropy nll neg_log_likelihood"),
    "deviance": (False, -inf, inf, ""),
    "log_likelihood": (True, -inf, inf, "loglik loglikelihood"),
    "brier": (False, 0, 1, "brier_score brier_loss"),
    "squared_error": (False, 0, inf, "mse mean_squared_error l2_loss"),
    "rmse": (False, 0, inf, "root_mean_squared_error"),
    "absolute_error": (False, 0, inf, "mae mean_absolute_error l1_loss"),
    "mape": (False, 0, inf, "mean_absolute_percentage_error"),
    "smape": (False, 0, inf, "symmetric_mape symmetric_mean_absolute_percentage_error"),
    "mase": (False, 0, inf, "mean_absolute_scaled_error"),
    "crps": (False, 0, inf, "continuous_ranked_probability_score"),
    "pinball_loss": (False, 0, inf, "quantile_loss mean_pinball_loss"),
    "median_absolute_error": (False, 0, inf, "medae"),
    "max_error": (False, 0, inf, "maximum_error"),
    "r2": (True, -inf, 1, "r_squared rsquared r2_score"),
    "explained_variance": (True, -inf, 1, "explained_variance_score"),
    "spearman": (True, -1, 1, "spearman_rho spearmanr"),
    "pearson": (True, -1, 1, "pearson_r pearsonr correlation"),
    "concordance_index": (True, 0, 1, "c_index cindex concordance"),
    "calibration_error": (False, 0, 1, "ece expected_calibration_error"),
    "top_k_accuracy": (True, 0, 1, "top1 top5 top_1 top_5 top1_acc top5_acc top_1_accuracy top_5_accuracy"),
    "ndcg": (True, 0, 1, "ndcg_score"),
    "mrr": (True, 0, 1, "mean_reciprocal_rank"),
    "bleu": (True, 0, 100, "sacrebleu"),
    "rouge": (True, 0, 1, "rouge_l rougel rougelsum rouge1 rouge2"),
    "meteor": (True, 0, 1, ""),
    "chrf": (True, 0, 100, "chrf_plus_plus"),
    "perplexity": (False, 1, inf, "ppl"),
    "wer": (False, 0, inf, "word_error_rate"),
    "cer": (False, 0, inf, "character_error_rate"),
    "iou": (True, 0, 1, "jaccard jaccard_score miou mean_iou"),
    "dice": (True, 0, 1, "dice_score dsc"),
    "hausdorff": (False, 0, inf, "hd95 hausdorff_distance"),
    "psnr": (True, -inf, inf, ""),
    "ssim": (True, -1, 1, ""),
    "lpips": (False, 0, inf, ""),
    "fid": (False, 0, inf, "frechet_inception_distance"),
    "reward": (True, -inf, inf, "return episode_return episode_reward"),
    "loss": (False, -inf, inf, "test_loss val_loss"),
    "fit_time": (False, 0, inf, "train_time training_time time_train elapsed_time_training"),
    "predict_time": (
        False,
        0,
        inf,
        "prediction_time inference_time test_time latency time_predict elapsed_time_testing",
    ),
    "time": (False, 0, inf, "runtime seconds duration elapsed wall_time cpu_time"),
    "fit_cpu": (False, 0, inf, "fit_cpu_time train_cpu"),
    "predict_cpu": (False, 0, inf, "predict_cpu_time test_cpu"),
    "throughput": (True, 0, inf, "tokens_per_second samples_per_second"),
    "memory": (False, 0, inf, "max_rss memory_mb"),
    "peak_memory": (False, 0, inf, "max_memory"),
    "model_size": (False, 0, inf, ""),
    "parameters": (False, 0, inf, "n_parameters num_parameters"),
}


@lru_cache(maxsize=4096)  # the few headers of a table are compared with every role
def normalise_name(name: str) -> str:
    """A name without case, spaces and punctuation, as names are compared.

    >>> normalise_name("ROC-AUC ")
    'roc_auc'
    """
    return re.sub(r"[^a-z0-9]+", "_", name.strip().lower()).strip("_")


KNOWN: dict[str, Measure] = {
    name: Measure(name, larger, lower, upper) for name, (larger, lower, upper, _) in _TABLE.items()
}
_OTHER_NAMES: dict[str, tuple[str, ...]] = {name: tuple(others.split()) for name, (*_, others) in _TABLE.items()}
_BY_ANY_NAME: dict[str, str] = {other: name for name, others in _OTHER_NAMES.items() for other in (name, *others)}


def add_measure(measure: Measure, other_names: Sequence[str] = ()) -> None:
    """Know a measure from outside the package by its name, and by what it is called elsewhere."""
    name, others = normalise_name(measure.name), tuple(map(normalise_name, other_names))
    if name != measure.name:
        raise UsageError(f"A measure is registered under a plain name, such as {name!r}; found {measure.name!r}.")
    for each in (name, *others):
        if _BY_ANY_NAME.get(each, name) != name or KNOWN.get(each, measure) != measure:
            raise UsageError(f"There is a measure {each!r} already; give yours a name of its own.")
    KNOWN[name], _OTHER_NAMES[name] = measure, others
    _BY_ANY_NAME.update(dict.fromkeys((name, *others), name))


def canonical_name(name: str) -> str | None:
    """The name that a measure has here, whatever it is called elsewhere; scores on test data may say so.

    >>> canonical_name("MSE"), canonical_name("test_accuracy"), canonical_name("val/acc"), canonical_name("train_acc")
    ('squared_error', 'accuracy', 'accuracy', None)

    Among the first ten it is the same measure:

    >>> canonical_name("nDCG@10"), canonical_name("recall_at_5"), canonical_name("pass@1"), canonical_name("recall_5")
    ('ndcg', 'recall', 'accuracy', None)
    """
    among = _AMONG_THE_FIRST.fullmatch(name.strip().lower())
    spelled = normalise_name(among[1] if among else name)
    spelled = _OF_RANKINGS.get(spelled, spelled) if among else spelled
    return _BY_ANY_NAME.get(spelled) or _BY_ANY_NAME.get(_ON_OTHER_ROWS.sub("", spelled))


_AMONG_THE_FIRST = re.compile(r"(.+?)(?:@|[_ ]at[_ ])\d+")  # ndcg@10
_OF_RANKINGS = {"hit": "recall", "hits": "recall", "pass": "accuracy", "p": "precision", "r": "recall"}
_ON_OTHER_ROWS = re.compile(r"^(test|val|valid|validation|eval|dev|holdout)_")


def other_names(name: str) -> tuple[str, ...]:
    """What a measure is called elsewhere.

    >>> other_names("recall")
    ('sensitivity', 'tpr', 'tp_rate', 'true_positive_rate', 'hit_rate')
    """
    return _OTHER_NAMES[name]


def known_measure(name: str) -> Measure | None:
    """The measure of that name or synonym, under the name the user wrote; None if its direction is not known.

    >>> known_measure("ROC AUC").larger_is_better
    True
    >>> known_measure("frobscore") is None
    True

    A loss with its sign turned, as scikit-learn's scorers return it, has its direction turned as well:

    >>> known_measure("test_neg_log_loss").better
    'larger'
    """
    canonical = canonical_name(name)
    if canonical is None:
        return _negated(name)
    like = KNOWN[canonical]
    same = normalise_name(name) == canonical
    origin = "known measure" if same else f"known measure: {name!r} is {canonical}"
    return Measure(name, like.larger_is_better, like.lower, like.upper, origin)


def _negated(name: str) -> Measure | None:
    spelled = normalise_name(name).removeprefix("test_")
    loss = _BY_ANY_NAME.get(spelled.removeprefix("neg_")) if spelled.startswith("neg_") else None
    if loss is None or KNOWN[loss].larger_is_better:
        return None
    like = KNOWN[loss]
    return Measure(name, True, 0.0 - like.upper, 0.0 - like.lower, f"known measure: {name!r} is {loss} negated")


# ----------------------------------------------------------------------------------------------------------------------
# Pointwise losses: from the truth and a prediction to one number an instance, smaller is better.


@dataclass(frozen=True, slots=True)
class Loss:
    """A pointwise loss under the name of the measure that is its mean.

    `predicts` says what it reads: "label", "number", or "probability" (of the second class, truth 0 or 1).
    """

    name: str
    predicts: str
    of: Callable[[NDArray[np.generic], NDArray[np.generic]], NDArray[np.float64]]


def _error(truth: NDArray[np.generic], prediction: NDArray[np.generic]) -> NDArray[np.float64]:
    return np.asarray(truth != prediction, dtype=float)


def _squared(truth: NDArray[np.generic], prediction: NDArray[np.generic]) -> NDArray[np.float64]:
    return np.asarray((truth.astype(float) - prediction.astype(float)) ** 2)


def _absolute(truth: NDArray[np.generic], prediction: NDArray[np.generic]) -> NDArray[np.float64]:
    return np.asarray(np.abs(truth.astype(float) - prediction.astype(float)))


def _log_loss(truth: NDArray[np.generic], prediction: NDArray[np.generic]) -> NDArray[np.float64]:
    # Clipped as scikit-learn does: a certain and wrong prediction costs 36 nats, not infinity.
    eps = np.finfo(float).eps
    p = np.minimum(np.maximum(prediction.astype(float), eps), 1 - eps)  # as np.clip, in a fifth of its time
    y = truth.astype(float)
    return np.asarray(-(y * np.log(p) + (1 - y) * np.log1p(-p)))


LOSSES: dict[str, Loss] = {
    loss.name: loss
    for loss in (
        Loss("error", "label", _error),
        Loss("accuracy", "label", lambda truth, prediction: 1.0 - _error(truth, prediction)),
        Loss("squared_error", "number", _squared),
        Loss("absolute_error", "number", _absolute),
        Loss("brier", "probability", _squared),
        Loss("log_loss", "probability", _log_loss),
    )
}


def loss_named(name: str) -> Loss:
    """The pointwise loss of that name, or of another name of the same measure.

    >>> loss_named("squared error").of(np.array([1.0, 2.0]), np.array([1.0, 4.0]))
    array([0., 4.])
    >>> loss_named("mse").name
    'squared_error'
    """
    loss = LOSSES.get(canonical_name(name) or normalise_name(name))
    if loss is None:
        raise UsageError(f"There is no pointwise loss named {name!r}. {nearest(normalise_name(name), LOSSES)}")
    return loss


# ----------------------------------------------------------------------------------------------------------------------
# From many losses to one number: mean, median, maximum, or a quantile.
#
# The quantile of a sample is one of its values, the ⌈q·m⌉-th smallest of m, as in Hothorn et al. (2005), 5.3
# (doi:10.1198/106186005X59630); this is type 1 of R's `quantile`. Interpolation names losses that never occurred.


# q·m is computed in floating point: .55 · 20 is 11.000000000000002, whose ceiling would be 12.
_NOISE = 1e-9


def quantile_rank(m: int, q: float) -> int:
    """⌈q·m⌉, at least 1.

    >>> quantile_rank(20, 0.95), quantile_rank(23, 0.95), quantile_rank(20, 0.55)
    (19, 22, 11)
    """
    if not 0 <= q <= 1:
        raise UsageError(f"A quantile is taken at a share between 0 and 1; found {q!r}.")
    if m < 1:
        raise UsageError(f"A quantile needs at least one value; found {m!r}.")
    return min(m, max(1, ceil(q * m - _NOISE * max(1.0, q * m))))


def quantile(losses: ArrayLike, q: float) -> float:
    """The ⌈q·m⌉-th smallest loss.

    >>> quantile([0.3, 1.2, 2.2, 0.1], 0.5)
    0.3
    """
    values = number_column(losses, "losses")
    rank = quantile_rank(len(values), q)
    return float(np.partition(values, rank - 1)[rank - 1])


def functional(losses: ArrayLike, name: str) -> float:
    """The losses' mean, median, maximum, or quantile, by name: "q0.95" or "95 %" is the .95 quantile.

    The median is the usual one, the midpoint of the two middle values of an even number.

    >>> functional([1, 2, 3, 10], "mean"), functional([1, 2, 3, 10], "median"), functional([1, 2, 3, 10], "q0.75")
    (4.0, 2.5, 3.0)
    """
    values = number_column(losses, "losses")
    simple: dict[str, Callable[[Array], float]] = {
        "mean": np.mean,
        "median": np.median,
        "maximum": np.max,
        "max": np.max,
    }
    if name in simple:
        return float(simple[name](values))
    try:
        q = float(name.rstrip("% ")) / 100 if name.endswith("%") else float(name.removeprefix("q"))
    except ValueError:
        raise UsageError(
            f"There is no functional {name!r}. Known are: mean, median, maximum, and quantiles such as q0.95."
        ) from None
    return quantile(values, q)
