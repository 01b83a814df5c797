"""From an oracle's question to our code: one small function an oracle procedure.

Each returns what we answer under the oracle's own keys. It may return more than a case asks, and less, in which case
the case counts as uncovered. An adapter translates names and conventions; the statistics are the package's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import adapt_few as few
import adapt_many as many
from question import Question

ADAPTERS: dict[str, Callable[[Question], Mapping[str, Any]]] = {
    "normal_quantile": few.normal_quantiles,
    "t_quantile": few.t_quantiles,
    "f_quantile": few.f_quantiles,
    "chi2_quantile": few.chi2_quantiles,
    "dunn_quantile": few.dunn_quantile,
    "smm_quantile": few.smm_quantile,
    "nemenyi_q": few.nemenyi_q,
    "bonferroni_dunn_q": few.bonferroni_dunn_q,
    "nemenyi_cd": few.nemenyi_cd,
    "proportion_interval": few.proportion_intervals,
    "binomial_test": few.binomial_test,
    "binomial_critical": few.binomial_critical,
    "mcnemar": few.mcnemar_counts,
    "mcnemar_from_predictions": few.mcnemar_from_predictions,
    "paired_t": few.paired_t_test,
    "tost_paired": few.tost_paired,
    "corrected_resampled_t": few.corrected_t_test,
    "kfold_paired_t": few.kfold_paired_t,
    "cv5x2_f": few.five_by_two,
    "hotelling_paired": few.hotelling_paired,
    "signed_ranks": few.signed_ranks,
    "wilcoxon_signed_rank": few.wilcoxon_signed_rank,
    "wilcoxon_critical_T": few.wilcoxon_critical,
    "p_adjust": many.p_adjust,
    "p_adjust_sidak": many.p_adjust_sidak,
    "holm_decisions": many.holm_decisions,
    "hochberg_decisions": many.hochberg_decisions,
    "familywise_error": many.familywise_error,
    "smm_simultaneous_intervals": many.smm_intervals,
    "bonferroni_paired_intervals": many.bonferroni_intervals,
    "tstar": many.tstar,
    "cd_cliques": many.cd_cliques,
    "friedman": many.friedman_test,
    "friedman_from_mean_ranks": many.friedman_from_mean_ranks,
    "iman_davenport_from_chi2": many.iman_davenport_table,
    "friedman_posthoc_all_pairs": many.friedman_posthoc_all_pairs,
    "friedman_posthoc_control": many.friedman_posthoc_control,
    "input_validation": many.input_validation,
}
