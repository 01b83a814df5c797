"""Write the documentation as a site of static pages that needs neither a server nor a network: `make docs`.

The pages are those of docs/ and the README; docs/index.md lists them, and that list is the navigation. What code knows
better (interface, commands, measures, figures, which test when) is made by `site_reference.py`. Usage:

    python tools/make_site.py [FOLDER]      default: site
"""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from pathlib import Path
from posixpath import dirname, join, normpath
from typing import Any

from jinja2 import Environment, FileSystemLoader
from markdown_it import MarkdownIt
from markdown_it.token import Token
from markupsafe import Markup
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

ROOT = Path(__file__).parents[1]
THEME = Path(__file__).parent / "site_theme"
# Pages from elsewhere in the repository, and what they are called in the site.
ELSEWHERE = {"README.md": "readme", "CONTRIBUTING.md": "contributing", "CHANGELOG.md": "changelog"}
ELSEWHERE |= {"benchmarks/README.md": "benchmarks"}


@dataclass(frozen=True)
class Page:
    """A page: how the navigation calls it, its address in the site, its Markdown, and the file that this is from."""

    name: str
    address: str
    markdown: str
    source: str = ""


@dataclass
class Group:
    """Pages under one title of the navigation."""

    title: str
    pages: list[Page] = field(default_factory=list)


@dataclass(frozen=True)
class Section:
    """A heading with what stands below it: what a search finds."""

    level: int
    text: str
    anchor: str
    body: str


def address_of(source: str) -> str:
    """Where a file of Markdown is in the site, by its path in the repository.

    >>> address_of("docs/how-to/csv.md"), address_of("README.md")
    ('how-to/csv.html', 'readme.html')
    """
    return ELSEWHERE.get(source, source.removeprefix("docs/").removesuffix(".md")) + ".html"


def anchor_of(heading: str) -> str:
    """The anchor that GitHub gives to a heading.

    >>> anchor_of("The file, key by key")
    'the-file-key-by-key'
    """
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def plan() -> list[Group]:
    """The groups of pages as docs/index.md lists them, one a heading of second order."""
    groups = [Group("bakeoff", [_page("Overview", "docs/index.md")])]
    for line in (ROOT / "docs" / "index.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            groups.append(Group(line[3:].strip()))
        elif match := re.match(r"- \[([^]]+)\]\(([^)#]+\.md)\)", line):
            groups[-1].pages.append(_page(match[1], normpath(f"docs/{match[2]}")))
    return [group for group in groups if group.pages]


def _page(name: str, source: str) -> Page:
    return Page(name, address_of(source), (ROOT / source).read_text(encoding="utf-8"), source)


# ----------------------------------------------------------------------------------------------------------------------
# From Markdown to HTML.


class Writer:
    """Markdown in the words of HTML: headings with anchors, tables that scroll, code in colours, links in the site."""

    def __init__(self, sources: Sequence[str], files: Path) -> None:
        self.sources, self.files, self.page = set(sources), files, Page("", "", "")
        self.markdown = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
        for rule in ("fence", "code_block", "table_open", "table_close", "heading_open", "heading_close"):
            self.markdown.add_render_rule(rule, getattr(self, f"_{rule}"))
        self.markdown.add_render_rule("th_open", lambda _, tokens, i, options, env: '<th scope="col">')

    def write(self, page: Page) -> tuple[str, list[Section]]:
        """The body of a page, and its sections."""
        self.page = page
        tokens = self.markdown.parse(page.markdown)
        taken: dict[str, int] = {}
        for token, inline in pairwise(tokens):
            if token.type == "heading_open":
                anchor = anchor_of(_plain(inline))
                taken[anchor] = taken.get(anchor, 0) + 1
                token.attrSet("id", anchor if taken[anchor] == 1 else f"{anchor}-{taken[anchor] - 1}")
        for token in _every(tokens):
            if token.type == "link_open":
                token.attrSet("href", self._link(str(token.attrGet("href"))))
            if token.type == "image":
                token.attrSet("src", self._link(str(token.attrGet("src"))))
        html = self.markdown.renderer.render(tokens, self.markdown.options, {})
        # A link to what is not in the site is its text.
        html = re.sub(r'<a href="">(.*?)</a>', r"\1", html, flags=re.DOTALL)
        return html, list(_sections(tokens, page.name))

    def _link(self, target: str) -> str:
        """A link as it stands in the repository as one in the site."""
        if re.match(r"[a-z]+:|#", target):
            return target
        path, _, anchor = target.partition("#")
        if not self.page.source:  # written for the site
            return target
        source = normpath(join(dirname(self.page.source), path))
        up = "../" * self.page.address.count("/")
        if source.endswith(".md") and address_of(source) in self.sources:
            return f"{up}{address_of(source)}" + (f"#{anchor}" if anchor else "")
        origin = ROOT / source
        if not origin.is_file():
            return ""
        copy = self.files / source.removeprefix("docs/")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(origin, copy)
        return f"{up}{self.files.name}/{source.removeprefix('docs/')}"

    def _fence(self, tokens: Sequence[Token], i: int, options: Any, env: Any) -> str:
        language, *words = tokens[i].info.split() or [""]
        named = next((word.partition("=")[2] for word in words if word.startswith("file=")), "")
        return (f'<p class="file">{escape(named)}</p>' if named else "") + code(tokens[i].content, language)

    def _code_block(self, tokens: Sequence[Token], i: int, options: Any, env: Any) -> str:
        return code(tokens[i].content, "")

    def _table_open(self, *_: Any) -> str:
        return '<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>'

    def _table_close(self, *_: Any) -> str:
        return "</table></div>\n"

    def _heading_open(self, tokens: Sequence[Token], i: int, options: Any, env: Any) -> str:
        return f'<{tokens[i].tag} id="{escape(str(tokens[i].attrGet("id")))}">'

    def _heading_close(self, tokens: Sequence[Token], i: int, options: Any, env: Any) -> str:
        anchor = str(tokens[i - 2].attrGet("id"))
        if tokens[i].tag == "h1":
            return "</h1>\n"
        name = escape(_plain(tokens[i - 1]))
        link = f'<a class="anchor" href="#{escape(anchor)}" aria-label="Link to {name}">#</a>'
        return f"{link}</{tokens[i].tag}>\n"


def code(text: str, language: str) -> str:
    """Code in colours; what no lexer knows as it is."""
    try:
        lexer = get_lexer_by_name({"csv": "text", "": "text"}.get(language, language))
    except ClassNotFound:
        lexer = get_lexer_by_name("text")
    return f'<pre tabindex="0"><code>{highlight(text, lexer, HtmlFormatter(nowrap=True))}</code></pre>\n'


def _every(tokens: Sequence[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from _every(token.children or [])


def _plain(token: Token) -> str:
    """What a reader sees of an inline token."""
    return "".join(part.content for part in token.children or [] if part.type in ("text", "code_inline"))


def _sections(tokens: Sequence[Token], title: str) -> Iterator[Section]:
    level, text, anchor, body = 1, title, "", []
    for i, token in enumerate(tokens):
        if token.type == "heading_open":
            if body or anchor:
                yield Section(level, text, anchor, " ".join(body))
            level, text, anchor, body = int(token.tag[1]), _plain(tokens[i + 1]), str(token.attrGet("id")), []
        elif token.type == "inline" and tokens[i - 1].type != "heading_open":
            body.append(_plain(token))
        elif token.type in ("fence", "html_block"):
            body.append(re.sub(r"<[^>]*>", " ", token.content))
    yield Section(level, text, anchor, " ".join(body))


# ----------------------------------------------------------------------------------------------------------------------
# The site.


def make(target: Path) -> int:
    """Write the site into a folder, which is emptied before; returns the number of its pages."""
    from site_reference import generated

    target = target.absolute()  # figures are drawn in a folder of their own
    if target.exists():
        shutil.rmtree(target)
    target.mkdir(parents=True)
    groups = plan()
    for title, page in generated(target):
        home = next((group for group in groups if group.title == title), None)
        if home is None:
            groups.append(home := Group(title))
        home.pages.append(page)
    pages = [page for group in groups for page in group.pages]
    writer = Writer([page.address for page in pages], target / "files")
    template = Environment(loader=FileSystemLoader(THEME), autoescape=True).get_template("page.html")
    entries = []
    for i, page in enumerate(pages):
        body, sections = writer.write(page)
        entries += [
            (page.name, part.text, page.address + (f"#{part.anchor}" if part.anchor else ""), _squeezed(part.body))
            for part in sections
        ]
        text = template.render(
            title="bakeoff" if page.address == "index.html" else page.name,
            address=page.address,
            root="../" * page.address.count("/"),
            groups=groups,
            body=Markup(body),
            headings=[part for part in sections if part.level == 2],
            before=pages[i - 1] if i else None,
            after=pages[i + 1] if i + 1 < len(pages) else None,
        )
        (target / page.address).parent.mkdir(parents=True, exist_ok=True)
        (target / page.address).write_text(text, encoding="utf-8")
    for name in ("style.css", "search.js"):
        shutil.copyfile(THEME / name, target / name)
    index = json.dumps(entries, ensure_ascii=False, separators=(",", ":")).replace("</", "<\\/")
    (target / "sections.js").write_text(f"window.sections = {index};\n", encoding="utf-8")
    return len(pages)


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def main(arguments: Sequence[str]) -> int:
    target = Path(arguments[0]) if arguments else ROOT / "site"
    count = make(target)
    print(f"{count} pages; begin at {os.path.relpath(target / 'index.html')}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
