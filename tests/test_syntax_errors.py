"""Syntax errors: what is said, where, how many, and that there is always an answer.

`syntax_errors.txt` holds small texts with the whole message that each must give; run with REWRITE=1 to write them anew.
"""

import os
import random
import re
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from syntax_tools import disorder, tree

from rulesdsl.codes import CODES
from rulesdsl.diagnostics import Diagnostic, Source, render
from rulesdsl.parsing.parse import parse, parse_expression, reserved_words
from rulesdsl.parsing.raw import Raw, raw_tokens

CASES = Path(__file__).with_name("syntax_errors.txt")
IDENTITY = (Path(__file__).parent / "language" / "identity.rules").read_text(encoding="utf-8")

# A program with every kind of statement, short enough to be broken in all places.
PROGRAM = """\
# A small game.
game small:
    title "Small"
    players white, black

param size: 2..9 = 3

board Cell = grid(size, size)

enum Kind(worth: 0..9, price: bag[Kind]):
    king(9, {}), pawn(1, {king: 1})

record Piece:
    owner: Player

state:
    private hand[Player]: set[Kind] = {king}
    at[Cell]: Piece?

def worth(p: Player) -> int:
    let cells = [
        c
        for c in Cell
        if at[c]?.owner == p
    ]
    if not cells:
        return -1 * (2 + size)
    elif cells[:1] == cells and len(cells) in 0..3:
        return max(k.worth for k in hand[p]) or 0
    else:
        return 1 if p == white else sum(
            f(c, {p: 1}) for c in cells
        )

event Placed(by: Player, c: Cell, k: Kind private to by):
    "{by} places something on {c}"
    at[c] = Piece(owner=by)

action place(k: Kind, c in Cell):
    require free: at[c] is none else "{c} is taken"
    require safe: worth(me) > 0 after Placed(me, c, k) else "no"
    emit Placed(me, c, k)

flow main:
    step setup:
        draw a, b from 1..6
        for c in Cell if at[c] is none:
            end win {
                white,
                black
            }
    turns p from white:
        p chooses place(king)
        otherwise:
            end tie
        p may repeatedly place(pawn):
            pass
        while p can place(king):
            repeat 2:
                other(p)

invariant "few":
    count(c for c in Cell if at[c] is some) <= size

terminates within 25 choices

scenario "it begins":
    given:
        at[a1] = none
    run main()
    white place(a1)
    expect illegal white place(a1) by free
"""


def mistakes(text: str) -> list[Diagnostic]:
    return parse(Source("test.rules", text))[1]


# ---------------------------------------------------------------- what is said


def cases() -> list[tuple[str, str, str]]:
    """Title, text and message of each case in the file."""
    found = []
    for chunk in re.split(r"^={5,} ", CASES.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]:
        title, rest = chunk.split("\n", 1)
        text, _, message = rest.partition("-----\n")
        found.append((title, text, message.strip("\n")))
    return found


def spoken(text: str) -> str:
    return text.replace("→", "\t").replace("␍", "\r")


@pytest.mark.parametrize(("title", "text", "message"), cases(), ids=[title for title, _, _ in cases()])
def test_messages(title: str, text: str, message: str):
    said = "\n".join(line.rstrip() for line in render(mistakes(spoken(text))).replace("\t", "→").split("\n"))
    if os.environ.get("REWRITE"):
        whole = CASES.read_text(encoding="utf-8")
        start = whole.index(f"===== {title}\n")
        end = whole.find("\n===== ", start) + 1 or len(whole)
        CASES.write_text(f"{whole[:start]}===== {title}\n{text}-----\n{said}\n\n{whole[end:]}", encoding="utf-8")
        return
    assert said == message


def test_each_code_has_a_case():
    said = {code for _, _, message in cases() for code in re.findall(r"\[(S\d+)\]", message)}
    # A file that is not text never reaches the parser.
    assert said == {code for code in CODES if code.startswith("S")} - {"S120"}


def test_no_message_speaks_of_the_parser():
    for _, _, message in cases():
        assert not re.search(r"__ANON|_NL|_INDENT|_DEDENT|LPAR|RSQB|COLON|\$END|token", message)


# ---------------------------------------------------------------- where


def test_the_program_is_valid():
    tree(PROGRAM)


@pytest.mark.parametrize("token", [t for t in raw_tokens(PROGRAM, 0, len(PROGRAM)) if t.kind not in ("newline", "comment")], ids=lambda t: f"{t.start}-{t.text}")
def test_a_missing_token_is_noticed_on_its_line_or_the_next(token: Raw):
    text = PROGRAM[: token.start] + PROGRAM[token.end :].removeprefix(" ")
    found = mistakes(text)
    if found:
        line = Source("", PROGRAM).position(token.start)[0]
        assert found[0].span.line in (line, line + 1), render(found)
        assert len(found) == 1, render(found)


# ---------------------------------------------------------------- how many


def test_mistakes_in_several_places_are_reported_together():
    text = PROGRAM.replace("record Piece:", "recrod Piece:").replace("-> int:", "-> int").replace("chooses", "choses")
    text = text.replace("emit Placed(me, c, k)\n", "emit Placed(me, c, k\n").replace("within 25", "25")
    broken = re.compile(r"recrod|int$|choses|c, k$|25")
    lines = [number for number, line in enumerate(text.split("\n"), 1) if broken.search(line)]
    assert [d.span.line for d in mistakes(text)] == lines


def test_a_mistake_in_a_header_does_not_hide_those_in_its_block():
    found = mistakes("flow main:\n    if a = b:\n        emti A()\n        while c\n            lte x = 3\n    else\n        pass\n")
    assert [d.span.line for d in found] == [2, 3, 4, 5, 6]


# ---------------------------------------------------------------- always


WORDS = st.sampled_from(sorted({t.text for t in raw_tokens(IDENTITY, 0, len(IDENTITY))} | {"\n", "    ", "\t", "'", '"', "ä", "\r", "\0"}))


@st.composite
def broken_programs(draw: st.DrawFn) -> str:
    """The program with some tokens left out, doubled, exchanged or put in."""
    pieces = re.findall(r"\s+|\w+|\"[^\"\n]*\"|.", PROGRAM)
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(pieces) - 2))
        match draw(st.integers(0, 3)):
            case 0:
                del pieces[at]
            case 1:
                pieces.insert(at, pieces[at])
            case 2:
                pieces[at], pieces[at + 1] = pieces[at + 1], pieces[at]
            case _:
                pieces.insert(at, draw(WORDS))
    return "".join(pieces)


def check(text: str) -> None:
    module, found = parse(Source("test.rules", text))
    assert (module is None) == bool(found)
    for diagnostic in found:
        assert diagnostic.code in CODES
        assert 0 <= diagnostic.span.start <= diagnostic.span.end <= len(text)
        assert diagnostic.title and "__ANON" not in diagnostic.text
    render(found, colour=True)


@given(text=broken_programs())
@settings(max_examples=150, deadline=None)
def test_a_broken_program_never_breaks_the_parser(text: str):
    check(text)


@given(text=st.lists(WORDS, max_size=40).map(" ".join) | st.text(max_size=60) | st.binary(max_size=60).map(lambda b: b.decode("latin-1")))
@example(text="\x00")
@example(text="(" * 10_000)
@example(text="x" * 10_000)
@example(text="flow a:\n    x = " + "-" * 5_000 + "1\n")
@example(text="flow a:\n    x = " + "not " * 5_000 + "1\n")
@example(text="flow a:\n    x = " + "1 + " * 5_000 + "1\n")
@example(text="flow a:\n    x = " + "f(" * 200 + ")" * 200 + "\n")
@example(text="flow a:\n    x = " + "1 if a else " * 5_000 + "1\n")
@example(text="flow a:\n    x = y" + ".a" * 5_000 + "\n")
@example(text="flow a:\n    x = y" + " after E()" * 5_000 + "\n")
@example(text="state:\n    x: A" + "?" * 5_000 + "\n")
@example(text="const x = " + "9" * 10_000 + "\n")
@example(text="flow a:\n" + "".join(" " * n + "if a:\n" for n in range(1, 500)))
@settings(max_examples=150, deadline=None)
def test_no_text_breaks_the_parser(text: str):
    check(text)


def test_expressions_in_sentences_are_read_in_place():
    source = Source("test.rules", 'event E(a: P):\n    "{a.b + } and {a.b}"\n')
    text = source.text
    expr, found = parse_expression(source, text.index("a.b}"), text.index("a.b}") + 3)
    assert expr is not None and not found and expr.span.text == "a.b"
    expr, found = parse_expression(source, text.index("a.b +"), text.index(" }") + 1)
    assert expr is None and found[0].span.line == 2


# ---------------------------------------------------------------- words


@pytest.mark.parametrize("word", ["by", "to", "from", "with", "title", "win", "scores", "set", "players", "some", "within", "because", "of"])
def test_words_of_one_place_are_names_elsewhere(word: str):
    tree(
        f"state:\n    {word}[Player]: Player?\n\n"
        f"event E({word}: Player, x: Player private to {word} and {word}):\n    x[{word}] = {word}.{word}\n\n"
        f"def f({word}: Player) -> bool:\n    let a = {{{word}: {word}}}\n    return {word} is some and g({word}={word}) or {word} in [{word}]\n\n"
        f"flow main:\n    turns {word} from {word}:\n        draw {word}, a from {word}\n        {word} may act or rest\n"
    )


@pytest.mark.parametrize("word", sorted(reserved_words()))
def test_reserved_words_are_names_only_after_a_dot_and_of_steps_and_requirements(word: str):
    for text in (f"def {word}() -> int:\n    return 1\n", f"def f() -> int:\n    let {word} = 1\n    return 1\n", f"record R:\n    {word}: int\n"):
        assert mistakes(text), text
    tree(f"def f() -> int:\n    return a.{word} + b?.{word}\n")
    tree(f'action a:\n    require {word}: b else "no"\n    step {word}:\n        pass\n')


def test_comments_stand_anywhere():
    for seed in range(10):
        tree(disorder(PROGRAM, random.Random(seed).randrange(10**6), 0.1))
