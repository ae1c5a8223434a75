"""Small diffs of rules files: lines that begin with `-` go, lines with `+` come, lines with a blank stay, `...` stands between
two places. A place must be there exactly once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence


def hunks(
    base: Sequence[str], lines: Sequence[str], title: str, ignored: Callable[[str], object] = lambda line: False
) -> Iterator[tuple[int, int, list[str]]]:
    """Each place of a diff: where it begins in the base and where it ends, and its lines."""
    done = 0
    for hunk in "\n".join(lines).split("\n...\n"):
        part = hunk.split("\n")
        old = [line[1:] for line in part if line[:1] in ("-", " ", "") and not ignored(line)]
        places = [i for i in range(done, len(base)) if list(base[i : i + len(old)]) == old]
        assert len(places) == 1, f"{title}: these lines are found {len(places)} times: {old}"
        done = places[0] + len(old)
        yield places[0], done, part


def patched(base: str, lines: Sequence[str], title: str) -> str:
    """A text with a diff applied."""
    old = base.split("\n")
    text: list[str] = []
    done = 0
    for start, end, part in hunks(old, lines, title):
        text += old[done:start]
        text += [line[1:] for line in part if line[:1] in ("+", " ", "")]
        done = end
    return "\n".join([*text, *old[done:]])
