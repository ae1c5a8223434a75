"""Variants and their base: `rulesdsl diff` shows what changes, `rulesdsl lock` keeps what a variant was written against."""

from __future__ import annotations

import difflib
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click import unstyle

from rulesdsl.variants.deltas import SIDES, TEXTS
from table.console import paint, plural, say, say_diagnostics, say_json, show, width
from table.files import shown, typed
from table.options import as_json, no_colour, rules_files, with_variants

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.text import Text

    from playtest.changes import Tested
    from rulesdsl.diagnostics import Source
    from rulesdsl.variants.diff import Change, Difference

DIFF_EXAMPLES = """\b
Examples:
  rulesdsl diff games/atlantis.rules games/variants/atlantis_sprint.rules
  rulesdsl diff atlantis --with atlantis_sprint --with atlantis_boats
  rulesdsl diff old.rules new.rules --json
"""

LOCK_EXAMPLES = """\b
Examples:
  rulesdsl lock games/variants/*.rules
  rulesdsl lock --check mine.rules
"""

# As many lines of a clause are shown as they are; of longer ones those that differ.
_WHOLE = 5

# What stands at the left of rules: a sign, the kind, `was` or `now`.
_INDENT = 17


# ---------------------------------------------------------------- diff


@click.command("diff", epilog=DIFF_EXAMPLES)
@rules_files
@with_variants
@as_json
@no_colour
def diff_command(files: tuple[Path, ...], variants: tuple[Path, ...], json_wanted: bool) -> int:
    """Show what is different between two rules files, clause by clause.

    With one file and --with, the variants are compared with the file. Where the second is a variant of the first, the
    scenarios of the first are run under it.
    """
    from rulesdsl.program import compose_source
    from rulesdsl.variants.diff import difference
    from table.loading import source_of

    if len(files) != (1 if variants else 2):
        raise click.UsageError("two files are compared, or one with its variants (--with)")
    first, second = source_of(files[0]), source_of(files[-1], variants)
    composed = compose_source(second)
    room = None if json_wanted else max(40, width() - _INDENT)
    found = difference(compose_source(first).module, composed.module, composed.overrides, room)
    tested = _tested(first, second)
    if json_wanted:
        say_json(_plain(found, tested))
    else:
        variants_of_it = [text for text in second.all if text.text not in [other.text for other in first.all]]
        _say(found, tested, variants_of_it if tested is not None else [])
    return 0


def _tested(first: Source, second: Source) -> Tested | None:
    """The scenarios of the first file under the second, if that is a variant of it."""
    from playtest.changes import run_tests

    if first.text not in [text.text for text in second.all] or (first.text == second.text and not second.extras):
        return None
    return run_tests(second, base=first)


def _say(found: Difference, tested: Tested | None, texts: Sequence[Source]) -> None:
    """A variant's changes, then how much is left as it is, and how the scenarios of the base went."""
    from table.check import of_the_base

    say_changes(found, texts)
    parts = [unchanged(found)]
    parts += [of_the_base(tested)] if tested is not None and tested.base else []
    say((" · " if len(unstyle(" · ".join(parts))) <= width() else "\n").join(parts))


def unchanged(found: Difference) -> str:
    """How much is left as it is."""
    return f"{found.unchanged} of {plural(found.total, 'clause')} unchanged"


def say_changes(found: Difference, texts: Sequence[Source]) -> None:
    """A variant's changes as it writes them, under its headings; other differences in the order of the first file."""
    from rulesdsl.variants.diff import as_written

    changes = as_written(found.changes, texts) if texts else [("", change) for change in found.changes]
    names = [change.kind for _, change in changes]
    kind = min(max(map(len, names), default=0), 9)
    name = max((len(_name(c)) for _, c in changes if len(_name(c)) <= 24 and c.kind not in TEXTS), default=0)
    under = ""
    for (heading, change), following in zip(changes, [*changes[1:], None], strict=False):
        if heading != under:
            say(("" if change is changes[0][1] else "\n") + paint(heading, bold=True, underline=True))
            under = heading
        show(
            _lines(
                change, kind, name, following is not None and following[0] == heading and _alike(change, following[1])
            )
        )
    if under:
        say("")


_STYLES = {"+": "green", "-": "red", "~": "yellow"}


def _alike(change: Change, other: Change) -> bool:
    """Whether two things are gone for one reason. It is told once, after the last of them."""
    gone = change.sign == other.sign == "-" and change.kind != "scenarios" != other.kind
    return gone and bool(change.because) and change.because == other.because


def _lines(change: Change, kind: int, name: int, untold: bool) -> list[Text]:
    """A change: its sign, its clause, what is said about it if it is not told later, its place, and what it was and is."""
    from rich.text import Text

    titled, told = change.kind in TEXTS, "" if untold else _told(change)
    head = Text(f"{change.sign} ", style=_STYLES[change.sign]).append(change.kind.ljust(kind)).append(" ")
    head.append(_name(change) if titled or not change.name else _name(change).ljust(name), style="bold")
    place = f"{Path(change.span.source.name).name}:{change.span.line}"
    beside = "  " * bool(change.name) + told
    fits = not titled and head.cell_len + len(beside) + 2 + len(place) <= width()
    if told and fits:
        head.append(beside)
    if not fits:
        head.rstrip()
    lines = [head]
    if told and not fits:
        lines.append(Text(" " * (kind + 3)).append(told))
    roomy = next((line for line in lines if line.cell_len + 2 + len(place) <= width()), None)
    if roomy is None:
        lines.insert(1, roomy := Text())
    roomy.pad_right(width() - len(place) - roomy.cell_len)
    roomy.append(place, style="dim")
    if _is_short(change) and change.doc:
        lines.append(Text(" " * (kind + 3)).append(change.doc))
    if (
        change.kind != "scenario"
        and not _is_short(change)
        and (change.sign == "~" or change.kind in (*SIDES, "require"))
    ):
        lines += _sides(change, kind + 3)
    return lines


def _name(change: Change) -> str:
    """The clause without its kind, and without the number that tells what several variants put at one step."""
    return re.sub(r" \(\d+\)$", "", change.name) if change.kind in SIDES else change.name


def _is_short(change: Change) -> bool:
    """Whether `was` and `now` stand on the line of the clause."""
    if change.kind == "goals":
        return True
    return change.sign == "~" and change.kind in ("param", "title") and "\n" not in change.was + change.now


def _told(change: Change) -> str:
    """What is said of a change: its values, why it is, or, of something new, what it is."""
    if _is_short(change):
        told = "  →  ".join(text for text in (change.was, change.now) if text)
        return f"{told}, because {change.because}" if change.because else told
    if change.kind == "scenarios":
        return f"{len(change.was.splitlines())} of them, because {change.because}"
    if change.because:
        return f"because {change.because}"
    if change.sign != "+" or change.kind in (*SIDES, *TEXTS, "require"):
        return change.doc
    return change.doc or _in_short(change)


def _in_short(change: Change) -> str:
    """Something new of which nothing is said: the sentence of an event, what others rely on of a def, a value."""
    first, _, more = change.now.partition("\n")
    sentence = re.match(r'\s*("[^"]*")', more) if change.kind == "event" else None
    if sentence is not None:
        return sentence[1]
    whole = " ".join(change.now.split()) if change.kind in ("const", "field") else first
    name = change.name if change.kind in ("const", "def", "event", "action", "flow") else ""
    return whole.partition(name)[2].lstrip(": ").removesuffix(":") if name else whole


def _sides(change: Change, indent: int) -> list[Text]:
    """`was` and `now`, line by line, with what differs in colour; of long clauses only that."""
    from rich.text import Text

    was, now = [text.split("\n") if text else [] for text in (change.was, change.now)]
    if max(len(was), len(now)) > _WHOLE:
        was, now = _differing(was, now)
    found = []
    for word, lines, others, colour in (("was", was, now, "red"), ("now", now, was, "green")):
        for number, line in enumerate(lines):
            style = colour if was and now and line not in (*others, "...") else ""
            for part, piece in enumerate(_pieces(line, width() - indent - 5)):
                label = word if number == part == 0 else ""
                found.append(Text(" " * indent).append(label.ljust(5), style="dim").append(piece, style=style))
    return found


_JOINTS = (r"for ", r"(if|else|and|or) ", r"(in|is|==|!=|[<>]=?) ", r"[-+*|&] ")
"""What joins the parts of an expression, the loosest first: a line is broken before it."""


def _pieces(line: str, room: int) -> list[str]:
    """A line of rules in pieces that fit, the further ones indented: broken where the fewest brackets are open and what joins the
    parts is loosest."""
    pieces, indent = [], " " * (len(line) - len(line.lstrip()) + 4)
    while len(line) > room:
        depth, quoted, places = 0, False, []
        for place, sign in enumerate(line[: room + 1]):
            quoted ^= sign == '"'
            depth += 0 if quoted else (sign in "([{") - (sign in ")]}")
            if sign == " " and not quoted and line[:place].strip():
                joints = [bool(re.match(joint, line[place + 1 :])) for joint in _JOINTS]
                tightness = 0 if line[:place].endswith((",", " =")) else [*joints, True].index(True)
                places.append((depth, tightness, -place))
        if not places:
            break
        far = [item for item in places if -item[2] > room // 2]
        cut = -min(far or places)[2]
        pieces.append(line[:cut])
        line = indent + line[cut + 1 :]
    return [*pieces, line]


def _differing(was: list[str], now: list[str]) -> tuple[list[str], list[str]]:
    """The lines of two texts that differ, each run of others as `...`."""
    sides: tuple[list[str], list[str]] = ([], [])
    for tag, a, b, c, d in difflib.SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
        for side, lines in ((sides[0], was[a:b]), (sides[1], now[c:d])):
            side.extend(lines if tag != "equal" or len(lines) == 1 else ["..."])
    return sides


def _plain(found: Difference, tested: Tested | None) -> dict[str, Any]:
    from rulesdsl.variants.diff import as_json as change_json

    data: dict[str, Any] = {
        "changes": [change_json(change) for change in found.changes],
        "unchanged": found.unchanged,
        "total": found.total,
        "scenarios": None,
    }
    if tested is not None:
        failed = [result.text for result in tested.kept if not result.passed]
        data["scenarios"] = {
            "base": len(tested.base),
            "passed": len(tested.kept) - len(failed),
            "failed": failed,
            "replaced": list(tested.replaced),
            "removed": list(tested.removed),
        }
    return data


# ---------------------------------------------------------------- lock


@click.command("lock", epilog=LOCK_EXAMPLES)
@rules_files
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit with 1 where a lock is not up to date.")
@no_colour
def lock_command(files: tuple[Path, ...], only_check: bool) -> int:
    """Remember the clauses of the base that variants change.

    Beside `mine.rules` this writes `mine.lock`, with a digest of each clause of the base that the variant overrides. When such
    a clause is changed later, `rulesdsl check` says so until the variant is locked again.
    """
    return max([_check_lock(file) if only_check else _lock(file) for file in files])


def _lock(file: Path) -> int:
    from rulesdsl.variants.lock import lock_text
    from table.loading import source_of

    text, path = lock_text(source_of(file)), file.with_suffix(".lock")
    before = path.read_text(encoding="utf-8") if path.is_file() else None
    if text != before:
        path.write_text(text, encoding="utf-8")
    clauses = plural(text.count('": "') - text.count('"base": "'), "clause")
    say(f"{shown(path)}: {clauses} of the base" + (", as before" if text == before else ""))
    return 0


def _check_lock(file: Path) -> int:
    from rulesdsl.variants.lock import lock_text, stale
    from table.loading import source_of

    source, path = source_of(file), file.with_suffix(".lock")
    text = lock_text(source)
    if not path.is_file():
        say(paint(f"{shown(file)} is not locked", fg="yellow"))
        return 1
    kept = path.read_text(encoding="utf-8")
    if kept == text:
        say(f"{paint('ok', fg='green')}  {shown(path)}")
        return 0
    found = stale(source, kept)
    if found:
        say_diagnostics(found)
    else:
        say(
            f"{shown(path)} holds clauses that the variant does not change; make it anew with `rulesdsl lock {typed(file)}`"
        )
    return 1
