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
    "mcnemar": "mcnemar",
    "paired-t": "paired_t",
    "hochberg-tamhane": "hochberg_tamhane",
    "corrected-t": "corrected_t",
    "kfold-t": "kfold_t",
    "5x2-f": "cv5x2_f",
    "permutation": "permutation",
    "hotelling": "hotelling",
    "wilcoxon": "wilcoxon",
    "friedman": "friedman",
}


def procedure_named(name: str) -> Procedure:
    """The procedure of that name.

    >>> procedure_named("friedman").card.title
    'Friedman test with post-hoc comparisons of mean ranks'
    """
    module = MODULES.get(name.strip().lower().replace("_", "-"))
    if module is None:
        raise UsageError(f"There is no procedure {name!r}. {nearest(name, MODULES)}")
    found: Procedure = import_module(f"bakeoff.procedures.{module}").PROCEDURE
    return found


def procedures() -> tuple[Procedure, ...]:
    """All procedures, in the order of the listing."""
    return tuple(procedure_named(name) for name in MODULES)


def explain(name: str) -> Card:
    """The card of a procedure: print it, or show it in a notebook.

    >>> print(explain("friedman").question)
    Do the learners rank differently over many tasks, and which pairs differ?
    """
    return procedure_named(name).card
