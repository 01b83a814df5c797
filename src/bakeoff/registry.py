"""All procedures by name. Modules are imported when asked for, so that the command line starts at once."""

from __future__ import annotations

from importlib import import_module

from bakeoff.errors import UsageError, nearest
from bakeoff.procedures.card import Card
from bakeoff.procedures.result import Procedure

# One module a procedure, each with a PROCEDURE. The order is the order of the listing: by what is compared.
MODULES: dict[str, str] = {
    "wilson": "wilson",
    "binomial": "binomial",
    "normal-approximation": "normal_approximation",
    "mean-t": "mean_t",
    "mean-z": "mean_z",
    "sign-one": "sign_one",
    "mcnemar": "mcnemar",
    "dunn": "dunn",
    "cochran-q": "cochran_q",
    "delong": "delong",
    "two-proportions": "two_proportions",
    "paired-t": "paired_t",
    "hochberg-tamhane": "hochberg_tamhane",
    "diebold-mariano": "diebold_mariano",
    "unpaired-losses": "unpaired_losses",
    "variance-ratio": "variance_ratio",
    "corrected-t": "corrected_t",
    "kfold-t": "kfold_t",
    "calibrated-10x10": "calibrated_10x10",
    "5x2-f": "cv5x2_f",
    "5x2-t": "cv5x2_t",
    "unpaired-t": "unpaired_t",
    "permutation": "permutation",
    "closed-testing": "closed_testing",
    "paired-permutation": "paired_permutation",
    "independent-permutation": "permutation_independent",
    "rm-anova": "rm_anova",
    "aligned-tukey": "aligned_tukey",
    "anova": "anova",
    "hotelling": "hotelling",
    "manova": "manova",
    "wilcoxon": "wilcoxon",
    "sign": "sign",
    "win-loss-tie": "win_loss_tie",
    "friedman": "friedman",
    "kruskal-wallis": "kruskal_wallis",
    "two-way-anova": "two_way_anova",
    "bayes-correlated-t": "bayes_correlated_t",
    "bayes-sign": "bayes_sign",
    "bayes-signed-rank": "bayes_signed_rank",
    "bayes-hierarchical": "bayes_hierarchical",
    "quade": "quade",
    "friedman-aligned-ranks": "aligned_ranks",
    "skillings-mack": "skillings_mack",
}


def procedure_named(name: str) -> Procedure:
    """The procedure of that name.

    >>> procedure_named("friedman").card.title
    'Friedman test with post-hoc comparisons of mean ranks'
    """
    module = MODULES.get(str(name).strip().lower().replace("_", "-"))
    if module is None:
        raise UsageError(f"There is no procedure {name!r}. {nearest(name, MODULES)}")
    found: Procedure = import_module(f"bakeoff.procedures.{module}").PROCEDURE
    return found


def procedures() -> tuple[Procedure, ...]:
    """All procedures, in the order of the listing."""
    return tuple(procedure_named(name) for name in MODULES)


def answering(card: Card, learners: int) -> Card:
    """The card of the procedure that answers for so many learners: its own, or that of its fallback.

    >>> answering(explain("closed-testing"), 4).name, answering(explain("closed-testing"), 5).name
    ('closed-testing', 'aligned-tukey')
    """
    if card.fallback is None or learners <= card.fallback.most:
        return card
    return explain(card.fallback.procedure)


def explain(name: str) -> Card:
    """The card of a procedure: print it, or show it in a notebook.

    >>> print(explain("friedman").question)
    Do the learners rank differently over many tasks, and which pairs differ?
    """
    return procedure_named(name).card
