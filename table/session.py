"""The terminal game: shows the table to the players at the keyboard, takes their moves and commands, lets bots do the rest."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import click
from attrs import define, field
from rich.text import Text

from interpreter.errors import IllegalMove, RulesError, UndoRefused, ValueProblem
from interpreter.match import Match
from playtest.bots import Bot
from playtest.drawing.glyphs import Glyphs
from playtest.drawing.state_view import lines_of_table
from playtest.snapshot import snapshot
from table.console import colour_wanted, say, show, width
from table.files import free_path, shown, typed
from table.moves import MoveReader, completions, listing, words_of
from table.telling import explained, story, title_lines

COMMANDS = {
    "? or help": "the moves that are legal, and these commands",
    "moves": "the moves that are legal",
    "why MOVE": "what speaks against a move",
    "undo, redo": "take back your last answer, make it again",
    "board": "draw the table again",
    "log": "the story so far, and where the log is",
    "save NAME": "write a copy of the log",
    "quit": "leave; the log stays, and can be gone on with",
}

# What several people at one keyboard can do besides.
TOGETHER = {"undo anyway": "even where something was drawn or shown since; the log says so"}

# So many lines of the story are told before an answer: the first ones, which are of one's own answer, and the last ones.
FIRST, LAST = 8, 16


class Quit(Exception):
    """The player leaves the table."""


@define
class Session:
    """A match at the terminal. `people` are the seats of humans, `bots` have the others; `log` is the log's file, if any."""

    match: Match
    people: tuple[str, ...]
    bots: Mapping[str, Bot]
    log: Path | None = None
    title: str = ""
    told: int = field(default=-1, init=False)
    told_to: dict[str, int] = field(factory=dict, init=False)
    drawn: int | None = field(default=None, init=False)
    facing: str | None = field(default=None, init=False)
    reader: MoveReader = field(init=False)

    @reader.default
    def _make_reader(self) -> MoveReader:
        return MoveReader(self.match.rules.program)

    # ------------------------------------------------------------ the game

    def play(self) -> bool:
        """Play until the game is over or the player leaves; whether it is over."""
        self._greet()
        with LineEditing(self._complete):
            try:
                while self.match.question.kind == "choice":
                    seat = self.match.question.seat or ""
                    if seat in self.people:
                        self._ask(seat)
                    else:
                        self.match.play(self.bots[seat].choose(self.match))
            except (Quit, EOFError, KeyboardInterrupt):
                say()
                self._farewell()
                return False
        self._tell()
        self._draw()
        return True

    @property
    def viewer(self) -> str | None:
        """Through whose eyes the table is shown: the only human's, or those of the human who faces it."""
        return self.people[0] if len(self.people) == 1 else self.facing

    def _greet(self) -> None:
        rules = self.match.rules
        notes = {seat: "you" if seat in self.people else f"{self.bots[seat].name} bot" for seat in rules.seats}
        log = "" if self.log is None else shown(self.log)
        show(title_lines(self.title or rules.program.title, rules, notes, log))

    def _farewell(self) -> None:
        if self.log is not None:
            say(f"the game so far is in {shown(self.log)}; go on with: rulesdsl play {typed(self.log)}")

    def _ask(self, seat: str) -> None:
        """Show a player the table and take lines until one of them is an answer."""
        self._face(seat)
        self._tell()
        self._draw()
        legal = self.match.legal_moves()
        show([self._prompt_line(seat, len(legal))])
        number = self.match.number
        while self.match.number == number and self.match.question.seat == seat:
            if self._line(seat):
                return

    def _face(self, seat: str) -> None:
        """With several people at one keyboard and something to hide, the next one sits down first."""
        if seat == self.facing:
            return
        secrets = any(info.visibility == "private" for info in self.match.rules.program.fields)
        if secrets and len(self.people) > 1:
            input(f"{seat} to the keyboard, please; then press Enter ")
            click.clear()
            self.told = self.told_to.get(seat, -1)
        self.facing = seat

    def _tell(self) -> None:
        """The story since it was last told."""
        lines = story(self.match, self.told, self.viewer)
        self.told = self.match.number
        if self.facing is not None:
            self.told_to[self.facing] = self.told
        left = len(lines) - FIRST - LAST
        if left > 1:
            between = Text(f"      ... {left} lines; `log` tells them all", style="dim")
            lines = [*lines[:FIRST], between, *lines[-LAST:]]
        show([*lines, Text()] if lines else [])

    def _draw(self) -> None:
        """The table; what has changed since it was last drawn stands out."""
        before = None
        if self.drawn is not None and self.drawn <= self.match.number:
            before = snapshot(self.match.at(self.drawn), self.viewer)
        show([*lines_of_table(snapshot(self.match.position, self.viewer), width(), before), Text()])
        self.drawn = self.match.number

    def _prompt_line(self, seat: str, count: int) -> Text:
        question = self.match.question
        actions = " or ".join(str(offer) for offer in question.offers)
        moves = f"{count} move" + ("" if count == 1 else "s")
        may = " (or pass)" if question.may_pass else ""
        line = Text(f"move {self.match.number + 1}, ").append(seat, style=self._style(seat))
        line.append(f": {actions}{may}, {moves}. ")
        return line.append("? lists them, why MOVE, undo, log, quit", style="dim")

    def _style(self, seat: str) -> str:
        rules = self.match.rules
        return Glyphs(rules.player).seat_styles[rules.seats.index(seat)]

    # ------------------------------------------------------------ lines

    def _line(self, seat: str) -> bool:
        """Take one line; whether the table has changed."""
        text = self._read(seat).strip()
        if not text:
            return False
        word, _, rest = text.partition(" ")
        is_action = word in self.match.question.actions
        command = self._commands().get(word.lower().lstrip("/"))
        if command is not None and (word.startswith("/") or not is_action):
            return command(rest.strip())
        return self._move(seat, text)

    def _read(self, seat: str) -> str:
        prompt = f"{seat}> "
        if colour_wanted() and sys.stdin.isatty():
            # Readline counts what stands between these marks as no columns.
            prompt = f"\001{click.style('', bold=True, reset=False)}\002{prompt}\001\033[0m\002"
        line = input(prompt)
        if not sys.stdin.isatty():
            say(line)
        return line

    def _commands(self) -> dict[str, Callable[[str], bool]]:
        return {
            "?": self._help,
            "help": self._help,
            "moves": self._moves,
            "why": self._why,
            "undo": self._undo,
            "redo": self._redo,
            "board": self._board,
            "log": self._log,
            "save": self._save,
            "quit": self._quit,
            "exit": self._quit,
        }

    def _move(self, seat: str, text: str) -> bool:
        reading = self.reader.read(text, self.match.legal_moves())
        if reading.unclear:
            names = ", ".join(str(move) for move in reading.unclear[:6])
            say(f"  unclear: {names}{' ...' if len(reading.unclear) > 6 else ''}")
            return False
        try:
            self.match.play(reading.move if reading.move is not None else reading.text, seat=seat)
        except IllegalMove as refused:
            show([Text(f"  {refused}")])
            return False
        except ValueProblem as problem:
            show([Text(f"  not a move: {problem}")])
            return False
        except RulesError as error:
            say(f"  the rules fail: {error}")
            return False
        return True

    # ------------------------------------------------------------ commands

    def _help(self, _: str) -> bool:
        self._moves("")
        known = COMMANDS | (TOGETHER if len(self.people) > 1 else {})
        rows = [f"  {name:<12}{text}" for name, text in known.items()]
        show([Text(), *(Text(row, style="dim") for row in rows)])
        return False

    def _moves(self, _: str) -> bool:
        show(listing(self.match.legal_moves(), width()))
        return False

    def _why(self, text: str) -> bool:
        if not text:
            say("  why MOVE, for example: why " + str(self.match.legal_moves()[0]))
            return False
        reading = self.reader.read(text, self.match.legal_moves())
        show(explained(self.match.why(reading.move if reading.move is not None else reading.text)))
        return False

    def _undo(self, text: str) -> bool:
        anyway = text == "anyway"
        return self._change(lambda: self._take_back(anyway))

    def _take_back(self, anyway: bool) -> None:
        """Back to the last answer of a person; bots between two people would only answer again."""
        self.match.undo(as_analyst=anyway)
        undone = 1
        while self.match.question.seat not in self.people:
            if not self.match.can_undo(as_analyst=anyway):
                for _ in range(undone):
                    self.match.redo()
                raise UndoRefused("no person has answered yet")
            self.match.undo(as_analyst=anyway)
            undone += 1

    def _redo(self, _: str) -> bool:
        return self._change(self._again)

    def _again(self) -> None:
        """To where a person is asked again: what bots have answered since is made again, too, and not answered anew."""
        self.match.redo()
        while self.match.question.seat not in self.people and self.match.can_redo():
            self.match.redo()

    def _change(self, change: Callable[[], object]) -> bool:
        before = self.match.number
        try:
            change()
        except UndoRefused as refused:
            say(f"  not possible: {refused}")
            if change != self._again and self.match.can_undo(as_analyst=True):
                say("  `undo anyway` takes it back all the same, and the log says so")
            return False
        if self.match.number < before:
            self.told = self.match.number
            self.told_to = {seat: min(told, self.told) for seat, told in self.told_to.items()}
        say(f"  back at move {self.match.number + 1}\n" if self.match.number < before else "  made again\n")
        return True

    def _board(self, _: str) -> bool:
        self._draw()
        return False

    def _log(self, _: str) -> bool:
        show(story(self.match, -1, self.viewer))
        if self.log is not None:
            say(f"  log: {shown(self.log)}")
        return False

    def _save(self, name: str) -> bool:
        if not name:
            say("  save NAME")
            return False
        path = Path(name)
        path = free_path(path if path.suffix else path.with_suffix(".jsonl"))
        try:
            self.match.save(path)
            say(f"  saved {shown(path)}")
        except OSError as error:
            say(f"  not saved: {error.strerror or error}")
        return False

    def _quit(self, _: str) -> bool:
        raise Quit

    def _complete(self, line: str) -> list[str]:
        """What may stand at the end of a line, for the tab key."""
        words = words_of(line) + ([""] if not line or line[-1].isspace() else [])
        if words and words[0] == "why":
            words = words[1:] or [""]
        return completions(words, self.match.legal_moves())


class LineEditing:
    """Editing and the tab key in the prompt, on a terminal that has them."""

    def __init__(self, complete: Callable[[str], list[str]]) -> None:
        self.complete = complete

    def __enter__(self) -> None:
        if not sys.stdin.isatty():
            return
        try:
            import readline
        except ImportError:
            return

        def completer(_: str, state: int) -> str | None:
            found = self.complete(readline.get_line_buffer()[: readline.get_endidx()])
            return f"{found[state]} " if state < len(found) else None

        readline.set_completer_delims(" (,")
        readline.set_completer(completer)
        readline.parse_and_bind("tab: complete")

    def __exit__(self, *_: object) -> None:
        if "readline" in sys.modules and sys.stdin.isatty():
            import readline

            readline.set_completer(None)
