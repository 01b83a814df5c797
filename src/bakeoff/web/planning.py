"""Planning on the page: how large an experiment must be, and the study file for it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from itertools import product
from pathlib import Path
from typing import Any

from starlette.datastructures import QueryParams

from bakeoff.errors import BakeoffError, UsageError
from bakeoff.learners.learner import SHORT_NAMES
from bakeoff.measures.responses import COMPUTED
from bakeoff.power_analysis.methods import CLOSED, card_of
from bakeoff.power_analysis.power import power
from bakeoff.procedures import procedures
from bakeoff.procedures.card import Compares
from bakeoff.resampling import SCHEMES
from bakeoff.scores import Level
from bakeoff.study.file import TEMPLATE, study_from, template_values, written_study
from bakeoff.tasks.sources import bundled_sets

USUAL_TEST = "t"
_COMPARED = {Compares.PAIR: "two learners", Compares.MANY: "three learners or more", Compares.ONE: "one learner"}
_ON = {
    Level.INSTANCES: "on the items of a test set", Level.RESAMPLES: "on folds or repeated splits",
    Level.TASKS: "on several tasks",
}  # fmt: skip


def planned(test: str, **numbers: Any) -> Any:
    """The power of a test, simulated briefly where there is no formula: a page is waiting."""
    return power(test, curve=True, replications=200, **numbers)


def tests() -> dict[str, dict[str, str]]:
    """Tests whose power has a formula, so that a page need not wait, by what they compare: the usual ones first."""
    usual = card_of(USUAL_TEST)
    cards = [each.card for each in procedures() if each.card.power in CLOSED]
    cards.sort(key=lambda card: (card.name != usual.name, card.clustered, card.rank))
    groups: dict[str, dict[str, str]] = {}
    for compared, on in product(_COMPARED, _ON):
        titles = {card.name: card.title for card in cards if (card.compares, card.level) == (compared, on)}
        if titles:
            groups[f"{_COMPARED[compared]} {_ON[on]}"] = titles
    return groups


def powered(given: dict[str, str]) -> Any:
    kinds: dict[str, Any] = {"n": int, "power": float, "sd": float, "alpha": float, "learners": int}
    numbers: dict[str, Any] = {}
    for name, text in given.items():
        try:
            numbers[name] = kinds.get(name, str)(text.replace(",", "."))
        except ValueError:
            raise UsageError(f"{name} takes a number; found {text!r}.") from None
    for name, most in (("n", 100_000), ("learners", 50)):
        if numbers.get(name, 2) > most or numbers.get(name, 2) < 2:
            raise UsageError(f"{name} lies between 2 and {most:,} here; found {numbers[name]:,}.")
    return planned(numbers.pop("test", USUAL_TEST), **numbers)


def study_described(query: QueryParams) -> dict[str, Any]:
    """The study file that the form describes, checked; as `bakeoff init` writes it if nothing was changed."""
    usual = template_values()
    if "study.form" not in query:  # the form was not sent: what is not said is as usual
        chosen = {"tasks": query.getlist("study.task") or usual["tasks"]}
        chosen |= {"learners": query.getlist("study.learner") or usual["learners"], "also": usual["measures"][1:]}
    else:
        chosen = {f"{name}s": query.getlist(f"study.{name}") for name in ("task", "learner")}
        chosen["also"] = query.getlist("study.also")
    plain = {
        name: query.get(f"study.{name}") or str(usual[name] or "") for name in ("question", "seed", "alpha", "margin")
    }
    plain["measure"] = query.get("study.measure") or usual["measures"][0]
    plain["scheme"] = query.get("study.scheme") or usual["resampling"]["scheme"]
    text, refused = "", ""
    try:
        text = written_study(_study_values(plain, chosen, query))
        study_from(tomllib.loads(text), "study.toml", "study", Path())
        _refuse_mixed(plain, chosen)
    except BakeoffError as error:
        text, refused = "", str(error)
    offered: dict[str, Any] = {
        "sets": _by_kind(bundled_sets().values()),
        "known_learners": _by_kind(_known_learners().values()),
    }
    offered |= {"known_measures": list(COMPUTED), "schemes": _schemes(), "splitting": _splitting(query)}
    return {"toml": text, "builder": plain, "chosen": chosen, "builder_refusal": refused, **offered}


def _study_values(plain: dict[str, str], chosen: dict[str, list[str]], query: Mapping[str, str]) -> dict[str, Any]:
    """What the form says, as a study file has it."""
    values: dict[str, Any] = {"question": "".join(c for c in plain["question"] if c.isprintable())}
    for name, kind in (("seed", int), ("alpha", float), ("margin", float)):
        values[name] = _number(name, plain[name], kind) if plain[name] else None
    for name, what in (("task", "data set"), ("learner", "learner")):
        if not (chosen_names := chosen[f"{name}s"]):
            raise UsageError(f"Choose at least one {what}.")
        values[f"{name}s"] = chosen_names
    values["measures"] = list(dict.fromkeys([plain["measure"], *chosen["also"]]))
    if plain["scheme"] in SCHEMES and plain["scheme"] not in _schemes():
        raise UsageError(f"The scheme {plain['scheme']} needs more than these data sets have. Choose another one.")
    usual = template_values()["resampling"]
    resampling: dict[str, Any] = {"scheme": plain["scheme"]}
    for name, (counted, schemes) in _parameters().items():
        if plain["scheme"] in schemes and (text := query.get(f"study.{name}")):
            resampling[name] = _number(name, text, counted)
        elif plain["scheme"] == usual["scheme"] and name in usual:
            resampling[name] = usual[name]
    return values | {"resampling": resampling}


def _refuse_mixed(plain: dict[str, str], chosen: dict[str, list[str]]) -> None:
    """Refuse learners and measures that are not for what the data sets ask to predict."""
    sets, learners = bundled_sets(), _known_learners()
    for data in (sets[name] for name in chosen["tasks"] if name in sets):
        for name in chosen["learners"]:
            if name in learners and learners[name].kind != data.kind:
                raise UsageError(
                    f"{data.name} is for {data.kind}, and {name} for {learners[name].kind}. Choose data sets and "
                    "learners of one kind."
                )
        for name in (plain["measure"], *chosen["also"]):
            if name in COMPUTED and data.kind not in COMPUTED[name].kinds:
                raise UsageError(
                    f"{data.name} is for {data.kind}, which {name} does not measure. Choose another measure."
                )


@dataclass(frozen=True)
class KnownLearner:
    """A learner that the builder offers."""

    name: str
    kind: str
    title: str


def _known_learners() -> dict[str, KnownLearner]:
    """Those of the template, then those that have a short name."""
    short = {each.path: each for each in SHORT_NAMES.values()}
    learners: dict[str, KnownLearner] = {}
    for each in tomllib.loads(TEMPLATE)["learner"]:
        known = short[each["path"]]
        learners[each["name"]] = KnownLearner(
            each["name"], known.kinds, known.about + (", tuned" if "tune" in each else "")
        )
    for known in SHORT_NAMES.values():
        learners.setdefault(known.name, KnownLearner(known.name, known.kinds, known.about))
    return learners


def _by_kind(offered: Iterable[Any]) -> dict[str, list[Any]]:
    kinds: dict[str, list[Any]] = {}
    for each in offered:
        kinds.setdefault(each.kind, []).append(each)
    return kinds


def _schemes() -> dict[str, str]:
    """The schemes for data sets as they are, each with a line about it."""
    needing = ("needs_given_test", "needs_draws", "needs_groups", "reads_file", "of_user")
    return {name: kind.about for name, kind in SCHEMES.items() if not any(getattr(kind, need) for need in needing)}


def _parameters() -> dict[str, tuple[type, dict[str, Any]]]:
    """The numbers that schemes take: their type, and for each scheme what is usual."""
    parameters: dict[str, tuple[type, dict[str, Any]]] = {}
    for scheme in _schemes():
        for each in fields(SCHEMES[scheme]):  # type: ignore[arg-type]  # every scheme is a dataclass
            if type(each.default) in (int, float):
                parameters.setdefault(each.name, (type(each.default), {}))[1][scheme] = each.default
    return parameters


def _splitting(query: Mapping[str, str]) -> list[dict[str, Any]]:
    """The fields for those numbers."""
    usual = template_values()["resampling"]
    return [
        {"name": name, "schemes": schemes, "value": query.get(f"study.{name}", "" if query else usual.get(name, ""))}
        for name, (_, schemes) in _parameters().items()
    ]


def _number(name: str, text: str, kind: type) -> Any:
    try:
        return kind(text.replace(",", "."))
    except ValueError:
        raise UsageError(f"{name} takes a number; found {text!r}.") from None
