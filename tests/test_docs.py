"""The documents execute: every code block of README.md, ARCHITECTURE.md and docs/ is run.

A block is run by the words after its opening fence:

    rules                       a whole program: checks without a word, its scenarios pass, and random games keep its laws
    rules fragment NAME         a piece of one, put into the prelude NAME where that has a line `...`, or after it
    rules error T301 ...        must be refused, with exactly these codes (also `rules fragment NAME error T301`)
    rules warning W901 ...      is accepted with exactly these warnings
    rules file F.rules          the same as a file of this name, for the blocks that follow; it may be a variant of one
    rules add F.rules           declarations added at its end
    rules replace F.rules       declarations that take the place of those of the same name, and new ones beside them
    rules lines F.rules         lines of a state that take the place of those of the same field
    rules whole F.rules         what the file has become, word for word
    text message                how the mistakes of the block before are shown, if it has any, `...` for any text
    console                     `$ command` lines, each run in a folder of the document's own, with the output that follows;
                                `...` stands for any text (alone: any lines), a line `seat> move` is typed, `[1]` is an exit code that is not 0
    python                      run, in one namespace a document, in the same folder
    sh                          shown only, but each `make` target and each file that it names exists
    text                        not code

A prelude is an HTML comment, `<!-- prelude NAME`, its lines, `-->`: readers do not see it. What is shown as an error must be
one by the rules alone, so that preludes are valid with any fragment that is.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from attrs import field, frozen

from rulesdsl.diagnostics import Diagnostic, RulesFileError, Source, render
from rulesdsl.program import read_source
from rulesdsl.syntax import Scenario

ROOT = Path(__file__).parent.parent
GAMES_PLAYED = 3
ANSWERS_PLAYED = 150

# ---------------------------------------------------------------- reading documents


@frozen
class Block:
    """A code block: the words after its fence, its text, and where it stands. `message` is a `text message` after it."""

    document: str
    line: int
    words: tuple[str, ...]
    text: str
    message: str | None = None

    @property
    def place(self) -> str:
        return f"{self.document}:{self.line}"

    @property
    def language(self) -> str:
        return self.words[0] if self.words else ""

    def after(self, word: str) -> tuple[str, ...]:
        """The words after a word, up to the next one that has a meaning."""
        if word not in self.words:
            return ()
        found: list[str] = []
        for item in self.words[self.words.index(word) + 1 :]:
            if item in ("fragment", "error", "warning"):
                break
            found.append(item)
        return tuple(found)


@frozen
class Document:
    name: str
    text: str
    blocks: tuple[Block, ...]
    preludes: dict[str, str] = field(factory=dict)


_FENCE = re.compile(r"```(.*)")
_PRELUDE = re.compile(r"<!-- prelude (\w+)\n(.*?)\n-->", re.DOTALL)


def read_document(path: Path) -> Document:
    name = path.relative_to(ROOT).as_posix()
    text = path.read_text(encoding="utf-8")
    blocks: list[Block] = []
    opened: tuple[int, str] | None = None
    lines: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        fence = _FENCE.fullmatch(line.strip())
        if opened is None and fence:
            opened, lines = (number, fence[1]), []
        elif opened is not None and line.strip() == "```":
            words = tuple(opened[1].split())
            body = "".join(item + "\n" for item in lines)
            if words == ("text", "message") and blocks:
                last = blocks.pop()
                blocks.append(Block(last.document, last.line, last.words, last.text, body))
            else:
                blocks.append(Block(name, opened[0], words, body))
            opened = None
        elif opened is not None:
            lines.append(line)
    assert opened is None, f"{name}:{opened and opened[0]}: the block is not closed"
    return Document(name, text, tuple(blocks), dict(_PRELUDE.findall(text)))


def paths() -> list[Path]:
    found = [ROOT / "README.md", ROOT / "ARCHITECTURE.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [path for path in found if path.exists()]


DOCUMENTS = [read_document(path) for path in paths()]
STANDING = {"file", "add", "replace", "lines", "whole"}


def alone(block: Block) -> bool:
    """Whether a block is run by itself, and not in the course of its document."""
    return block.language == "rules" and not (len(block.words) > 1 and block.words[1] in STANDING)


# ---------------------------------------------------------------- rules


def composed(document: Document, block: Block) -> str:
    """The program that a block stands for: itself, or its prelude with it."""
    names = block.after("fragment")
    if not names:
        return block.text
    prelude = document.preludes[names[0]]
    here = re.search(r"^( *)\.\.\.$", prelude, re.MULTILINE)
    if here is None:
        return f"{prelude}\n\n{block.text}"
    inside = "".join(here[1] + line if line.strip() else line for line in block.text.splitlines(keepends=True))
    return prelude[: here.start()] + inside.rstrip("\n") + prelude[here.end() :] + "\n"


def checked(source: Source) -> tuple[Diagnostic, ...]:
    from rulesdsl.program import check_source

    return check_source(source)


def try_rules(source: Source, block: Block) -> None:
    """Check a program, and play it if it is right."""
    found = checked(source)
    errors = sorted({item.code for item in found if item.is_error})
    warnings = sorted({item.code for item in found if not item.is_error})
    wanted = sorted(block.after("error"))
    assert errors == wanted, f"{block.place}: wanted {wanted or 'no error'}\n{render(found)}"
    if block.message is not None and (wanted or warnings):
        assert like(block.message, render(found)), f"{block.place}:\n{render(found)}"
    if errors:
        return
    if "fragment" not in block.words:
        assert warnings == sorted(block.after("warning")), f"{block.place}:\n{render(found)}"
    run_scenarios(source, block.place)
    play_some(source, block.place)


def run_scenarios(source: Source, place: str) -> None:
    """Run all scenarios of a program, each under its settings."""
    from playtest.scenarios import run_scenarios
    from rulesdsl.program import load_source, parse_source, scenario_settings

    try:
        first = load_source(source).program
    except RulesFileError as error:
        pytest.fail(f"{place}: {error}")
    module = parse_source(source)
    ran = 0
    for settings, seats in scenario_settings(module, first):
        for result in run_scenarios(_rules(source, settings, seats)):
            ran += 1
            assert result.passed, f"{place}: {result}"
    assert ran == sum(isinstance(item, Scenario) for item in module.declarations), f"{place}: {ran} scenarios ran"


def _rules(source: Source, settings: dict[str, Any], seats: int | None) -> Any:
    from interpreter import Rules
    from rulesdsl.program import load_source

    return Rules(load_source(source, settings, seats))


def play_some(source: Source, place: str) -> None:
    """A few random games, with every law checked, and their logs replayed."""
    import random

    from interpreter import Game, replay

    game = Game(source)
    for number in range(GAMES_PLAYED):
        chance = random.Random(number)
        match = game.new(seed=number, checks=True)
        while match.question.kind == "choice" and match.number < ANSWERS_PLAYED:
            moves = match.legal_moves()
            assert moves, f"{place}: nothing is legal for {match.question}"
            match.play(chance.choice(moves))
        done = replay(match.log, game)
        assert done.difference is None, f"{place}: {done.difference}"


def like(pattern: str, text: str) -> bool:
    """Whether a text is as shown. `...` stands for any text in a line, alone for any lines; blank ends do not matter."""

    def lines(value: str) -> list[str]:
        return [line.rstrip() for line in value.strip("\n").splitlines()]

    wanted = "".join(
        r"(?:.*\n)*?" if line == "..." else ".*?".join(map(re.escape, line.split("..."))) + r"\n"
        for line in lines(pattern)
    )
    return re.fullmatch(wanted, "".join(f"{line}\n" for line in lines(text))) is not None


INDEPENDENT = [(document, block) for document in DOCUMENTS for block in document.blocks if alone(block)]


@pytest.mark.parametrize(("document", "block"), INDEPENDENT, ids=[block.place for _, block in INDEPENDENT])
def test_rules(document: Document, block: Block) -> None:
    try_rules(Source("game.rules", composed(document, block)), block)


def formatted(block: Block) -> str:
    """A block as `rulesdsl fmt` would write it."""
    from rulesdsl.formatting.format import format_module
    from rulesdsl.parsing.parse import parse

    source = Source("game.rules", block.text)
    module, _ = parse(source)
    return block.text if module is None else format_module(module, source)


SHOWN = [d for d in DOCUMENTS if not d.name.startswith("docs/errors/")]
RULES = [b for document in SHOWN for b in document.blocks if b.language == "rules" and "error" not in b.words]


@pytest.mark.parametrize("block", RULES, ids=[block.place for block in RULES])
def test_rules_are_formatted(block: Block) -> None:
    assert "lines" in block.words or block.text == formatted(block)


# ---------------------------------------------------------------- sessions: files, commands, Python

_PROMPT = re.compile(r"^(\w+)> (.+)$")


class Session:
    """The course of a document: its folder, its files, and what Python remembers."""

    def __init__(self, document: Document, folder: Path) -> None:
        self.document = document
        self.folder = folder
        self.namespace: dict[str, Any] = {"__name__": "document"}

    def run(self, block: Block) -> None:
        action = getattr(self, f"on_{block.language}", None)
        assert action is not None, f"{block.place}: a block of {block.language or 'nothing'} cannot be run"
        action(block)

    def on_rules(self, block: Block) -> None:
        kind, name = block.words[1], block.words[2]
        path = self.folder / name
        if kind == "file":
            text = block.text
        elif kind == "add":
            text = path.read_text(encoding="utf-8").rstrip("\n") + "\n\n" + block.text
        elif kind == "lines":
            text = with_lines(path.read_text(encoding="utf-8"), block)
        elif kind == "whole":
            text = path.read_text(encoding="utf-8")
            assert block.text == text, f"{block.place}: this is not what the steps make:\n{text}"
        else:
            text = replaced(path.read_text(encoding="utf-8"), block)
        path.write_text(text, encoding="utf-8")
        with contextlib.chdir(self.folder):
            source = read_source(name)
        if kind == "file":
            try_rules(source, block)
            return
        found = checked(source)
        errors = sorted({item.code for item in found if item.is_error})
        assert errors == sorted(block.after("error")), f"{block.place}:\n{render(found)}\n\n{text}"

    def on_console(self, block: Block) -> None:
        for command, output in commands(block.text):
            self.command(block, command, output)

    def command(self, block: Block, command: str, output: str) -> None:
        typed = [found[2] for line in output.splitlines() if (found := _PROMPT.match(line))]
        code = 0
        last = re.search(r"^\[(\d+)\]\n?\Z", output, re.MULTILINE)
        if last:
            code, output = int(last[1]), output[: last.start()]
        environment = {
            **os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1",
            "PYTHONPATH": str(ROOT), "COLUMNS": "100",
        }  # fmt: skip
        done = subprocess.run(
            command, shell=True, cwd=self.folder, env=environment, input="".join(f"{line}\n" for line in typed), text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, check=False,
        )  # fmt: skip
        assert done.returncode == code, f"{block.place}: $ {command}\nleft with {done.returncode}:\n{done.stdout}"
        assert like(output, done.stdout), f"{block.place}: $ {command}\n{done.stdout}"

    def on_python(self, block: Block) -> None:
        import doctest

        with contextlib.chdir(self.folder):
            if ">>> " not in block.text:
                exec(compile(block.text, block.place, "exec"), self.namespace)
                return
            example = doctest.DocTestParser().get_doctest(block.text, self.namespace, block.place, None, 0)
            runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
            told = io.StringIO()
            runner.run(example, out=told.write, clear_globs=False)
            self.namespace.update(example.globs)
            assert runner.failures == 0, f"{block.place}:\n{told.getvalue()}"

    def on_sh(self, block: Block) -> None:
        makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
        for target in re.findall(r"\bmake (\w+)", block.text):
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), f"{block.place}: no target {target}"
        for name in re.findall(r"\b(?:games|docs|tests|benchmarks)/[\w./-]+", block.text):
            assert (ROOT / name).exists(), f"{block.place}: no file {name}"

    def on_text(self, block: Block) -> None:
        """Not code."""


def commands(text: str) -> Iterator[tuple[str, str]]:
    """The commands of a console block, each with the output that is shown."""
    pieces = re.split(r"^\$ (.*)\n", text, flags=re.MULTILINE)
    assert not pieces[0].strip(), f"a console block begins with `$ command`:\n{text}"
    yield from zip(pieces[1::2], pieces[2::2], strict=True)


_DECLARATION = re.compile(r"(?:^##.*\n)*^(?=[a-z])(.*)\n(?:^(?:[ ].*|#(?!#).*)?\n)*", re.MULTILINE)


def declarations(text: str) -> list[tuple[str, str]]:
    """The declarations of a file with what each is called: its first words, up to what a declaration adds to them."""
    return [
        (re.split(r"[(:\[=]|->", found[1], maxsplit=1)[0].strip(), found[0]) for found in _DECLARATION.finditer(text)
    ]


def replaced(text: str, block: Block) -> str:
    """A file with the declarations of a block in the place of those of the same name; new ones go along with the next one."""
    bundle = ""
    anchor: str | None = None
    for name, new in declarations(block.text):
        bundle += new.rstrip("\n") + "\n\n"
        same = [old for known, old in declarations(text) if known == name]
        if same:
            assert len(same) == 1, f"{block.place}: there are {len(same)} of `{name}`"
            text, bundle, anchor = text.replace(same[0], bundle), "", bundle
    assert anchor is not None, f"{block.place}: nothing to replace"
    return text.replace(anchor, anchor + bundle).rstrip("\n") + "\n"


_FIELD = re.compile(r" +(?:private |hidden )?(\w+)[\[:]")


def with_lines(text: str, block: Block) -> str:
    """A file with other lines for some fields of its state."""
    for line in block.text.splitlines():
        field_line = _FIELD.match(line)
        assert field_line, f"{block.place}: not a field: {line}"
        pattern = rf"^ +(?:private |hidden )?{field_line[1]}[\[:].*$"
        text, count = re.subn(pattern, line.replace("\\", r"\\"), text, count=1, flags=re.MULTILINE)
        assert count == 1, f"{block.place}: no field {field_line[1]}"
    return text


LIBRARIES = {"docs/pettingzoo.md": "pettingzoo", "docs/openspiel.md": "pyspiel"}
IN_COURSE = [d for d in DOCUMENTS if any(not alone(block) for block in d.blocks)]


@pytest.mark.parametrize("document", IN_COURSE, ids=[document.name for document in IN_COURSE])
def test_course(document: Document, tmp_path: Path) -> None:
    if document.name in LIBRARIES:
        pytest.importorskip(LIBRARIES[document.name], reason="`pip install -e '.[test,differential]'` brings it")
    session = Session(document, tmp_path)
    for block in document.blocks:
        if not alone(block):
            session.run(block)


# ---------------------------------------------------------------- links


@pytest.mark.parametrize("document", DOCUMENTS, ids=[document.name for document in DOCUMENTS])
def test_links_lead_somewhere(document: Document) -> None:
    folder = (ROOT / document.name).parent
    text = re.sub(r"^```.*?^```", "", document.text, flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, anchor = target.partition("#")
        path = (folder / file).resolve() if file else ROOT / document.name
        assert path.exists(), f"{document.name}: {target}"
        if anchor:
            assert anchor in anchors(path.read_text(encoding="utf-8")), f"{document.name}: no heading for {target}"


def anchors(text: str) -> set[str]:
    """The names of the headings of a document, as links spell them."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("document", DOCUMENTS, ids=[document.name for document in DOCUMENTS])
def test_files_that_are_named_exist(document: Document) -> None:
    named = re.findall(
        r"`((?:rulesdsl|interpreter|playtest|table|tests|benchmarks|games|docs)/[\w./-]*\w/?)`", document.text
    )
    missing = [name for name in named if not (ROOT / name).exists()]
    assert not missing, f"{document.name}: {missing}"


# ---------------------------------------------------------------- the reference is complete

LANGUAGE = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")


def test_all_reserved_words_are_listed() -> None:
    from rulesdsl.parsing.parse import reserved_words

    listed = LANGUAGE[LANGUAGE.index("**Reserved**") :].partition("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", listed)) == reserved_words()


def test_all_soft_words_are_listed() -> None:
    from rulesdsl.naming.names import FUNCTIONS, SPECIAL
    from rulesdsl.parsing.parse import SOFT

    listed = LANGUAGE[LANGUAGE.index("**Keywords in their place only**") :].partition(". They may")[0]
    assert set(re.findall(r"`(\w+)`", listed)) == SOFT - {*FUNCTIONS, *SPECIAL}


def test_all_functions_are_described() -> None:
    from rulesdsl.naming.names import BUILT_IN_TYPES, FUNCTIONS, SPECIAL

    for name in FUNCTIONS:
        assert re.search(rf"^\| .*`{name}\(.* \| ", LANGUAGE, re.MULTILINE), name
    listed = LANGUAGE[LANGUAGE.index("**Words with a meaning") :].partition("\n\n")[0]
    assert set(re.findall(r"`(\w+)`", listed)) == {*FUNCTIONS, *BUILT_IN_TYPES, *SPECIAL}


def test_all_parts_of_boards_are_described() -> None:
    from rulesdsl.checking.check import check
    from rulesdsl.program import parse_source

    made = ("Cell = grid(3, 3)", "Field = rhombus(3, 3)", "Way = track(9)", "Hex, Edge, Corner = hexes(radius=1)")
    boards = "".join(f"board {board}\n\n" for board in made)
    source = Source("game.rules", f"game g:\n    players 2\n\n{boards}\nflow main:\n    end tie\n")
    letters = {"Cell": "s", "Field": "f", "Way": "w", "Hex": "h", "Edge": "e", "Corner": "c"}
    for shape in check(source, parse_source(source), {}, None).names.shapes.values():
        for part in (*shape.attributes, *shape.methods, *shape.relations):
            assert f"`{letters[part[0]]}.{part[1]}" in LANGUAGE, part
        for part in (*shape.statics, *shape.constants):
            assert f"`{part[0]}.{part[1]}" in LANGUAGE, part


def test_all_words_are_listed() -> None:
    """A word that is new in the grammar, and one that has gone."""
    from rulesdsl.naming.names import FUNCTIONS
    from rulesdsl.parsing.parse import SOFT, reserved_words

    section = LANGUAGE[LANGUAGE.index("## 21. All words") :]

    def listed(after: str, until: str) -> set[str]:
        text = section[section.index(after) :]
        return set(re.findall(r"`([^`]+)`", text[: text.index(until)]))

    meant = listed("**Words with a meaning", ".\n\n")
    assert listed("**Reserved**", ".\n\n") == reserved_words()
    assert listed("the functions", "; `int`") == set(FUNCTIONS)
    assert listed("**Keywords in their place only**", "They may be names") == SOFT - meant


def test_all_kinds_of_rules_errors_are_listed() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "rulesdsl").rglob("*.py"))
    for kind in re.findall(r'RulesFault\(\s*"([a-z ]+)"', text):
        assert kind in ("division", "internal") or f"| `{kind}` |" in LANGUAGE, kind


def test_all_codes_are_listed() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in sorted((ROOT / "rulesdsl").rglob("*.py")))
    listed = re.findall(r"^\| ([A-Z]\d{3}) \| ", LANGUAGE, re.MULTILINE)
    assert listed == list(dict.fromkeys(listed))
    used = set(re.findall(r'"([STNVFGWX]\d{3})"', text))
    assert used == set(listed), f"section 21 of docs/language.md: add {used - set(listed)}, remove {set(listed) - used}"
