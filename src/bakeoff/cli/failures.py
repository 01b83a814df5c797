"""`bakeoff failures`: what went wrong in a study, grouped."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from bakeoff.cli.output import emit
from bakeoff.cli.studying import stored, study_of
from bakeoff.presentation import count, listing, plain, to_json, wrapped
from bakeoff.stores.failures import FailureGroup, failures


def run(arguments: argparse.Namespace, rest: Sequence[str]) -> None:
    study, path = study_of(arguments)
    with stored(study, path, arguments.study) as store:
        groups = failures(store, study.key)
    if arguments.json:
        emit(arguments, to_json({"study": study.key, "failures": [_as_dict(group) for group in groups]}))
        return
    if not groups:
        emit(arguments, "No cell failed.")
        return
    total = sum(group.count for group in groups)
    parts = [f"{count(total)} cell{'s' * (total != 1)} failed, in {len(groups)} group{'s' * (len(groups) != 1)}."]
    parts += [_as_text(group, arguments.full) for group in groups]
    parts.append(f"Try them again with: bakeoff run {arguments.study} --retry failed")
    emit(arguments, "\n\n".join(parts))


def _as_dict(group: FailureGroup) -> dict[str, Any]:
    examples = [{"where": example.where, **plain(example)} for example in group.examples]
    return {**plain(group), "examples": examples}


def _as_text(group: FailureGroup, full: bool) -> str:
    example = group.examples[0]
    where = f"e.g. {example.where}, seed {example.seed}"
    tried = f", tried {example.tries} times" if example.tries > 1 else ""
    lines = [
        f"{count(group.count)} × {group.learner}: {group.status}",
        wrapped(group.message, indent="    "),
        wrapped(f"on {listing(group.tasks, 5)}; {where}{tried}", indent="    "),
    ]
    if full and example.detail:
        lines.append("\n".join(f"    | {line}" for line in example.detail.splitlines()))
    return "\n".join(line if line.startswith(" ") or i == 0 else f"    {line}" for i, line in enumerate(lines))
