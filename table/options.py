"""Options that several commands share."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from table.console import forbid_colour
from table.files import find_for_click, shown

Command = TypeVar("Command", bound=Callable[..., Any])


class Number(click.FloatRange):
    """A number within a range. Python's `nan` and `inf` are none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """A float, or the usual message."""
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is not a number.", param, ctx)
        return number


class Written(click.Path):
    """A file, or with `folder` a folder, that a command is going to write: what would stop it is told before anything is done.
    A folder is made when it is needed, and with `made` also that of a file.
    """

    def __init__(self, *, folder: bool = False, made: bool = False) -> None:
        super().__init__(file_okay=not folder, dir_okay=folder, writable=True, path_type=Path)
        self.made = made or folder

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path, or a usage error."""
        path = Path(str(super().convert(value, param, ctx)))
        above = path.absolute().parent
        if self.made:
            above = next(folder for folder in (above, *above.parents) if folder.exists())
        name = shown(above)
        if not above.exists():
            self.fail(f"there is no folder `{name}`; make it first, or name another file", param, ctx)
        if not above.is_dir():
            self.fail(f"`{name}` is a file, not a folder", param, ctx)
        if not path.exists() and not os.access(above, os.W_OK | os.X_OK):
            self.fail(f"nothing can be written in the folder `{name}`", param, ctx)
        return path


def no_colour(command: Command) -> Command:
    """`--no-colour`, which every command takes."""
    return click.option(
        "--no-colour",
        "--no-color",
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=forbid_colour,
        help="Plain text. NO_COLOR and FORCE_COLOR are respected too.",
    )(command)


def as_json(command: Command) -> Command:
    """`--json`."""
    return click.option("--json", "json_wanted", is_flag=True, help="Print the result as JSON, for tools.")(command)


def rules_file(command: Command) -> Command:
    """One rules file."""
    return click.argument("file", callback=find_for_click)(command)


def rules_files(command: Command) -> Command:
    """One or more rules files."""
    return click.argument("files", metavar="FILE...", nargs=-1, required=True, callback=find_for_click)(command)


def parameters(command: Command) -> Command:
    """`-p name=value`, several times."""
    return click.option(
        "-p",
        "--param",
        "params",
        metavar="NAME=VALUE",
        multiple=True,
        callback=_read_parameters,
        help="Give a parameter of the rules a value; may be repeated.",
    )(command)


def with_variants(command: Command) -> Command:
    """`--with VARIANT`, several times."""
    return click.option(
        "--with",
        "variants",
        metavar="VARIANT",
        multiple=True,
        callback=find_for_click,
        help="Use a variant of the rules together with them; may be repeated.",
    )(command)


def players(command: Command) -> Command:
    """`--players N`."""
    return click.option(
        "--players", type=click.IntRange(1), help="How many take part, where the rules leave a choice."
    )(command)


def _read_parameters(_context: click.Context, _parameter: click.Parameter, items: tuple[str, ...]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for item in items:
        name, equals, text = item.partition("=")
        if not equals or not name.strip().isidentifier():
            raise click.BadParameter(f"`{item}` should be NAME=VALUE, for example `size=7`")
        if name.strip() in result:
            raise click.BadParameter(f"`{name.strip()}` is given twice")
        result[name.strip()] = plain_value(text.strip())
    return result


def plain_value(text: str) -> Any:
    """A parameter's value as written on the command line: a number, `true`, `false`, `none` or a name."""
    known = {"true": True, "false": False, "none": None}
    if text in known:
        return known[text]
    try:
        return int(text)
    except ValueError:
        return text
