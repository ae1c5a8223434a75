"""The console script `rulesdsl`: one command group; each command lives in a module of its own, imported when it is used."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import click

from table.options import no_colour

# command: (module, what it does in a few words). The functions are called `<command>_command`.
COMMANDS = {
    "play": ("table.play", "Play a game in the terminal; bots take the seats without a human."),
    "demo": ("table.demo", "See it all in under a minute: play, log, verify, undo, explain, fuzz."),
    "check": ("table.check", "Check rules files and show every mistake."),
    "fmt": ("table.check", "Format rules files."),
    "test": ("table.check", "Run the scenarios of rules files."),
    "diff": ("table.changes", "Show what is different between two rules files."),
    "review": ("table.review", "Say what a change of the rules does: clauses, scenarios, laws, figures, logs."),
    "lock": ("table.changes", "Remember the clauses of the base that variants change."),
    "fuzz": ("table.fuzzing", "Play random games and look for a broken law."),
    "coverage": ("table.covering", "Say what in the rules scenarios and random games never come to."),
    "mutate": ("table.mutating", "Plant small mistakes in the rules, and say which nothing notices."),
    "perft": ("table.perft", "Count the positions that can be reached in N plies."),
    "explore": ("table.exploring", "Go through every position of a small game: proofs, and shortest ways."),
    "simulate": ("table.simulating", "Let bots play many games: who wins and how, how long it takes."),
    "compare": ("table.simulating", "Let bots play a game and a variant of it, and say what differs."),
    "replay": ("table.replay", "Replay a log and verify each event and digest."),
    "show": ("table.show", "Show a logged game: narration and board at a move."),
    "verify": ("table.verify", "Say everything that is wrong with a log, one line for each defect."),
    "matches": ("table.matches", "List the matches of a store, or copy logs into it and out of it."),
    "export": ("table.export", "Write a log as a transcript, a trace, or as one seat sees it."),
    "migrate": ("table.export", "Rewrite a log for rules in which only names have changed."),
    "why": ("table.show", "Explain why a move is or is not legal in a logged game."),
}

EXAMPLES = """\b
Examples:
  rulesdsl demo
  rulesdsl play atlanteon --human guardian
  rulesdsl check my.rules
  rulesdsl fuzz my.rules --games 1000
  rulesdsl replay atlanteon-4.jsonl --verify
"""


class Commands(click.Group):
    """A group that knows its commands' names and summaries without importing them."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of the table above."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Imports the command."""
        if cmd_name not in COMMANDS:
            return None
        module = importlib.import_module(COMMANDS[cmd_name][0])
        command: click.Command = getattr(module, f"{cmd_name}_command")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands in `--help`."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, summary) for name, (_, summary) in COMMANDS.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """An unknown command gets a suggestion."""
        name = args[0]
        if name not in COMMANDS and not name.startswith("-"):
            from rulesdsl.diagnostics import closest

            meant = closest(name, COMMANDS)
            hint = f"did you mean `{meant}`?" if meant else f"there are: {', '.join(COMMANDS)}"
            ctx.fail(f"there is no command `{name}`; {hint}")
        return super().resolve_command(ctx, args)


@click.group(cls=Commands, epilog=EXAMPLES, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="rulesdsl", message="rulesdsl %(version)s")
@no_colour
def cli() -> None:
    """A rules language for board games: check, play, log, replay, explain and fuzz games written in it."""


def main(arguments: list[str] | None = None) -> Any:
    """Runs a command and leaves with 0 (all well), 1 (something was found) or 2 (it was called wrongly)."""
    from table.console import be_lenient_about_signs

    be_lenient_about_signs()
    try:
        code = cli.main(args=arguments, prog_name="rulesdsl", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("\nstopped", err=True)
        sys.exit(130)
    except BrokenPipeError:
        _close_quietly()
        sys.exit(141)
    except Exception as error:
        from table.failures import explain

        sys.exit(explain(error))


def _close_quietly() -> None:
    """Whoever read our output has gone; so that Python does not complain about it at its end."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    main()
