"""Each error code has one meaning, a page, a program that fails with it, and a message that is kept word for word.

`python tests/test_error_codes.py` writes the messages of the pages, and their index, anew from what the checker says.
"""

import contextlib
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from rulesdsl.codes import CODES
from rulesdsl.diagnostics import Diagnostic, RulesFileError, Source, render
from rulesdsl.program import check_source, compile_source, read_source
from rulesdsl.rulebooks import absent
from rulesdsl.variants.lock import lock_text, stale

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "errors"
BLOCK = re.compile(r"^```(.*)\n((?:(?!```).*\n)*)```$", re.MULTILINE)
FAMILIES = {
    "S": "What cannot be read", "N": "Names", "T": "Types and values", "V": "Who sees what", "F": "What happens where",
    "G": "The game and its parts", "X": "Variants", "W": "Warnings",
}  # fmt: skip


def blocks(code: str) -> list[tuple[str, str]]:
    """The code blocks of a page: the words after the fence, and the text."""
    return BLOCK.findall((PAGES / f"{code}.md").read_text(encoding="utf-8"))


def example(code: str) -> str:
    """The program on the page of a code that fails with it."""
    kind = "warning" if code.startswith("W") else "error"
    return next(text for words, text in blocks(code) if words == f"rules {kind} {code}")


def unreadable() -> tuple[Diagnostic, ...]:
    Path("game.rules").write_bytes(b'game lamps:\n    title "Caf\xe9"\n')
    return refused(lambda: read_source("game.rules"))


def out_of_range() -> tuple[Diagnostic, ...]:
    text = next(text for words, text in blocks("G604") if words == "rules")
    return refused(lambda: compile_source(Source("game.rules", text), {"lamps": 12}, None))


def refused(action: Callable[[], object]) -> tuple[Diagnostic, ...]:
    with pytest.raises(RulesFileError) as error:
        action()
    return error.value.diagnostics


def lock_of_an_older_base() -> tuple[Diagnostic, ...]:
    base = Path("game.rules").read_text(encoding="utf-8")
    Path("game.rules").write_text(base.replace("oil -= 1", "oil -= 2"), encoding="utf-8")
    text = lock_text(read_source("variant.rules"))
    Path("game.rules").write_text(base, encoding="utf-8")
    return stale(read_source("variant.rules"), text)


def no_lock() -> tuple[Diagnostic, ...]:
    return stale(read_source("variant.rules"), "not a lock\n")


def no_rulebook() -> tuple[Diagnostic, ...]:
    return absent(read_source("game.rules"))


# What no text alone shows: what else it takes.
BY_HAND = {"S120": unreadable, "G604": out_of_range, "X807": lock_of_an_older_base, "X808": no_lock, "W906": no_rulebook}


def said(code: str) -> str:
    """The message about the example of a code, in the folder where its files are."""
    names = write_files(code)
    if code in BY_HAND:
        return render(BY_HAND[code]())
    if "variant.rules" in names:
        return render(told_of_files(names))
    return render(check_source(Source("game.rules", example(code))))


def write_files(code: str) -> list[str]:
    """Writes the files that a page shows, and gives their names."""
    names = []
    for words, text in blocks(code):
        file = re.fullmatch(r"text (\w+\.rules)", words)
        if file is not None:
            Path(file[1]).write_text(text, encoding="utf-8")
            names.append(file[1])
    return names


def told_of_files(names: list[str], subject: str = "variant.rules") -> tuple[Diagnostic, ...]:
    try:
        return check_source(read_source(subject, [name for name in names if name == "other.rules"]))
    except RulesFileError as error:
        return error.diagnostics


def codes_used() -> set[str]:
    """The codes in the sources of the language, as they are reported."""
    text = "".join(
        path.read_text(encoding="utf-8") for path in (ROOT / "rulesdsl").rglob("*.py") if path.name != "codes.py"
    )
    return set(re.findall(r'"([A-Z]\d{3})"', text))


def test_the_registry_has_all_codes_that_are_used_and_no_other():
    assert codes_used() == set(CODES)


def test_codes_stand_in_order_in_families():
    letters = [code[0] for code in CODES]
    assert all(letter in FAMILIES for letter in letters)
    for letter in FAMILIES:
        family = [code for code in CODES if code.startswith(letter)]
        assert family == sorted(family)
    assert len(set(CODES.values())) == len(CODES)


def test_each_code_has_a_page_and_each_page_a_code():
    assert {path.stem for path in PAGES.glob("*.md")} - {"index"} == set(CODES)


@pytest.mark.parametrize("code", CODES)
def test_a_page_is_whole(code: str):
    text = (PAGES / f"{code}.md").read_text(encoding="utf-8")
    assert text.startswith(f"# {code}: {CODES[code]}\n\n")
    assert "\n## How to mend it\n" in text
    assert text.endswith("\n\n[All codes](index.md)\n")


@pytest.mark.parametrize("code", CODES)
def test_the_message_on_a_page_is_what_is_said(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    shown = dict(blocks(code))["text message"]
    message = said(code)
    assert shown == message + "\n"
    assert re.findall(r"^(?:error|warning)\[(....)\]", message, re.MULTILINE) == [code]


@pytest.mark.parametrize("code", [code for code in CODES if code.startswith("X")])
def test_a_variant_on_a_page_is_mended(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    names = write_files(code)
    if "mended.rules" in names:
        assert told_of_files(names, "mended.rules") == ()


def index() -> str:
    """The list of all pages."""
    parts = [
        "# What can be wrong\n\nEach message has a code, which keeps its meaning for ever. Its page says what it means, shows a "
        "program that is answered\nwith it, and how to mend that.\n"
    ]
    for letter, title in FAMILIES.items():
        family = [f"- [{code}]({code}.md): {CODES[code]}" for code in CODES if code.startswith(letter)]
        if family:
            parts.append(f"## {title}\n\n" + "\n".join(family) + "\n")
    return "\n".join(parts)


def test_the_index_lists_all_pages():
    assert (PAGES / "index.md").read_text(encoding="utf-8") == index()


def rewrite() -> None:
    """Writes what is said now to the pages."""
    import tempfile

    (PAGES / "index.md").write_text(index(), encoding="utf-8")
    for code in CODES:
        path = PAGES / f"{code}.md"
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            message = said(code)
        text = path.read_text(encoding="utf-8")
        shown = dict(blocks(code))["text message"]
        path.write_text(
            text.replace(f"```text message\n{shown}```", f"```text message\n{message}\n```"), encoding="utf-8"
        )


if __name__ == "__main__":
    rewrite()
