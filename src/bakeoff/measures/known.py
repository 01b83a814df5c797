"""The measures whose direction everybody agrees on, by name and by the other names people give them."""

from __future__ import annotations

import re
from math import inf

from bakeoff.measures.measure import Measure

# name: (larger is better, lower, upper, other names)
_TABLE: dict[str, tuple[bool, float, float, str]] = {
    "accuracy": (True, 0, 1, "acc correct classification_accuracy accuracy_score exact_match em pass_rate classif_acc"),
    "balanced_accuracy": (True, 0, 1, "bacc balanced_accuracy_score"),
    "error": (
        False,
        0,
        1,
        "err error_rate misclassification mmce zero_one_loss 0_1_loss classification_error classif_ce",
    ),
    "auc": (True, 0, 1, "auroc roc_auc rocauc area_under_curve roc_auc_score"),
    "auc_ovo": (True, 0, 1, "roc_auc_ovo"),
    "auc_ovo_weighted": (True, 0, 1, "roc_auc_ovo_weighted"),
    "auc_ovr": (True, 0, 1, "roc_auc_ovr"),
    "auc_ovr_weighted": (True, 0, 1, "roc_auc_ovr_weighted"),
    "average_precision": (True, 0, 1, "ap average_precision_score"),
    "pr_auc": (True, 0, 1, "auprc"),
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
    "kappa": (True, -1, 1, "cohen_kappa cohens_kappa"),
    "log_loss": (False, 0, inf, "logloss cross_entropy crossentropy nll neg_log_likelihood"),
    "deviance": (False, -inf, inf, ""),
    "log_likelihood": (True, -inf, inf, "loglik loglikelihood"),
    "brier": (False, 0, 1, "brier_score brier_loss"),
    "squared_error": (False, 0, inf, "mse mean_squared_error l2_loss"),
    "rmse": (False, 0, inf, "root_mean_squared_error"),
    "absolute_error": (False, 0, inf, "mae mean_absolute_error l1_loss"),
    "mape": (False, 0, inf, "mean_absolute_percentage_error"),
    "median_absolute_error": (False, 0, inf, "medae"),
    "max_error": (False, 0, inf, "maximum_error"),
    "r2": (True, -inf, 1, "r_squared rsquared r2_score"),
    "explained_variance": (True, -inf, 1, "explained_variance_score"),
    "spearman": (True, -1, 1, "spearman_rho"),
    "pearson": (True, -1, 1, "pearson_r correlation"),
    "ndcg": (True, 0, 1, "ndcg_score"),
    "mrr": (True, 0, 1, "mean_reciprocal_rank"),
    "bleu": (True, 0, 100, "sacrebleu"),
    "rouge": (True, 0, 1, "rouge_l rouge1 rouge2"),
    "perplexity": (False, 1, inf, "ppl"),
    "wer": (False, 0, inf, "word_error_rate"),
    "iou": (True, 0, 1, "jaccard jaccard_score"),
    "dice": (True, 0, 1, "dice_score"),
    "reward": (True, -inf, inf, "return episode_return episode_reward"),
    "loss": (False, -inf, inf, "test_loss val_loss"),
    "fit_time": (False, 0, inf, "train_time training_time time_train"),
    "predict_time": (False, 0, inf, "prediction_time inference_time test_time latency time_predict"),
    "time": (False, 0, inf, "runtime seconds duration elapsed wall_time cpu_time"),
    "fit_cpu": (False, 0, inf, "fit_cpu_time train_cpu"),
    "predict_cpu": (False, 0, inf, "predict_cpu_time test_cpu"),
    "memory": (False, 0, inf, "max_rss memory_mb"),
    "peak_memory": (False, 0, inf, "max_memory"),
    "model_size": (False, 0, inf, ""),
    "parameters": (False, 0, inf, "n_parameters num_parameters"),
}


def plain(name: str) -> str:
    """A name without case, spaces and punctuation, as names are compared.

    >>> plain("ROC-AUC ")
    'roc_auc'
    """
    return re.sub(r"[^a-z0-9]+", "_", name.strip().lower()).strip("_")


KNOWN: dict[str, Measure] = {
    name: Measure(name, larger, lower, upper) for name, (larger, lower, upper, _) in _TABLE.items()
}
_BY_ANY_NAME: dict[str, str] = {
    other: name for name, (*_, others) in _TABLE.items() for other in (name, *others.split())
}


def canonical_name(name: str) -> str | None:
    """The name that a measure has here, whatever it is called elsewhere; scores on test data may say so.

    >>> canonical_name("MSE"), canonical_name("test_accuracy"), canonical_name("train_accuracy")
    ('squared_error', 'accuracy', None)
    """
    asked = plain(name)
    return _BY_ANY_NAME.get(asked) or _BY_ANY_NAME.get(asked.removeprefix("test_"))


def other_names(name: str) -> tuple[str, ...]:
    """What a measure is called elsewhere.

    >>> other_names("recall")
    ('sensitivity', 'tpr', 'tp_rate', 'true_positive_rate', 'hit_rate')
    """
    return tuple(_TABLE[name][3].split())


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
    same = plain(name) == canonical
    origin = "known measure" if same else f"known measure: {name!r} is {canonical}"
    return Measure(name, like.larger_is_better, like.lower, like.upper, origin)


def _negated(name: str) -> Measure | None:
    asked = plain(name).removeprefix("test_")
    loss = _BY_ANY_NAME.get(asked.removeprefix("neg_")) if asked.startswith("neg_") else None
    if loss is None or KNOWN[loss].larger_is_better:
        return None
    like = KNOWN[loss]
    return Measure(name, True, 0.0 - like.upper, 0.0 - like.lower, f"known measure: {name!r} is {loss} negated")
