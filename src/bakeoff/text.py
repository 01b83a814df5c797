"""How numbers, tables and warnings look. Results keep full precision; rounding happens here and nowhere else."""

from __future__ import annotations

import json
import re
import textwrap
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from itertools import accumulate, takewhile
from math import floor, isfinite, isinf, isnan, log10, nan
from typing import Any
from unicodedata import combining, east_asian_width


def number(value: float, digits: int = 4) -> str:
    """A number with that many significant digits, without an exponent where it can be avoided.

    >>> number(0.123456), number(12345.6), number(float("nan")), number(2.0), number(3e-12)
    ('0.1235', '12346', '', '2', '3e-12')
    """
    if isnan(value):
        return ""
    if isinf(value):
        return "∞" if value > 0 else "-∞"
    if value == 0:
        return "0"
    size = abs(value)
    if size >= 1e6 or size < 1e-4:
        text = f"{value:.{digits - 1}e}"
        mantissa, exponent = text.split("e")
        if "." in mantissa:
            mantissa = mantissa.rstrip("0").rstrip(".")
        text = f"{mantissa}e{int(exponent)}"
    elif size >= 10 ** (digits - 1):
        text = f"{value:.0f}"
    else:
        text = f"{value:.{digits}g}"
    return text


def decimals(values: Iterable[float], digits: int = 4) -> int:
    """How many decimals a column needs, so that its largest number has so many digits and none but zero looks like
    zero; zeros at the end that all of them have are left out.

    >>> decimals([1.924, 3.53]), decimals([0.5, 0.25]), decimals([12.0, 3.0]), decimals([0.00003, 0.05], 3)
    (3, 2, 0, 5)
    """
    sizes = [abs(value) for value in values if not isnan(value) and not isinf(value) and value != 0]
    sizes = [size for size in sizes if size >= _TINY]
    if not sizes:
        return 0
    most = min(max(digits - 1 - floor(log10(max(sizes))), 0), MOST_DECIMALS)
    while most < MOST_DECIMALS and any(round(size, most) == 0 for size in sizes):
        most += 1
    while most and all(f"{size:.{most}f}".endswith("0") for size in sizes):
        most -= 1
    return most


MOST_DECIMALS = 6
_TINY = 5 * 10.0 ** -(MOST_DECIMALS + 1)  # below it a number has an exponent, whatever its column


def fixed(value: float, places: int) -> str:
    """A number with that many decimals; one that would look like zero, or is too large for decimals, by itself.

    >>> fixed(0.5, 3), fixed(-0.0001, 3), fixed(0.0, 2), fixed(float("nan"), 2), fixed(1e9, 2)
    ('0.500', '-1e-4', '0.00', '', '1e9')
    """
    if isnan(value) or isinf(value) or abs(value) >= 1e7:
        return number(value)
    if value != 0 and round(value, places) == 0:
        mantissa, exponent = f"{value:.1e}".split("e")
        return f"{mantissa.removesuffix('.0')}e{int(exponent)}"
    return f"{value:.{places}f}"


def column(values: Sequence[float], digits: int = 4) -> list[str]:
    """Numbers below one another, all with the same decimals.

    >>> column([1.924, 3.53, float("nan")]), column([0.0019, 0.0282])
    (['1.924', '3.530', ''], ['0.0019', '0.0282'])
    """
    places = decimals(values, digits)
    return [fixed(value, places) for value in values]


def count(n: int) -> str:
    """A whole number, in groups of three digits.

    >>> count(1234567)
    '1,234,567'
    """
    return f"{n:,}"


def noun(n: int, things: str) -> str:
    """The word for so many things, of which the plural is given.

    >>> noun(2, "tasks"), noun(1, "discordant instances"), noun(1, "runs of each learner")
    ('tasks', 'discordant instance', 'run of each learner')
    """
    head, of, rest = things.partition(" of ")
    return f"{head.removesuffix('s')}{of}{rest}" if n == 1 else things


def counted(n: int, things: str) -> str:
    """So many things, of which the plural is given.

    >>> counted(3, "tasks"), counted(1, "missing values"), counted(0, "draws")
    ('3 tasks', '1 missing value', '0 draws')
    """
    return f"{n} {noun(n, things)}"


def counted_each(sizes: Sequence[int], things: str) -> str:
    """How many things each of several has, in their order.

    >>> counted_each([7, 7], "runs"), counted_each([7, 5], "runs"), counted_each([7, 5, 6], "runs")
    ('7 runs each', '7 and 5 runs', '5 to 7 runs each')
    """
    if min(sizes) == max(sizes):
        return f"{counted(sizes[0], things)} each"
    return f"{sizes[0]} and {sizes[1]} {things}" if len(sizes) == 2 else f"{min(sizes)} to {max(sizes)} {things} each"


def p_value(p: float, alpha: float = nan) -> str:
    """A p-value as it is printed: three decimals, and never zero; more where three would put it on the level itself.

    >>> p_value(0.0123), p_value(0.00004), p_value(1.0), p_value(0.0502, 0.05)
    ('0.012', '<0.001', '1.000', '0.0502')
    """
    if isnan(p):
        return ""
    if p < 0.001:
        return "<0.001"
    places = next((d for d in range(3, 8) if p <= alpha or round(p, d) > alpha or isnan(alpha)), 8)
    return f"{p:.{places}f}"


def p_equals(p: float, alpha: float = nan, sign: str = "=") -> str:
    """For running text: "p = 0.012", or with another sign, or "p < 0.001"."""
    return "p < 0.001" if p < 0.001 else f"p {sign} {p_value(p, alpha)}"


def interval(lower: float, upper: float, places: int | None = None) -> str:
    """An interval in brackets; an end that was moved to just beyond zero leaves zero out, as a round one says.

    >>> interval(-0.1, 0.25), interval(5e-324, 0.25), interval(-0.1, 0.25, 3)
    ('[-0.1, 0.25]', '(0, 0.25]', '[-0.100, 0.250]')
    """
    if isnan(lower) or isnan(upper):
        return ""
    least = 1e-300
    left, right = "(" if 0 < lower < least else "[", ")" if -least < upper < 0 else "]"
    ends = (0.0 if abs(end) < least else end for end in (lower, upper))
    return left + ", ".join(number(end) if places is None else fixed(end, places) for end in ends) + right


def percent(level: float) -> str:
    """A level of confidence in per cent, as short as it can be.

    >>> percent(0.95), percent(1 - 0.05 / 6)
    ('95 %', '99.2 %')
    """
    return f"{per_hundred(level)} %"


def per_hundred(level: float) -> str:
    """The number of `percent`, where its sign stands elsewhere."""
    return f"{100 * level:.3g}"


def clock(seconds: float) -> str:
    """A time as people say it.

    >>> clock(0.4), clock(75), clock(3 * 3600 + 240)
    ('0 s', '1 min 15 s', '3 h 04 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def listing(names: Sequence[str], most: int = 8) -> str:
    """Names in a sentence, cut short with a count.

    >>> listing(["a", "b", "c"]), listing(list("abcdef"), most=3)
    ('a, b and c', 'a, b, c and 3 more')
    """
    if len(names) > most:
        return f"{', '.join(names[:most])} and {len(names) - most} more"
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else "".join(names)


def width(text: str) -> int:
    """Columns that a text takes in a terminal: emoji and CJK take two, accents none.

    >>> width("née"), width("🙂")
    (3, 2)
    """
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(letter: str) -> int:
    return 0 if combining(letter) else 2 if east_asian_width(letter) in "WF" else 1


# All that moves a cursor, changes colours or turns the direction of writing: what a learner or a file says may not do
# that to a terminal. Line ends and tabs stay.
_COMMANDS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def shown_as_text(text: str) -> str:
    r"""A text in which commands to a terminal are shown, not obeyed.

    >>> print(shown_as_text("\x1b[31mred\x1b[0m\tand\u202eback"))
    \x1b[31mred\x1b[0m	and\u202eback
    """
    if text.isascii() and text.isprintable():
        return text
    text = text.replace("\r\n", "\n")
    return _COMMANDS.sub(lambda match: match[0].encode("unicode_escape").decode("ascii"), text)


def shortened(text: str, most: int) -> str:
    """A text in one line of at most that many columns, without characters that would command the terminal.

    >>> shortened("née Müller", 7), shortened("🙂🙂🙂", 4)
    ('née Mü…', '🙂…')
    """
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    if width(text) <= most:
        return text
    return text[: bisect_right([*accumulate(map(_columns, text))], most - 1)] + "…"


def text_table(header: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1, most: int = 40) -> str:
    """Aligned columns: the first `left` to the left, the others to the right."""
    cells = [[shortened(shown_as_text(cell), most) for cell in row] for row in (header, *rows)]
    widths = [max(width(row[i]) for row in cells) for i in range(len(header))]

    def line(row: Sequence[str]) -> str:
        parts = []
        for i, cell in enumerate(row):
            space = " " * (widths[i] - width(cell))
            parts.append(cell + space if i < left else space + cell)
        return "  ".join(parts).rstrip()

    return "\n".join([line(cells[0]), "  ".join("─" * w for w in widths), *(line(row) for row in cells[1:])])


def html_table(header: Sequence[str], rows: Sequence[Sequence[str]], caption: str = "") -> str:
    """The same as HTML, with every cell escaped."""
    from html import escape

    head = "".join(f"<th>{escape(cell)}</th>" for cell in header)
    body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~!@$&])")
_ENTITIES = {"<": "&lt;", ">": "&gt;", "@": "&#64;", "&": "&amp;"}


def markdown_text(text: str) -> str:
    r"""A text in one line that Markdown and HTML show as it is, and that calls nobody by name.

    >>> print(markdown_text("a_b|c *d* <e> @f"))
    a\_b\|c \*d\* &lt;e&gt; &#64;f
    """
    one_line = " ".join("".join(c if c.isprintable() else " " for c in shown_as_text(text)).split())
    one_line = re.sub(r"^([-+=]|\d+[.)])(?=\s|$)", "\u200b\\1", one_line)  # no list, no heading
    shown = _MARKDOWN.sub(lambda sign: _ENTITIES.get(sign[0], f"\\{sign[0]}"), one_line)
    return shown.replace("://", "&#58;//")


_AS_IT_IS = (str, int, bool, type(None))


def to_json_value(value: Any) -> Any:
    """A value as JSON knows it: records as objects, arrays as lists, NaN as null, infinities as strings."""
    if type(value) in _AS_IT_IS or (type(value) is float and isfinite(value)):  # most are: tables of numbers and names
        return value
    if type(value) in (list, tuple):
        return [to_json_value(item) for item in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_json_value(getattr(value, f.name)) for f in fields(value) if not f.name.startswith("_")}
    if isinstance(value, Mapping):
        return {str(key): to_json_value(item) for key, item in value.items()}
    if isinstance(value, Enum):
        return value.value
    if hasattr(value, "tolist"):
        return to_json_value(value.tolist())
    if isinstance(value, float):
        if isnan(value):
            return None
        return ("Infinity" if value > 0 else "-Infinity") if isinf(value) else value
    if isinstance(value, (list, tuple, set, frozenset)):
        return [to_json_value(item) for item in value]
    if value is None or isinstance(value, (str, int, bool)):
        return value
    return str(value)


def to_json(value: Any) -> str:
    return json.dumps(to_json_value(value), ensure_ascii=False, indent=2, allow_nan=False)


def wrapped(text: str, columns: int = 100, indent: str = "") -> str:
    """Running text in lines of at most that many columns; lines after the first are indented."""
    return textwrap.fill(
        unbroken(shown_as_text(text), _JOINT),
        columns,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    ).replace(_JOINT, " ")


_JOINT = "\ue000"  # for private use: a name may hold a no-break space of its own


def unbroken(text: str, joint: str = "\u00a0") -> str:
    """Text whose lines do not end between a number and what belongs to it.

    >>> unbroken("95 % interval, p = 0.01").replace("\u00a0", "_")
    '95_% interval, p_=_0.01'
    """
    return re.sub(r"(?<=\d) (?=%)|(?<=\b[pαN]) (?=[=<≥] )|(?<=\b[pαN] [=<≥]) (?=\d)", joint, text)


@dataclass(frozen=True, slots=True)
class CodedWarning:
    """`code` is stable and can be searched for; `text` says what is the case; `action` says what to do."""

    code: str
    text: str
    action: str

    def __str__(self) -> str:
        return f"[{self.code}] {self.text} {self.action}"


@dataclass(frozen=True, slots=True)
class TaskRemark:
    """A warning about one task of a study: `own` is said of it alone, and begins with its name; the passages of
    `shared` follow, and may be the same of other tasks."""

    code: str
    own: str
    shared: tuple[str, ...]
    action: str

    @property
    def text(self) -> str:
        return " ".join(["Task", self.own, *self.shared])

    @property
    def warning(self) -> CodedWarning:
        return CodedWarning(self.code, self.text, self.action)


def grouped(remarks: Iterable[TaskRemark | CodedWarning]) -> tuple[CodedWarning, ...]:
    """Warnings, those that say the same of several tasks as one: the last passages that these share are said once.

    >>> shares = ("% of the rows have a twin.",)
    >>> twins = [TaskRemark("duplicated-rows", own, shares, "Drop them.") for own in ("a: 3", "b: 4")]
    >>> [warning.text for warning in grouped(twins)]
    ['Tasks a: 3; b: 4 % of the rows have a twin.']
    """
    by_kind: dict[tuple[str, str], list[TaskRemark | CodedWarning]] = {}
    for remark in remarks:
        by_kind.setdefault((remark.code, remark.action), []).append(remark)
    return tuple(one for alike in by_kind.values() for one in _as_one(alike))


def _as_one(alike: list[TaskRemark | CodedWarning]) -> list[CodedWarning]:
    about_tasks = [each for each in alike if isinstance(each, TaskRemark)]
    shared = 0
    if 1 < len(alike) == len(about_tasks):
        from_behind = zip(*(reversed(each.shared) for each in about_tasks), strict=False)
        shared = sum(1 for _ in takewhile(lambda passages: len(set(passages)) == 1, from_behind))
    if not shared:
        return [each.warning if isinstance(each, TaskRemark) else each for each in alike]
    apart = "; ".join(" ".join([each.own, *each.shared[:-shared]]) for each in about_tasks)
    text = " ".join(["Tasks", apart, *about_tasks[0].shared[-shared:]])
    return [CodedWarning(alike[0].code, text, alike[0].action)]


# ----------------------------------------------------------------------------------------------------------------------
# LaTeX


_LATEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': r"\char34{}", "`": r"\textasciigrave{}",
    "±": r"\ensuremath{\pm}", "×": r"\ensuremath{\times}", "−": r"\ensuremath{-}", "≤": r"\ensuremath{\le}",
    "≥": r"\ensuremath{\ge}", "≈": r"\ensuremath{\approx}", "∞": r"\ensuremath{\infty}", "√": r"\ensuremath{\surd}",
    "†": r"\dag{}", "‡": r"\ddag{}", "…": r"\dots{}", "–": "--", "—": "---", "’": "'", "‘": "`",
    "“": "``", "”": "''", "²": r"\textsuperscript{2}", "₁": r"\textsubscript{1}", "₂": r"\textsubscript{2}",
    "\u00a0": "~", "\u200b": "", "→": r"\ensuremath{\rightarrow}", "·": r"\ensuremath{\cdot}", "€": r"\texteuro{}",
    "←": r"\ensuremath{\leftarrow}", "µ": r"\ensuremath{\mu}", "³": r"\textsuperscript{3}", "°": r"\ensuremath{^\circ}",
    "½": r"\ensuremath{\frac12}", "◆": r"\ensuremath{\diamond}", "●": r"\ensuremath{\bullet}",
    "○": r"\ensuremath{\circ}",
    "ß": r"\ss{}", "æ": r"\ae{}", "Æ": r"\AE{}", "ø": r"\o{}", "Ø": r"\O{}", "ł": r"\l{}", "Ł": r"\L{}", "ı": r"\i{}",
}  # fmt: skip
_GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi o pi rho varsigma sigma tau upsilon phi "
    "chi psi omega"
)
_CAPITALS = {"Γ": "Gamma", "Δ": "Delta", "Θ": "Theta", "Λ": "Lambda", "Ξ": "Xi", "Π": "Pi", "Σ": "Sigma", "Φ": "Phi"}
_CAPITALS |= {"Ψ": "Psi", "Ω": "Omega"} | {chr(0x3B1 + i): name for i, name in enumerate(_GREEK.split())}
_LATEX |= {letter: rf"\ensuremath{{\{name}}}" for letter, name in _CAPITALS.items()} | {"ο": "o"}
_LATEX_SIGNS = str.maketrans(_LATEX)


def latex_text(text: str) -> str:
    r"""A text that LaTeX sets as it is, in one line.

    >>> print(latex_text("a_b & 50 % of {c} \\input"))
    a\_b \& 50 \% of \{c\} \textbackslash{}input
    """
    return latex_letters(" ".join(shown_as_text(text).split()))


_MINUS = re.compile(r"(?<![^\s\[(,])-(?=\.?\d)")  # the sign of a number, not a hyphen


def latex_letters(line: str) -> str:
    """Letters as LaTeX sets them; of the packages that this asks for all are part of it since 2020."""
    # Of hyphens only neighbours would become dashes; the signs of a text in brackets would become an option of \\.
    text_ = re.sub(r"-(?=-)", "\ue000", re.sub(_MINUS, "\ue001", line)).translate(_LATEX_SIGNS)
    return text_.replace("\ue000", "{-}").replace("\ue001", "\\ensuremath{-}").replace("[", "{[}").replace("]", "{]}")
