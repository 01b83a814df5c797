"""All procedures by name: every function of this folder with the decorator `procedure` is in the listing.

Files are imported when a procedure is first asked for, so that the command line starts at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from bakeoff.errors import UsageError, nearest
from bakeoff.procedures.card import Card, Compares
from bakeoff.procedures.procedure import Procedure
from bakeoff.scores import Level

_FOREIGN: dict[str, Procedure] = {}
_LEVELS = list(Level)


def register(procedure: Procedure) -> Procedure:
    """Add a procedure from outside the package: from then on it is advised, applied, listed and explained as any."""
    if procedure.name in _own():
        raise UsageError(f"There is a procedure {procedure.name!r} already; give yours a name of its own.")
    _FOREIGN[procedure.name] = procedure
    return procedure


def procedure_named(name: str) -> Procedure:
    """The procedure of that name.

    >>> procedure_named("friedman").card.title
    'Friedman test with post-hoc comparisons of mean ranks'
    """
    known = {**_own(), **_FOREIGN}
    wanted = str(name).strip().lower().replace("_", "-").replace(" ", "-")
    procedure = known.get(wanted) or next((each for each in known.values() if wanted in each.card.also_called), None)
    if procedure is None:
        raise UsageError(f"There is no procedure {name!r}. {nearest(name, known)}")
    return procedure


def meaning_of(name: str) -> tuple[str, Mapping[str, str]]:
    """The name of the procedure that is called so, and what that name asks of a request.

    >>> meaning_of("Bonferroni-Dunn")
    ('friedman', {'adjust': 'bonferroni', 'contrast': 'control'})
    """
    card = procedure_named(name).card
    wanted = str(name).strip().lower().replace("_", "-").replace(" ", "-")
    return card.name, card.also_called.get(wanted, {})


def procedures() -> tuple[Procedure, ...]:
    """All procedures, in the order of the listing: by what is compared, what a block is, and which is preferred."""
    return tuple(sorted([*_own().values(), *_FOREIGN.values()], key=_place))


def procedure_names() -> tuple[str, ...]:
    """The names of all procedures, in the order of the listing."""
    return tuple(procedure.name for procedure in procedures())


def _place(procedure: Procedure) -> tuple[bool, int, int, str]:
    card = procedure.card
    return card.compares is not Compares.ONE, _LEVELS.index(card.level), card.rank, card.name


@cache
def _own() -> dict[str, Procedure]:
    """The procedures of this package, from all of its files."""
    modules = [import_module(f"{__name__}.{module.name}") for module in iter_modules(__path__)]
    candidates = [getattr(value, "procedure", None) for module in modules for value in vars(module).values()]
    return {procedure.name: procedure for procedure in candidates if isinstance(procedure, Procedure)}


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
