"""How the page says what was written for the command line: options become links that choose them."""

from __future__ import annotations

import re

from markupsafe import Markup

from bakeoff.web.questions import LEFT_OUT, Question


def duration(seconds: float | None) -> str:
    """A time that is left, in words.

    >>> duration(75), duration(4000), duration(None)
    ('1 min 15 s', '1 h 6 min', '')
    """
    if seconds is None:
        return ""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


# Options of the command line as the page has them: the word of the address, and its value if the option has none.
_OPTIONS: dict[str, tuple[str, str | None]] = {
    "larger-is-better": ("larger", "yes"), "smaller-is-better": ("larger", "no"), "average": ("average", "yes"),
    "transpose": ("transpose", "yes"), "anyway": ("anyway", "yes"), "unpaired": ("unpaired", "yes"),
    **{name: (name, None) for name in ("missing", "with", "adjust", "level", "rows", "shape", "measure", "cluster",
                                       "strata", "without", "task", "runs", "ratio", "about", "ignore", "margin",
                                       "resamples", "control")},
}  # fmt: skip
_LABELS = {
    ("larger", "yes"): "larger is better", ("larger", "no"): "smaller is better", ("average", "yes"): "average them",
    ("transpose", "yes"): "turn the table round", ("anyway", "yes"): "go on anyway", ("missing", ""): "gaps",
    ("unpaired", "yes"): "unpaired", ("runs", ""): "runs are", ("about", ""): "about", ("ignore", ""): "leave out",
    ("with", ""): "procedure", ("adjust", ""): "adjustment", ("without", ""): "leave out", ("task", ""): "only task",
    ("resamples", ""): "draws", ("control", ""): "all with",
}  # fmt: skip
_OPTION = re.compile(rf"--({'|'.join(_OPTIONS)}|columns)\b(?:[ =]('[^']*'|[\w.+/=,-]*[\w+]))?")
_COMMAND = re.compile(r"`([^`]+)`")


def spoken(text: str, question: Question | None, page: str) -> Markup:
    """A sentence that was written for the command line as the page says it: an option is a link that chooses it.

    >>> spoken("Try --missing worst (in Python missing='worst').", Question(("file:a",)), "/decide")
    Markup('Try <a href="/decide?of=file%3Aa&amp;missing=worst">gaps: worst</a>.')
    """
    text = re.sub(
        r"[;,]? ?\(in Python [^()]*(?:\([^()]*\)[^()]*)*\)|[;,] in Python [^();]*(?:\([^()]*\))*[^();.]*", "", text
    )
    markup, end = Markup(), 0
    for match in _OPTION.finditer(text):
        name, fixed = _OPTIONS.get(match[1], (match[1], None))
        value, stop = (fixed, match.end(1)) if fixed else ((match[2] or "").strip("'"), match.end())
        words, label = _chosen(name, value)
        before = text[end : match.start()]
        if before.lower().endswith(f"{label} (") and text[stop : stop + 1] == ")":  # what it does was just said
            label, before, stop = before[-len(label) - 2 : -2], before[: -len(label) - 2], stop + 1
        markup += _with_commands(before)
        if question is None or not words or any(phrase.isupper() for phrase in (value, *map(_header, words))):
            markup += label  # NAME stands for one
        else:
            changed = question
            for word, phrase in words:
                changed = changed.adding(word, phrase)
            markup += Markup('<a href="{}?{}">{}</a>').format(page, changed.query, label)
        end = stop
    return markup + _with_commands(text[end:])


def _chosen(name: str, value: str) -> tuple[list[tuple[str, str]], str]:
    """The words of an address that an option stands for, and how the page says it.

    >>> _chosen("columns", "learner=who,task=what")
    ([('as:who', 'learner'), ('as:what', 'task')], 'who is the learner, what is the task')
    """
    label = _LABELS.get((name, value), f"{_LABELS.get((name, ''), name)}: {value}" if value else name)
    if not value:
        return [], label
    if name == "ignore":
        return [(f"as:{value}", LEFT_OUT)], label
    if name == "columns":
        pairs = [part.partition("=")[::2] for part in value.split(",")]
        choices = [(f"as:{header}", role) for role, header in pairs if header]
        return choices, ", ".join(f"{_header(each)} is the {each[1]}" for each in choices)
    return [(name, value)], label


def _header(word: tuple[str, str]) -> str:
    return word[0].removeprefix("as:")


def _with_commands(text: str) -> Markup:
    """What stands between backticks as code."""
    return Markup().join(
        Markup("<code>{}</code>").format(part) if place % 2 else part for place, part in enumerate(_COMMAND.split(text))
    )
