"""A small printer of texts that may have to be broken over lines.

A `Doc` is a text, a sequence, a bracket with items, or a chain of operands. `lines` prints it on one line when it fits;
otherwise it breaks the widest part. The items of a broken bracket stand on one line between the brackets when they fit
there, otherwise each on a line of its own; a chain is put in parentheses and broken before each operator. Comments between
items force a line for each.
"""

from __future__ import annotations

from typing import Union

from attrs import evolve, frozen

WIDTH = 120
STEP = 4


@frozen
class Item:
    """An item of a bracket or a chain, with the comment lines before it and the comment at its end."""

    doc: Doc
    before: tuple[str, ...] = ()
    trailing: str = ""


@frozen
class Seq:
    parts: tuple[Doc, ...]


@frozen
class Bracket:
    """`open item, item close`. The clauses of a comprehension are items without a comma between them. `last` are comment lines
    before the closing bracket."""

    open: str
    items: tuple[Item, ...]
    close: str
    comma: bool = True
    last: tuple[str, ...] = ()


@frozen
class Chain:
    """Operands with the operators before them; the first operator is empty."""

    operands: tuple[tuple[str, Item], ...]


Doc = Union[str, Seq, Bracket, Chain]


def flat(doc: Doc) -> str:
    """The text on one line, without comments."""
    if isinstance(doc, str):
        return doc
    if isinstance(doc, Seq):
        return "".join(flat(part) for part in doc.parts)
    if isinstance(doc, Bracket):
        return doc.open + (", " if doc.comma else " ").join(flat(item.doc) for item in doc.items) + doc.close
    return " ".join(f"{operator} {flat(item.doc)}".lstrip() for operator, item in doc.operands)


def _forced(doc: Doc) -> bool:
    """Whether comments keep this from standing on one line."""
    if isinstance(doc, str):
        return False
    if isinstance(doc, Seq):
        return any(_forced(part) for part in doc.parts)
    if isinstance(doc, Bracket):
        return bool(doc.last) or any(_forced_item(item) for item in doc.items)
    return any(_forced_item(item) for _, item in doc.operands)


def _forced_item(item: Item) -> bool:
    return bool(item.before or item.trailing) or _forced(item.doc)


def _breakable(doc: Doc) -> bool:
    if isinstance(doc, Seq):
        return any(_breakable(part) for part in doc.parts)
    return not isinstance(doc, str)


def lines(doc: Doc, indent: int, prefix: str = "", suffix: str = "", *, bare: bool = False, width: int = WIDTH) -> list[str]:
    """The lines of a doc, of so many columns. `bare` chains stand in a bracket of their own already."""
    pad = " " * indent
    if not _forced(doc):
        text = pad + prefix + flat(doc) + suffix
        if len(text) <= width or not _breakable(doc):
            return [text]
    return _broken(doc, indent, prefix, suffix, width, bare=bare)


def _broken(doc: Doc, indent: int, prefix: str, suffix: str, width: int, *, bare: bool = False) -> list[str]:
    if isinstance(doc, Seq):
        return _sequence(doc, indent, prefix, suffix, width)
    pad = " " * indent
    if isinstance(doc, Bracket):
        return [pad + prefix + doc.open, *_inside(doc, indent + STEP, width), pad + doc.close + suffix]
    assert isinstance(doc, Chain)
    if bare:
        return _operands(doc, indent, prefix, suffix, width)
    return [f"{pad}{prefix}(", *lines(doc, indent + STEP, bare=True, width=width), f"{pad}){suffix}"]


def _sequence(doc: Seq, indent: int, prefix: str, suffix: str, width: int) -> list[str]:
    """Breaks the parts that must be broken, or else the widest one that can be."""
    broken = [i for i, part in enumerate(doc.parts) if _forced(part)]
    if not broken:
        candidates = [i for i, part in enumerate(doc.parts) if _breakable(part)]
        broken = [max(candidates, key=lambda i: (len(flat(doc.parts[i])), i))]
    done: list[str] = []
    current = prefix
    for i, part in enumerate(doc.parts):
        if i in broken:
            *whole, last = _broken(part, indent, current, "", width)
            done += whole
            current = last.lstrip()
        else:
            current += flat(part)
    return [*done, " " * indent + current + suffix]


def _inside(doc: Bracket, indent: int, width: int) -> list[str]:
    """The lines between the brackets."""
    pad = " " * indent
    if not _forced(doc):
        together = pad + flat(evolve(doc, open="", close=""))
        if len(together) <= width:
            return [together]
    result: list[str] = []
    for i, item in enumerate(doc.items):
        comma = "," if doc.comma and i + 1 < len(doc.items) else ""
        bare = len(doc.items) == 1 or not doc.comma
        result += [pad + comment for comment in item.before]
        result += _with_comment(lines(item.doc, indent, "", comma, bare=bare, width=width), item.trailing)
    return result + [pad + comment for comment in doc.last]


def _operands(doc: Chain, indent: int, prefix: str, suffix: str, width: int) -> list[str]:
    result: list[str] = []
    for i, (operator, item) in enumerate(doc.operands):
        result += [" " * indent + comment for comment in item.before]
        lead = prefix if i == 0 else ""
        end = suffix if i + 1 == len(doc.operands) else ""
        result += _with_comment(lines(item.doc, indent, f"{lead}{operator} ".lstrip(), end, width=width), item.trailing)
    return result


def _with_comment(texts: list[str], comment: str) -> list[str]:
    return [*texts[:-1], f"{texts[-1]}  {comment}"] if comment else texts
