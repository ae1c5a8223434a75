"""Each error code has one meaning, a page, a program that fails with it, and a message that is kept word for word.

`python tests/test_error_codes.py` writes the messages of the pages, and their index, anew from what the checker says.
"""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from rulesdsl.codes import CODES
from rulesdsl.diagnostics import Diagnostic, RulesFileError, Source, render
from rulesdsl.program import check_source, compile_source, read_source

ROOT = Path(__file__).parent.parent
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


def unreadable(folder: Path) -> tuple[Diagnostic, ...]:
    (folder / "game.rules").write_bytes(b'game lamps:\n    title "Caf\xe9"\n')
    return refused(lambda: read_source(folder / "game.rules"))


def out_of_range(folder: Path) -> tuple[Diagnostic, ...]:
    text = next(text for words, text in blocks("G604") if words == "rules")
    return refused(lambda: compile_source(Source("game.rules", text), {"lamps": 12}, None))


def refused(action: Callable[[], object]) -> tuple[Diagnostic, ...]:
    with pytest.raises(RulesFileError) as error:
        action()
    return error.value.diagnostics


# What no text alone shows: what else it takes.
BY_HAND = {"S120": unreadable, "G604": out_of_range}


def said(code: str, folder: Path) -> str:
    """The message about the example of a code."""
    if code in BY_HAND:
        return render(BY_HAND[code](folder)).replace(str(folder / "game.rules"), "game.rules")
    base, variant = dict(blocks(code)).get("text game.rules"), dict(blocks(code)).get("text variant.rules")
    if base is not None and variant is not None:
        return render(check_source(Source("variant.rules", variant, base=Source("game.rules", base))))
    return render(check_source(Source("game.rules", example(code))))


def codes_used() -> set[str]:
    """The codes in the sources of the language, as they are reported."""
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "rulesdsl").glob("*.py") if path.name != "codes.py")
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
def test_the_message_on_a_page_is_what_is_said(code: str, tmp_path: Path):
    shown = dict(blocks(code))["text message"]
    message = said(code, tmp_path)
    assert shown == message + "\n"
    assert re.findall(r"^(?:error|warning)\[(....)\]", message, re.MULTILINE) == [code]


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
        with tempfile.TemporaryDirectory() as folder:
            message = said(code, Path(folder))
        text = path.read_text(encoding="utf-8")
        shown = dict(blocks(code))["text message"]
        path.write_text(text.replace(f"```text message\n{shown}```", f"```text message\n{message}\n```"), encoding="utf-8")


if __name__ == "__main__":
    rewrite()
