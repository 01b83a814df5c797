"""The sources that cards cite: data/references.toml has them by key, and here is what they read like."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from bakeoff.errors import UsageError, nearest


@dataclass(frozen=True, slots=True)
class Reference:
    """A source, with its DOI where it has one."""

    text: str
    doi: str = ""

    def __str__(self) -> str:
        return f"{self.text} doi:{self.doi}" if self.doi else self.text


def cite(source: str) -> Reference:
    """The source of a key, which a place in it may follow.

    >>> print(cite("wilcoxon1945"))
    Wilcoxon (1945), Individual comparisons by ranking methods, Biometrics Bulletin 1, 80–83. doi:10.2307/3001968
    >>> print(cite("alpaydin2014 section 19.8"))
    Alpaydın (2014), Introduction to Machine Learning, 3rd ed., MIT Press, section 19.8.
    """
    key, _, place = source.partition(" ")
    known = _sources()
    if key not in known:
        raise UsageError(f"There is no source {key!r} in references.toml. {nearest(key, known)}")
    entry = known[key]
    parts = [f"{_names(entry['author'])} ({entry['year']})", entry["title"], _home(entry), place]
    return Reference(", ".join(part for part in parts if part) + ".", entry.get("doi", ""))


def bibtex(source: str) -> str:
    """The entry of a source in the form of BibTeX; a place in it is left out.

    >>> print(bibtex("wilcoxon1945"))
    @article{wilcoxon1945,
      author = {Wilcoxon, Frank},
      title = {{Individual comparisons by ranking methods}},
      journal = {Biometrics Bulletin},
      year = {1945},
      volume = {1},
      pages = {80--83},
      doi = {10.2307/3001968},
    }
    """
    key = source.partition(" ")[0]
    cite(key)  # which refuses what is not there
    entry = _sources()[key]
    kind = "article" if "journal" in entry else "inproceedings" if "booktitle" in entry else "book"
    lines = [
        f"  {name} = {{{_in_bibtex(name, str(entry[name]))}}},"
        for name in ("author", "title", "journal", "booktitle", "edition", "publisher", "year", "volume", "number",
                     "pages", "doi")
        if name in entry
    ]  # fmt: skip
    return "\n".join([f"@{kind}{{{key},", *lines, "}"])


def _in_bibtex(name: str, text: str) -> str:
    if name == "doi":
        return text
    text = text.replace("–", "--").replace("×", r"$\times$")
    for sign in "&%#_":
        text = text.replace(sign, f"\\{sign}")
    return f"{{{text}}}" if name == "title" else text.removesuffix(" ed.") if name == "edition" else text


def author_year(source: str) -> str:
    """How a source is named in a text.

    >>> author_year("demsar2006 section 3"), author_year("hodges1963")
    ('Demšar, 2006', 'Hodges and Lehmann, 1963')
    """
    entry = _sources()[source.partition(" ")[0]]
    names = [person.partition(",")[0] for person in entry["author"].split(" and ")]
    who = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
    return f"{who}, {entry['year']}"


@cache
def _sources() -> dict[str, dict[str, Any]]:
    import tomllib
    from importlib.resources import files

    return tomllib.loads((files("bakeoff") / "data" / "references.toml").read_text(encoding="utf-8"))


def _names(author: str) -> str:
    """
    >>> _names("Hodges, J. L. and Lehmann, E. L."), _names("Student"), _names("A, B and C, D and E, F")
    ('Hodges and Lehmann', 'Student', 'A, C and E')
    """
    names = [person.partition(",")[0] for person in author.split(" and ")]
    return " and ".join([", ".join(names[:-1]), names[-1]]) if len(names) > 1 else names[0]


def _home(entry: dict[str, Any]) -> str:
    """Where it appeared: a journal with volume and pages, proceedings with pages, or a book."""
    number = f"({entry['number']})" if "number" in entry else ""
    place = entry.get("journal", entry.get("booktitle", ""))
    volume = f"{place} {entry['volume']}{number}" if "volume" in entry else place
    parts = [entry.get("edition", ""), entry.get("publisher", ""), volume, entry.get("pages", "")]
    return ", ".join(part for part in parts if part)
