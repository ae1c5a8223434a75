"""Rulebooks: their sections, and which clauses and scenarios of the rules cite them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from attrs import frozen

from rulesdsl import syntax
from rulesdsl.diagnostics import Source
from rulesdsl.program import parse_text
from rulesdsl.rulebooks import rulebooks_named
from rulesdsl.variants.clauses import clauses_of

_HEADING = re.compile(r"^(#+)[ ]+(\d+(?:\.\d+)*[a-z]?)[ .]+(.*?)[ ]*$", re.MULTILINE)
_CITED = re.compile(r"§\s?(\d+(?:\.\d+)*[a-z]?)\b")
_NOT_MODELLED = "(not modelled)"


@frozen
class Section:
    """A numbered heading of a rulebook. `modelled` is False where its title, or that of a section around it, says so."""

    number: str
    title: str
    file: str
    line: int
    modelled: bool = True

    @property
    def name(self) -> str:
        return f'§{self.number} "{self.title}"'


@frozen
class Rulebook:
    """One file, by the name that messages give it."""

    name: str
    text: str

    @property
    def sections(self) -> list[Section]:
        """Its sections in order."""
        found: list[Section] = []
        missing: set[str] = set()
        for heading in _HEADING.finditer(self.text):
            number, title = heading[2], heading[3]
            outside = _NOT_MODELLED in title or any(number.startswith(f"{other}.") for other in missing)
            missing |= {number} if outside else set()
            line = self.text.count("\n", 0, heading.start()) + 1
            found.append(Section(number, title.replace(_NOT_MODELLED, "").strip(), self.name, line, not outside))
        return found


@frozen
class Citation:
    """A clause or a scenario that cites sections: its name, its place, and their numbers."""

    name: str
    file: str
    line: int
    sections: tuple[str, ...]

    @property
    def is_scenario(self) -> bool:
        return self.name.startswith("scenario ")


def rulebooks_of(source: Source) -> list[Rulebook]:
    """The rulebooks of a game: the base's first, then those of its variants. Files that are not there are left out."""
    found = {
        book.path: Rulebook(book.name, book.path.read_text(encoding="utf-8"))
        for book in rulebooks_named(source)
        if book.path.is_file()
    }
    return list(found.values())


def sections_of(books: Iterable[Rulebook]) -> dict[str, Section]:
    """All sections by number; a variant's stands for one of the same number in the base's rulebook."""
    return {section.number: section for book in books for section in book.sections}


def citations(module: syntax.Module) -> Iterator[Citation]:
    """Everything in a program whose comment cites sections."""
    for decl in module.declarations:
        if isinstance(decl, syntax.State):
            yield from _cited("state", decl)
    for clause in clauses_of(module).values():
        yield from _cited(clause.name, clause.node)


def changes_citing(source: Source) -> Iterator[Citation]:
    """What cites sections in variants and leaves no clause of its own: what is taken away, set, or added to a choice."""
    for text in source.all:
        for delta in parse_text(text).deltas:
            if isinstance(delta, (syntax.Remove, syntax.RemoveScenarios, syntax.SetParam, syntax.AddChoice)):
                yield from _cited(re.sub(r"(?s):\n.*| because .*|: .*| = .*", "", delta.span.text.strip()), delta)


def _cited(name: str, node: object) -> Iterator[Citation]:
    doc, span = getattr(node, "doc", ""), getattr(node, "span", None)
    numbers = tuple(dict.fromkeys(_CITED.findall(doc)))
    if numbers and span is not None:
        yield Citation(name, span.source.name, span.line, numbers)


def uncited(sections: Mapping[str, Section], cited: Iterable[str]) -> list[Section]:
    """Sections that no clause cites, by themselves or through a part of them, and that do not say that they are not modelled."""
    known = set(cited)
    return [
        section
        for section in sections.values()
        if section.modelled
        and section.number not in known
        and not any(other.startswith(f"{section.number}.") for other in (*known, *sections))
    ]


def unknown(sections: Mapping[str, Section], cites: Iterable[Citation]) -> list[tuple[Citation, str]]:
    """Citations of sections that no rulebook has."""
    return [(cite, number) for cite in cites for number in cite.sections if number not in sections]
