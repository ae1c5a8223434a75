"""Coverage as a page: the text of the rules, coloured by what was come to, and the rulebook beside it."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rulesdsl.points import CLAUSE, Point
from table.console import plural

if TYPE_CHECKING:
    from playtest.coverage import Counts, Coverage
    from playtest.rulebook import Rulebook, Section
    from rulesdsl.diagnostics import Source

_STYLE = """
:root { --ok: #e3f1e2; --part: #fbeec8; --miss: #f8d4cf; --ink: #22303a; --dim: #7d8a92; --line: #dde3e6; --link: #1f6f8b; }
* { box-sizing: border-box; }
body { margin: 0; font: 14px/1.5 system-ui, sans-serif; color: var(--ink); height: 100vh; display: flex; flex-direction: column; }
header { padding: 10px 18px; border-bottom: 1px solid var(--line); }
header h1 { font-size: 17px; margin: 0; display: inline; }
header .key span { padding: 1px 8px; margin-left: 8px; border-radius: 3px; }
header ul { margin: 6px 0 0; padding: 0; list-style: none; max-height: 22vh; overflow: auto; }
header li { padding: 1px 0; } header b { font-weight: 600; display: inline-block; min-width: 9em; }
main { display: flex; flex: 1; min-height: 0; }
main > div { flex: 3; overflow: auto; padding: 0 0 60vh; } main > div + div { flex: 2; border-left: 1px solid var(--line); max-width: 44em; }
main section { margin: 0 18px; } main section, main tr { scroll-margin-top: 42px; }
h2.file { font-size: 14px; margin: 0; padding: 8px 18px; background: #f4f6f7; border-bottom: 1px solid var(--line); position: sticky; top: 0; }
table { border-collapse: collapse; width: 100%; font: 12.5px/1.55 ui-monospace, monospace; }
td { padding: 0 8px; vertical-align: top; white-space: pre-wrap; } td.n { color: var(--dim); text-align: right; width: 1%; white-space: pre; user-select: none; }
tr.ok td.t { background: var(--ok); } tr.part td.t { background: var(--part); } tr.miss td.t { background: var(--miss); }
mark { background: #f0a59b; color: inherit; border-radius: 2px; } .c { color: var(--dim); } a { color: var(--link); text-decoration: none; }
tr:target td.t { outline: 2px solid var(--link); } section:target > h3 { outline: 2px solid var(--link); outline-offset: 4px; }
section { border-bottom: 1px solid var(--line); padding-bottom: 8px; } section h3 { font-size: 15px; margin: 14px 0 2px; }
.by { font-size: 12px; color: var(--dim); } .badge { font-size: 11px; padding: 1px 7px; border-radius: 9px; margin-left: 8px; font-weight: 400; }
.badge.ok { background: var(--ok); } .badge.part { background: var(--part); } .badge.miss { background: var(--miss); } .badge.off { background: #eceff1; }
details summary { cursor: pointer; }
"""
_CITED = re.compile(r"§\s?(\d+(?:\.\d+)*[a-z]?)\b")
_HEADING = re.compile(r"^#+[ ]+(\d+(?:\.\d+)*[a-z]?)?.*$", re.MULTILINE)


def page(covered: Coverage) -> str:
    """The whole page; it needs no other file."""
    title = f"Coverage of {html.escape(covered.source.name)}"
    rules = "".join(_rules(covered, number, text) for number, text in enumerate(covered.files))
    books = "".join(_book(covered, book) for book in covered.books)
    key = (
        '<span class="key"><span style="background:var(--ok)">reached</span>'
        '<span style="background:var(--part)">one way only</span><span style="background:var(--miss)">not reached</span></span>'
    )
    told = f"{plural(len(covered.scenarios), 'scenario')}, {plural(covered.games, 'random game')}"
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title><style>{_STYLE}</style>'
        f'<body><header><h1>{title}</h1> <span class="by">{told}</span>{key}{_missing(covered)}</header>'
        f"<main><div>{rules}</div>{f'<div>{books}</div>' if books else ''}</main></body></html>\n"
    )


def _missing(covered: Coverage) -> str:
    items = []
    for item in covered.missing():
        file, _, line = item.place.rpartition(":")
        names = [text.name for text in covered.files]
        link = f"L{names.index(file)}-{line}" if file in names else ""
        place = f'<a href="#{link}">{html.escape(item.place)}</a>' if link else html.escape(item.place)
        items.append(f"<li><b>{item.kind}</b> {html.escape(item.what)} &nbsp;{place}</li>")
    return f"<ul>{''.join(items)}</ul>" if items else "<ul><li>Nothing is missing.</li></ul>"


# ---------------------------------------------------------------- the rules


def _rules(covered: Coverage, number: int, text: Source) -> str:
    """A file, line by line: how often each was come to, and what of it was not."""
    by_line: dict[int, list[tuple[Point, Counts]]] = {}
    missing: list[tuple[int, int, str]] = []
    for point, count in covered.counts.items():
        if point.span.source.name != text.name:
            continue
        by_line.setdefault(point.span.line, []).append((point, count))
        if not count.total:
            end = point.span.start + len(point.span.text.split(":\n")[0])
            word = "never reached" if point.outcome is None else f"never {str(point.outcome).lower()}"
            missing.append((point.span.start, end, word))
    rows = []
    for line, start in enumerate(text.line_starts, 1):
        content = text.line(line)
        found = by_line.get(line, [])
        rows.append(
            f'<tr id="L{number}-{line}"{_class(found)}><td class="n">{line}</td><td class="n" title="{_tooltip(found)}">'
            f'{_times(found)}</td><td class="t">{_content(content, start, missing)}</td></tr>'
        )
    return f'<h2 class="file">{html.escape(text.name)}</h2><table>{"".join(rows)}</table>'


def _class(found: list[tuple[Point, Counts]]) -> str:
    if not found:
        return ""
    reached = [count.total > 0 for _, count in found]
    if all(reached):
        return ' class="ok"'
    dead = any(point.kind == CLAUSE and not count.total for point, count in found)
    return ' class="miss"' if dead or not any(reached) else ' class="part"'


def _times(found: list[tuple[Point, Counts]]) -> str:
    most = max((count.total for _, count in found), default=None)
    if most is None:
        return ""
    return f"{most / 1e6:.1f}M" if most >= 1e6 else f"{most / 1e3:.0f}k" if most >= 1e4 else f"{most}"


def _tooltip(found: list[tuple[Point, Counts]]) -> str:
    """What was counted on a line."""
    told = []
    for point, count in found:
        outcome = "" if point.outcome is None else f" {str(point.outcome).lower()}"
        told.append(
            f"{point.kind} {point.clause}{outcome}: {count.fuzz} in games, {sum(count.scenarios.values())} in scenarios"
        )
    return html.escape("\n".join(told), quote=True)


def _content(content: str, start: int, missing: list[tuple[int, int, str]]) -> str:
    """A line with what is missing marked, comments pale, and citations that lead to the rulebook."""
    marked: list[str] = [""] * len(content)
    for first, last, word in sorted(missing, key=lambda item: item[0] - item[1]):
        for place in range(max(0, first - start), min(len(content), last - start)):
            marked[place] = word
    comment = next((place for place in _hashes(content)), len(content))
    out = []
    place = 0
    while place < len(content):
        end = place + 1
        while end < len(content) and marked[end] == marked[place] and (end < comment) == (place < comment):
            end += 1
        piece = html.escape(content[place:end])
        if place >= comment:
            piece = f'<span class="c">{_CITED.sub(_to_section, piece)}</span>'
        out.append(f'<mark title="{marked[place]}">{piece}</mark>' if marked[place] else piece)
        place = end
    return "".join(out)


def _hashes(content: str) -> Iterator[int]:
    """Where a comment begins: at a `#` that is in no sentence."""
    quoted = False
    for place, sign in enumerate(content):
        quoted ^= sign == '"'
        if sign == "#" and not quoted:
            yield place


def _to_section(found: re.Match[str]) -> str:
    return f'<a href="#S{found[1]}">{found[0]}</a>'


# ---------------------------------------------------------------- the rulebook


def _book(covered: Coverage, book: Rulebook) -> str:
    """A rulebook, each section with who cites it and how often it was exercised."""
    known = {section.line: section for section in book.sections}
    parts = [f'<h2 class="file">{html.escape(book.name)}</h2>']
    lines = book.text.split("\n")
    starts = [number for number, line in enumerate(lines, 1) if _HEADING.match(line)]
    for place, number in enumerate(starts):
        after = starts[place + 1] if place + 1 < len(starts) else len(lines) + 1
        body = "\n".join(lines[number : after - 1]).strip()
        section = known.get(number)
        name = html.escape(lines[number - 1].lstrip("# "))
        anchor = f' id="S{section.number}"' if section is not None else ""
        about = _about(covered, section) if section is not None else ("", "")
        parts.append(f"<section{anchor}><h3>{name}{about[0]}</h3>{about[1]}{_prose(body)}</section>")
    return "".join(parts)


def _about(covered: Coverage, section: Section) -> tuple[str, str]:
    """The badge of a section, and what there is to it in the rules."""
    if not section.modelled:
        return '<span class="badge off">not modelled</span>', ""
    cites = [cite for cite in covered.citing(section.number) if not cite.is_scenario]
    scenarios, games = covered.exercised(section.number)
    names = [text.name for text in covered.files]
    links = ", ".join(
        f'<a href="#L{names.index(cite.file)}-{cite.line}">{html.escape(cite.name)}</a>'
        for cite in cites
        if cite.file in names
    )
    if not cites:
        badge = (
            ""
            if any(n.startswith(f"{section.number}.") for n in covered.sections)
            else '<span class="badge miss">uncited</span>'
        )
        return badge, ""
    played = {point.clause for point in covered.counts}
    if not scenarios and not any(cite.name in played for cite in cites):
        return '<span class="badge off">declared</span>', f'<div class="by">{links}</div>'
    kind = "ok" if scenarios or games else "part"
    times = f"{plural(games, 'time')} in games" if games else "never in games"
    tests = plural(len(scenarios), "scenario")
    badge = f'<span class="badge {kind}">{tests} · {times}</span>'
    listed = "".join(f"<br>{html.escape(title)}" for title in scenarios)
    more = f"<details class=by><summary>exercised by</summary>{listed}</details>" if listed else ""
    return badge, f'<div class="by">{links}</div>{more}'


def _prose(body: str) -> str:
    """Paragraphs of a rulebook; lists and tables as they are written."""
    out = []
    for part in re.split(r"\n\s*\n", body):
        text = html.escape(part)
        text = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", text)
        text = re.sub(r"\*(.+?)\*", r"<i>\1</i>", text)
        text = re.sub(r"`(.+?)`", r"<code>\1</code>", text)
        text = _CITED.sub(_to_section, text)
        if re.match(r"\s*([-*|]|\d+\.)\s", part) or part.startswith("|"):
            text = text.replace("\n", "<br>")
        out.append(f"<p>{text}</p>" if text else "")
    return "".join(out)
