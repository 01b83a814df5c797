"""What a gate writes for the tools around it: a comment in Markdown, JUnit's XML, and what GitHub reads.

Names come from files of others: in each form they are escaped, so that they show as text. Nothing is sent anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from xml.etree import ElementTree

from bakeoff import text as show
from bakeoff.errors import UsageError
from bakeoff.judging.gates import Gate, GateComparison, GateOutcome, details
from bakeoff.text import markdown_text

MOST_BYTES = 60_000  # a comment of GitHub takes 64 kB, and loses all of a longer one
MOST_LISTED = 200
_ALERT = {
    GateOutcome.PASS: "TIP",
    GateOutcome.FAIL: "CAUTION",
    GateOutcome.UNDECIDED: "WARNING",
    GateOutcome.UNUSABLE: "CAUTION",
}
# What XML 1.0 cannot hold, escaped or not.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def markdown(gate: Gate, name: str = "bakeoff") -> str:
    """A comment of at most 60 kB; the marker in its first line tells which one to update.

    What does not fit is left out from the end, with a line that says so.
    """
    if not re.fullmatch(r"[\w.-]{1,60}", name):
        raise UsageError(f"The name of a gate is made of letters, digits, '.', '_' and '-'; found {name!r}.")
    head = [
        f"<!-- bakeoff-gate:{name} -->",
        f"> [!{_ALERT.get(gate.outcome, 'CAUTION')}]",
        f"> **{markdown_text(gate.headline)}**",
        "",
    ]
    parts = ["\n".join([*head, *_table(gate.comparisons)])]
    parts += [_section(each) for each in gate.comparisons if each.outcome is not GateOutcome.UNUSABLE]
    if gate.inputs:
        rows = [f"| {each.name} | {markdown_text(each.path)} | `{each.sha256[:16] or '–'}` |" for each in gate.inputs]
        parts.append("\n".join(["| input | file | sha256 |", "|---|---|---|", *rows]))
    parts += ["\n".join(f"- {markdown_text(note)}" for note in gate.notes)] if gate.notes else []
    if gate.all_warnings:
        parts.append("\n".join(f"- {markdown_text(str(warning))}" for warning in gate.all_warnings))
    return _within(parts)


def _within(parts: Sequence[str]) -> str:
    """The parts that fit, the first in any case; and how many were left out."""
    kept, size = [], 0
    for number, part in enumerate(parts):
        size += len(part.encode()) + 2
        if size > MOST_BYTES - 200:
            left = len(parts) - number
            kept.append(f"… {show.counted(left, 'parts')} left out: a comment takes 60 kB. The JSON file has all.")
            if not number:
                kept.insert(0, parts[0].encode()[: MOST_BYTES - 400].decode(errors="ignore"))
            break
        kept.append(part)
    return "\n\n".join(kept) + "\n"


def _table(comparisons: Sequence[GateComparison]) -> Iterator[str]:
    yield "| | verdict | candidate − baseline | lower bound | margin | compared on |"
    yield "|---|---|---:|---:|---:|---|"
    for each in comparisons[:MOST_LISTED]:
        numbers = [show.number(x) or "–" for x in (each.difference, each.lower, -each.margin)]
        on = each.counted if each.blocks else each.reason
        title = markdown_text(show.shortened(on, 200))
        yield f"| {markdown_text(each.name)} | {each.outcome} | {' | '.join(numbers)} | {title} |"
    if len(comparisons) > MOST_LISTED:
        yield f"| … and {len(comparisons) - MOST_LISTED} more | | | | | |"


def _section(each: GateComparison) -> str:
    summary = f"{each.name}: {len(each.broke)} broke, {len(each.mended)} mended"
    lines = [f"- {markdown_text(line)}" for line in details(each)]
    listed = [
        f"- {title}: "
        + ", ".join(f"<code>{escape(show.shortened(item, 80))}</code>" for item in items[:MOST_LISTED])
        + (f" and {len(items) - MOST_LISTED} more" if len(items) > MOST_LISTED else "")
        for title, items in (("broke", each.broke), ("mended", each.mended))
        if items
    ]
    return "\n".join([f"<details><summary>{escape(summary)}</summary>", "", *lines, *listed, "", "</details>"])


# ----------------------------------------------------------------------------------------------------------------------


def junit(gate: Gate) -> str:
    """A test suite with a case for each comparison: what failed or is undecided is a failure, what cannot be compared
    an error; what is undecided and only to be warned of is skipped."""
    suite = ElementTree.Element("testsuite", name="bakeoff gate", tests=str(len(gate.comparisons)))
    counts = {"failure": 0, "error": 0, "skipped": 0}
    for each in gate.comparisons:
        case = ElementTree.SubElement(suite, "testcase", classname="bakeoff.gate", name=_xml(each.name))
        kind = _junit_kind(each.outcome, gate.on_undecided)
        if kind:
            counts[kind] += 1
            sort = "inferior" if each.outcome is GateOutcome.FAIL else each.outcome.value
            shown = ElementTree.SubElement(case, kind, message=_xml(each.sentence))
            if kind != "skipped":
                shown.set("type", sort)
            shown.text = _xml("\n".join(details(each)) or each.reason)
        output = ElementTree.SubElement(case, "system-out")
        output.text = _xml("\n".join([each.sentence, *details(each)]))
    suite.set("failures", str(counts["failure"]))
    suite.set("errors", str(counts["error"]))
    suite.set("skipped", str(counts["skipped"]))
    ElementTree.indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suite, encoding="unicode") + "\n"


def _junit_kind(outcome: GateOutcome, on_undecided: str) -> str:
    if outcome is GateOutcome.UNDECIDED:
        return "skipped" if on_undecided == "warn" else "failure"
    return {GateOutcome.PASS: "", GateOutcome.FAIL: "failure", GateOutcome.UNUSABLE: "error"}[outcome]


def _xml(text: str) -> str:
    return _NOT_XML.sub("�", text)


# ----------------------------------------------------------------------------------------------------------------------


def report_to_github(gate: Gate, environment: Mapping[str, str], name: str = "bakeoff") -> str:
    """Write the summary of the step and its outputs where GitHub says; return the annotation to print.

    No network is used and no token needed: posting a comment is the workflow's.
    """
    summary, output = environment.get("GITHUB_STEP_SUMMARY"), environment.get("GITHUB_OUTPUT")
    if summary:
        _append(summary, markdown(gate, name))
    if output:
        worst = min(gate.comparisons, key=lambda each: (each.outcome is GateOutcome.PASS, each.lower))
        values = {
            "verdict": gate.outcome.value,
            "passed": str(gate.passed).lower(),
            "difference": repr(worst.difference),
            "lower": repr(worst.lower),
            "margin": repr(gate.margin),
        }
        _append(output, "".join(f"{key}={value}\n" for key, value in values.items()))
    kind = {"pass": "notice", "undecided": "warning" if gate.on_undecided == "warn" else "error"}
    return f"::{kind.get(gate.outcome.value, 'error')} title=bakeoff gate::{_command(gate.headline)}"


def _append(path: str, text: str) -> None:
    try:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as refused:
        raise UsageError(f"{path} was named by the environment to be written to, and cannot be: {refused}.") from None


def _command(text: str) -> str:
    """A text as GitHub's workflow commands take it, so that it is no command of its own."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
