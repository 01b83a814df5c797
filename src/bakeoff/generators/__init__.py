"""Generators: laws from which learning and test samples are drawn, as many as are wanted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, Protocol

import numpy as np

from bakeoff.errors import UsageError, nearest
from bakeoff.generators.generator import CLASSIFICATION, REGRESSION, Generator, UserFunction

# ----------------------------------------------------------------------------------------------------------------------
# From what a study file says to a generator. The laws themselves are imported when one is asked for.


# Ways to estimate the law of a data set, by their names in a study file.
BOOTSTRAPS = ("nonparametric", "bayesian", "parametric")


class SampleSource(Protocol):
    """Whatever samples can be drawn from."""

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Any, Any]:
        """n observations."""


def generator_from(what: Any, parameters: Mapping[str, Any] | None = None) -> Generator | UserFunction:
    """A generator by its name, by the import path of a function, as { path = "…" }, or a function itself.

    >>> generator_from("nested-models", {"beta2": 0.1})
    NestedModels(beta1=2.0, beta2=0.1, noise=1.0)
    >>> generator_from("freidman1")
    Traceback (most recent call last):
    bakeoff.errors.UsageError: There is no generator 'freidman1'. Did you mean 'friedman1'? ...
    """
    given = dict(parameters or {})
    if isinstance(what, (Generator, UserFunction)):
        if given:
            raise UsageError("A generator that is made already takes no parameters: give them where it is made.")
        return what
    if isinstance(what, Mapping):
        if set(what) != {"path"}:
            raise UsageError(f"A generator is a name or {{ path = 'my_module.draw' }}; found {dict(what)!r}.")
        if not isinstance(what["path"], str):
            raise UsageError(f"The path of a generator must be a text; found {what['path']!r}.")
        return UserFunction(what["path"], given)
    if callable(what) and not isinstance(what, type):
        return UserFunction(what, given)
    if not isinstance(what, str):
        raise UsageError(f"A generator is given by its name or the import path of a function; found {what!r}.")
    if "." in what:
        return UserFunction(what, given)
    from bakeoff.generators.classic import GENERATORS

    kind = GENERATORS.get(what.strip().lower().replace("_", "-"))
    if kind is None:
        raise UsageError(
            f"There is no generator {what!r}. {nearest(what, GENERATORS)} A function of your own is named by its "
            "import path, such as my_module.draw."
        )
    known = [field.name for field in fields(kind)]  # type: ignore[arg-type]  # every generator is a dataclass
    for name in given:
        if name not in known:
            raise UsageError(f"The generator {kind.name!r} has no parameter {name!r}. {nearest(name, known)}")
    return kind(**given)


def bootstrap_of(how: str, X: Any, y: Any, kind: str) -> SampleSource:
    """The law of a data set, estimated in one of the ways of `BOOTSTRAPS`."""
    from bakeoff.generators.classic import BayesianBootstrap, EmpiricalBootstrap, GaussianClasses, LinearModel

    makers: dict[str, Callable[[Any, Any], SampleSource]] = {
        "nonparametric": EmpiricalBootstrap,
        "bayesian": BayesianBootstrap,
    }
    if how in makers:
        return makers[how](X, y)
    if how != "parametric":
        raise UsageError(f"There is no bootstrap {how!r}. {nearest(str(how), BOOTSTRAPS)}")
    if hasattr(X, "iloc") or np.isnan(np.asarray(X, dtype=float)).any():
        raise UsageError(
            "The parametric bootstrap fits a model to numbers, and these inputs hold names or missing values. Use "
            "bootstrap = 'nonparametric' or 'bayesian', or drop those columns."
        )
    if kind == REGRESSION:
        return LinearModel.fitted(X, y)
    if kind == CLASSIFICATION:
        return GaussianClasses.fitted(X, y)
    raise UsageError("The parametric bootstrap is for classification and regression; a density has no response.")
