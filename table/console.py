"""Writing to the terminal: colour or not, how wide, plain text or JSON.

Colour is used on a terminal, never when `--no-colour` or NO_COLOR says so, and also elsewhere when FORCE_COLOR does.
"""

from __future__ import annotations

import json
import os
import sys
import textwrap
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

_COLOUR = "rulesdsl.colour"
PLAIN_WIDTH = 80


def forbid_colour(context: click.Context, _parameter: click.Parameter, value: bool) -> None:
    """What `--no-colour` does, wherever on the line it stands."""
    if value:
        context.find_root().meta[_COLOUR] = False


def colour_wanted() -> bool:
    """Whether the output should be coloured."""
    context = click.get_current_context(silent=True)
    if context is not None and context.find_root().meta.get(_COLOUR) is False:
        return False
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def width() -> int:
    """Columns to write in: the terminal's, at most 120, and 80 where there is none."""
    import shutil

    if not sys.stdout.isatty() and "COLUMNS" not in os.environ:
        return PLAIN_WIDTH
    return max(40, min(120, shutil.get_terminal_size((PLAIN_WIDTH, 24)).columns))


def console() -> Console:
    """A rich console for standard output that follows the rules above."""
    from rich.console import Console

    wanted = colour_wanted()
    return Console(
        force_terminal=wanted,
        no_color=not wanted,
        color_system="standard" if wanted else None,
        width=width(),
        highlight=False,
        markup=False,
        emoji=False,
        soft_wrap=True,
    )


def say(text: str = "") -> None:
    """A line of text, with its colour codes only where colour is wanted."""
    click.echo(text, color=colour_wanted())


def complain(text: str) -> None:
    """A line on standard error."""
    click.echo(text, err=True)


def paint(text: str, **style: Any) -> str:
    """`click.style`, if colour is wanted."""
    return click.style(text, **style) if colour_wanted() else text


def show(lines: Iterable[Text]) -> None:
    """Styled lines, one under the other; long ones go on under their beginning."""
    out = console()
    for line in lines:
        line.rstrip()
        for part in _fitted(line, out):
            out.print(part)


def _fitted(line: Text, out: Console) -> list[Text]:
    """A line in pieces that fit the width, the further ones indented like the first."""
    if line.cell_len <= out.width:
        return [line]
    indent = len(line.plain) - len(line.plain.lstrip(" 0123456789"))
    first, *rest = line.wrap(out, out.width - indent)
    first.rstrip()
    for part in rest:
        part.pad_left(indent)
        part.rstrip()
    return [first, *rest]


def wrapped(line: str) -> list[str]:
    """A line without colours in pieces that fit, the further ones a little further in than the first."""
    indent = " " * (len(line) - len(line.lstrip()))
    return textwrap.wrap(line, width(), initial_indent="", subsequent_indent=f"{indent}  ", break_long_words=False)


def say_json(value: Any) -> None:
    """A value as JSON for tools, stable from run to run."""
    click.echo(json.dumps(value, indent=2, ensure_ascii=False, default=str))


def say_diagnostics(diagnostics: Iterable[Any], *, err: bool = False) -> None:
    """Diagnostics as a person reads them."""
    from rulesdsl.diagnostics import render

    click.echo(render(diagnostics, colour=colour_wanted(), width=width()), err=err, color=colour_wanted())


def be_lenient_about_signs() -> None:
    """A terminal that cannot print a sign shows a question mark instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="replace")


def plural(count: int, word: str, many: str | None = None) -> str:
    """`1 game`, `2 games`, `12,480 games`."""
    return f"{count:,} {word if count == 1 else many or word + 's'}"
