"""For authors: `rulesdsl check` shows every mistake, `fmt` formats, `test` runs the scenarios that stand in rules files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from attrs import evolve

from table.console import paint, plural, say, say_diagnostics, say_json, show
from table.files import shown
from table.options import as_json, no_colour, parameters, players, rules_files, with_variants

if TYPE_CHECKING:
    from playtest.changes import Tested
    from playtest.scenarios import Result
    from rulesdsl.core import Program
    from rulesdsl.diagnostics import Diagnostic

CHECK_EXAMPLES = """\b
Examples:
  rulesdsl check my.rules
  rulesdsl check my.rules -p size=7 --players 4
  rulesdsl check my.rules --json
  rulesdsl check atlanteon --core | less
  rulesdsl check my.rules --with faster.rules
"""

FMT_EXAMPLES = """\b
Examples:
  rulesdsl fmt my.rules             format the file in place
  rulesdsl fmt --check games/*.rules
"""

TEST_EXAMPLES = """\b
Examples:
  rulesdsl test my.rules
  rulesdsl test my.rules -k tower -v
  rulesdsl test faster.rules        a variant: the scenarios of its base, too
  rulesdsl test my.rules --with faster.rules
"""


# ---------------------------------------------------------------- check


@click.command("check", epilog=CHECK_EXAMPLES)
@rules_files
@click.option("--core", is_flag=True, help="Print the typed form between the checker and the back end.")
@click.option("--python", is_flag=True, help="Print the generated Python.")
@with_variants
@parameters
@players
@as_json
@no_colour
def check_command(
    files: tuple[Path, ...],
    core: bool,
    python: bool,
    variants: tuple[Path, ...],
    params: dict[str, Any],
    players: int | None,
    json_wanted: bool,
) -> int:
    """Check rules files and show every mistake.

    Without -p and --players a file is checked with its defaults, every number of players, each parameter's end values and the
    settings of its scenarios. A variant is checked as a whole with its base; where there is a lock beside it, it is said what
    has changed in the base since then. Warnings do not change the exit code.
    """
    checked = [(file, _check(file, variants, params, players)) for file in files]
    everything = [item for _, items in checked for item in items]
    wrong = any(item.is_error for item in everything)
    if json_wanted:
        _say_checked_json(everything)
    elif wrong or not (core or python):
        for file, items in checked:
            _say_checked(file, items, variants, params, players)
    if (core or python) and not wrong:
        for file in files:
            _print_forms(file, variants, params, players, core, python)
    return 1 if wrong else 0


def _check(
    file: Path, variants: Sequence[Path], params: dict[str, Any], players: int | None
) -> tuple[Diagnostic, ...]:
    """Everything that can be said about a file."""
    from rulesdsl.diagnostics import RulesFileError
    from rulesdsl.program import check_source
    from rulesdsl.rulebooks import absent
    from table.loading import load_game, rules_for, source_of

    try:
        if not params and players is None:
            source = source_of(file, variants)
            found = check_source(source)
            if any(item.is_error for item in found):
                return found
            return (*found, *_stale([file, *variants]), *absent(source))
        rules_for(load_game(file, params, variants), players)
    except RulesFileError as error:
        return error.diagnostics
    return ()


def _stale(files: Sequence[Path]) -> list[Diagnostic]:
    """What has changed under variants since they were locked."""
    from rulesdsl.variants.lock import stale
    from table.loading import source_of

    locks = [(file, file.with_suffix(".lock")) for file in files]
    found = [stale(source_of(file), lock.read_text(encoding="utf-8")) for file, lock in locks if lock.is_file()]
    return [item for items in found for item in items]


def _say_checked(
    file: Path, items: Sequence[Diagnostic], variants: Sequence[Path], params: dict[str, Any], players: int | None
) -> None:
    if items:
        say_diagnostics(items)
    if not any(item.is_error for item in items):
        from table.loading import load_game, rules_for

        program = rules_for(load_game(file, params, variants), players).program
        names = " + ".join(map(shown, [file, *variants]))
        say(f"{paint('ok', fg='green')}  {names}: {_contents(program)}")


def _contents(program: Program) -> str:
    """What is in a program, counted."""
    counted = (
        (len(program.actions), "action"),
        (len(program.events), "event"),
        (len(program.flows), "flow"),
        (len(program.defs), "def"),
        (len(program.invariants) + len(program.transitions), "law"),
    )
    return ", ".join(plural(count, word) for count, word in counted if count)


def _say_checked_json(items: list[Diagnostic]) -> None:
    from rulesdsl.diagnostics import as_json as diagnostic_json
    from rulesdsl.diagnostics import in_order

    ordered = in_order(items)
    errors = sum(item.is_error for item in ordered)
    say_json(
        {
            "diagnostics": [diagnostic_json(item) for item in ordered],
            "errors": errors,
            "warnings": len(ordered) - errors,
        }
    )


def _print_forms(
    file: Path, variants: Sequence[Path], params: dict[str, Any], players: int | None, core: bool, python: bool
) -> None:
    from rulesdsl.lowering.core_text import program_text
    from rulesdsl.python.backend import generate
    from table.loading import load_game, rules_for

    program = rules_for(load_game(file, params, variants), players).program
    if core:
        click.echo(program_text(program))
    if python:
        click.echo(generate(program).source)


# ---------------------------------------------------------------- fmt


@click.command("fmt", epilog=FMT_EXAMPLES)
@rules_files
@click.option(
    "--check", "only_check", is_flag=True, help="Change nothing; say which files are not formatted, and exit with 1."
)
@no_colour
def fmt_command(files: tuple[Path, ...], only_check: bool) -> int:
    """Format rules files in place. There are no options for the style."""
    from rulesdsl.diagnostics import RulesFileError

    changed, broken = 0, 0
    for file in files:
        try:
            changed += _format(file, only_check)
        except RulesFileError as error:
            say_diagnostics(error.diagnostics, err=True)
            broken += 1
    if not broken and not changed:
        say(f"{plural(len(files), 'file')} formatted already")
    return 1 if broken or (only_check and changed) else 0


def _format(file: Path, only_check: bool) -> bool:
    """Format one file; whether it was not formatted."""
    from rulesdsl.formatting.format import format_module
    from rulesdsl.program import parse_text, read_text

    before = file.read_bytes()
    source = evolve(read_text(file), name=shown(file))
    text = format_module(parse_text(source), source)
    if text.encode() == before:
        return False
    if only_check:
        say(f"not formatted: {shown(file)}")
        return True
    draft = file.with_name(f".{file.name}.new")
    draft.write_bytes(text.encode())
    draft.chmod(file.stat().st_mode)
    draft.replace(file)
    say(f"formatted {shown(file)}")
    return True


# ---------------------------------------------------------------- test


@click.command("test", epilog=TEST_EXAMPLES)
@rules_files
@click.option("-k", "text", metavar="TEXT", help="Only scenarios whose title contains TEXT.")
@click.option("-v", "--verbose", is_flag=True, help="List the scenarios that pass, too.")
@with_variants
@as_json
@no_colour
def test_command(
    files: tuple[Path, ...], text: str | None, verbose: bool, variants: tuple[Path, ...], json_wanted: bool
) -> int:
    """Run the scenarios of rules files.

    Under a variant the scenarios of its base are run, too. One that fails must be replaced or removed by the variant; until
    it is, you are told which change makes it fail.
    """
    from playtest.changes import run_tests
    from table.loading import source_of

    outcomes = [(file, run_tests(source_of(file, variants), text)) for file in files]
    results = [result for _, tested in outcomes for result in tested.results]
    failed = sum(not result.passed for result in results)
    if json_wanted:
        plain = [_plain(result, tested) for _, tested in outcomes for result in tested.results]
        say_json({"passed": len(results) - failed, "failed": failed, "scenarios": plain})
    else:
        for file, tested in outcomes:
            _say_results(" + ".join(map(shown, [file, *variants])), tested, verbose, whole=text is None)
    if text is not None and not results:
        click.echo(f"no scenario has `{text}` in its title", err=True)
        return 1
    return 1 if failed else 0


def _say_results(name: str, tested: Tested, verbose: bool, whole: bool) -> None:
    from rich.text import Text

    for result in tested.results:
        if result.passed and verbose:
            say(f"{paint('passed', fg='green')}  {result.text}")
        elif result.failure is not None:
            say(f"{paint('failed', fg='red', bold=True)}  {paint(result.text, bold=True)}")
            show(Text(f"  {line}") for line in str(result.failure).splitlines())
            cause = tested.causes.get(result.text)
            if cause is not None:
                show([Text(f"  {cause}")])
            if cause is not None and cause.override is not None:
                say('  is it meant? `replace scenario "..."`, or `remove scenario "..." because "..."`')
    failed = len(tested.failed)
    passed = len(tested.results) - failed
    count = f"{plural(passed, 'scenario')} passed"
    if failed:
        count = f"{paint(f'{failed} failed', fg='red', bold=True)}, {passed} passed"
    say(f"{name}: {count}")
    if tested.base and whole:
        show([Text.from_ansi(f"  {of_the_base(tested)}")])


def of_the_base(tested: Tested) -> str:
    """`37 of 38 base scenarios still pass, 1 removed by the variant`."""
    passed = sum(result.passed for result in tested.kept)
    parts = [f"{passed} of {len(tested.base)} base scenarios still pass"]
    counted = ((len(tested.replaced), "replaced"), (len(tested.removed), "removed"))
    done = [f"{number} {what}" for number, what in counted if number]
    parts += [f"{' and '.join(done)} by the variant"] if done else []
    changed = len(tested.kept) - passed
    parts += [paint(f"{changed} changed without a word", fg="red", bold=True)] if changed else []
    return ", ".join(parts)


def _plain(result: Result, tested: Tested) -> dict[str, Any]:
    from rulesdsl.variants.deltas import key_name

    data: dict[str, Any] = {"text": result.text, "file": result.file, "line": result.line, "passed": result.passed}
    if result.text in tested.causes:
        cause = tested.causes[result.text]
        override = cause.override
        data["because"] = {"base": cause.base} if override is None else {
            "clause": key_name(override.key),
            "variant": override.variant,
            "file": override.span.source.name,
            "line": override.span.line,
            "alone": cause.alone,
        }
    if result.failure is not None:
        failure = result.failure
        data["failure"] = {
            "file": failure.file,
            "line": failure.line,
            "source": failure.source,
            "message": failure.message,
            "values": [{"text": text, "value": value} for text, value in failure.values],
            "details": list(failure.details),
        }
    return data
