"""Why a move is legal or not: every failed guard, with its sentence, its place in the rules and the values that decided.

Guards that rely on one that failed are left out, since they have no meaning then. A move that the question does not offer, an
argument outside its domain, and names that do not exist are explained too.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any

from attrs import define, evolve, field, frozen

from interpreter.codec import Codec
from interpreter.errors import ValueProblem
from interpreter.machine import Fault, guarded
from interpreter.position import Position, rules_error
from interpreter.prose import prose
from interpreter.rules import Internal, Rules
from interpreter.values import Move, Question
from interpreter.view import names_in
from rulesdsl.core import ActionInfo, ActionLet, Expr, Guard, Template
from rulesdsl.diagnostics import Span
from rulesdsl.lowering.walk import everything
from rulesdsl.python.backend import ExtraFunction
from rulesdsl.secrecy.audiences import only_counted, place_of
from rulesdsl.types import BagType, ListType, SetType, Type, contains, index_of


@frozen
class Reason:
    """One reason against a move.

    `guard`: the name of the `require`, or of the parameter whose domain leaves the argument out, or nothing; `sentence`: what
    a player is told; `clause`: `place.vacant`; `file`, `line`, `section` (`§1.5`): where in the rules and in the rulebook;
    `values`: texts of the rules and the values that they have here, but for those that the player may not see; `among`: where an argument is not in its domain, what is
    in it.
    """

    guard: str
    sentence: str
    clause: str = ""
    file: str = ""
    line: int = 0
    section: str = ""
    values: tuple[tuple[str, str], ...] = ()
    among: str = ""

    @property
    def short(self) -> str:
        """The sentence, with the domain where that is short enough to be read in passing."""
        return f"{self.sentence}, which is {self.among}" if 0 < len(self.among) <= 60 else self.sentence


@frozen
class Explanation:
    """Whether a move is legal for a seat, the reasons against it, and the guards that hold. True if it is legal."""

    move: str
    seat: str | None
    legal: bool
    reasons: tuple[Reason, ...] = ()
    holds: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return self.legal

    @property
    def summary(self) -> str:
        """The first reason, in short."""
        return self.reasons[0].short if self.reasons else f"{self.move} is legal"

    def __str__(self) -> str:
        if self.legal:
            return f"{self.move} is legal."
        lines = [f"{self.move} is refused by"]
        width = max(len(reason.guard) for reason in self.reasons) + 2
        for reason in self.reasons:
            place = "   ".join(filter(None, [f"{reason.file}:{reason.line}" if reason.line else "", reason.section]))
            quoted = f'"{reason.sentence}"' if reason.guard else reason.sentence
            lines.append(f"  {reason.guard:{width}}{quoted}   {place}".rstrip())
            lines.extend(f"  {'':{width}}{text} is {value}" for text, value in reason.values)
        if self.holds:
            lines.append(f"{', '.join(self.holds)} {'holds' if len(self.holds) == 1 else 'hold'}.")
        return "\n".join(lines)


def explain(
    position: Position, move: Move | str, arguments: Mapping[str, Any] | None = None, seat: str | None = None
) -> Explanation:
    """Explain a move, given as `Position.why` takes it.

    Raises:
        RulesError: a guard itself fails as a rule.
    """
    question = position.question
    who = seat if seat is not None else question.seat
    try:
        if seat is not None:
            position.rules.seat(seat)
        named = position.read_move(move, arguments, lenient=False)
    except ValueProblem as problem:
        return Explanation(_written(move, arguments), who, False, (Reason("", str(problem)),))
    refusal = _not_asked(question, named, who)
    if refusal:
        return Explanation(str(named), who, False, (Reason("", refusal),))
    return _examined(position, named, question)


def _written(move: Move | str, arguments: Mapping[str, Any] | None) -> str:
    return f"{move}({', '.join(f'{key}={value}' for key, value in arguments.items())})" if arguments else str(move)


def _not_asked(question: Question, move: Move, who: str | None) -> str:
    """Why the question that is open does not offer an action at all; empty if it does."""
    if question.kind == "over":
        return "the game is over"
    if question.kind == "draw":
        return f"{question.name} has to be drawn first"
    if who != question.seat:
        return f"{question.seat} is asked now, not {who}"
    offers = " or ".join(question.actions)
    if move.is_pass:
        return "" if question.may_pass else f"{who} cannot pass here: the choice is {offers}"
    return "" if move.action in question.actions else f"{who} cannot {move.action} now: the choice is {offers}"


def _examined(position: Position, move: Move, question: Question) -> Explanation:
    rules, node = position.rules, position.node
    if move.is_pass:
        return Explanation("pass", question.seat, True)
    info = rules.action_named(move.action)
    assert info is not None
    internal = rules.internal_move(move)
    given = rules.module.given(node.st, node.frame)[question.actions.index(move.action)]
    me = rules.module.asked(node.st, node.frame)
    try:
        found = examine(rules, node.st, info, me, given, internal[1:])
    except Fault as fault:
        raise rules_error(fault, position, question.seat, move, None) from fault
    legal = not found.reasons and position.allows(internal)
    reasons = found.reasons
    if not legal and not reasons:
        reasons = (Reason("", f"{move} is not among the legal moves", clause=info.name),)
    return Explanation(str(move), question.seat, legal, tuple(reasons), tuple(found.holds))


# ---------------------------------------------------------------- domains and guards


@frozen
class Examined:
    """What domains and guards say about a move: the reasons against it, and the names of the guards that hold."""

    reasons: tuple[Reason, ...]
    holds: tuple[str, ...]


def examine(rules: Rules, st: Internal, info: ActionInfo, me: int, given: Internal, chosen: Internal) -> Examined:
    """Look at every domain and every guard of an action, whether it is asked or not.

    Raises:
        Fault: a guard fails as a rule.
    """
    return _Examiner(rules, st, info, me, given, chosen).examine()


@define
class _Examiner:
    """Goes through an action's domains and prelude with all arguments known."""

    rules: Rules
    st: Internal
    info: ActionInfo
    me: int
    given: Internal
    chosen: Internal
    known: dict[str, Any] = field(factory=dict)
    texts: dict[str, str] = field(factory=dict)
    failed: set[str] = field(factory=set)
    outside: set[str] = field(factory=set)
    reasons: list[Reason] = field(factory=list)
    holds: list[str] = field(factory=list)

    def examine(self) -> Examined:
        text = self.rules.codec.text
        self._know("me", self.me, self.rules.seats[self.me])
        for param, value in zip(self.info.given, self.given, strict=True):
            self._know(param.name, value, text(param.type, value))
        for item, value in zip(self.info.chosen, self.chosen, strict=True):
            self._know(item.name, value, text(item.type, value))
        for place in range(len(self.info.chosen)):
            self._domain(place)
        for place, entry in enumerate(self.info.prelude):
            if isinstance(entry, ActionLet):
                self._let(place, entry)
            else:
                self._guard(place, entry)
        return Examined(tuple(self.reasons), tuple(self.holds))

    def _know(self, name: str, value: Any, text: str) -> None:
        self.known[name] = value
        self.texts[name] = text

    def _call(self, name: str) -> Any:
        functions = self.rules.compiled(("action", self.info.name), lambda: _functions(self.info))
        names = _parameter_names(self.info)
        return guarded(self.rules, lambda: functions[name](self.st, *(self.known.get(n) for n in names)))

    def _tried(self, own: str, name: str, relies: Sequence[str], tree: Any) -> Any:
        """The value of a function, or None if it has none: it relies on something that failed (then `own` fails with it).

        An argument outside its domain may break what is computed from it; that is no fault of the rules.
        """
        names = names_in(tree)
        if self.failed & ({*relies} | names):
            self.failed.add(own)
            return None
        try:
            return self._call(name)
        except Fault:
            if not names & self.outside:
                raise
            self.failed.add(own)
            return None

    def _domain(self, place: int) -> None:
        item, value = self.info.chosen[place], self.chosen[place]
        values = self._tried(item.name, f"domain_{place}", (), item.domain)
        if not contains(item.type, value):
            self.failed.add(item.name)
        if values is None or within(item.domain.type, values, value):
            return
        self.outside.add(item.name)
        where = substituted(item.domain.span, self.texts)
        sentence = f"{self.texts[item.name]} is not in {where}"
        told = self.rules.codec.text(item.domain.type, values)
        shown = ((where, told),) if told != where else ()
        reason = self._reason(item.name, sentence, item.span, "", shown)
        self.reasons.append(evolve(reason, among=told if shown else ""))

    def _let(self, place: int, entry: ActionLet) -> None:
        self.known[entry.name] = self._tried(entry.name, f"let_{place}", entry.relies, entry.value)

    def _guard(self, place: int, guard: Guard) -> None:
        found = self._tried(guard.name, f"guard_{place}", guard.relies, guard.condition)
        if found is None:
            return
        holds, probes = found
        if holds:
            self.holds.append(guard.name)
            return
        self.failed.add(guard.name)
        sentence = self._sentence(place, guard.sentence)
        unseen = unseen_parts(self.rules, guard.condition)
        shown = probed(self.rules.codec, [probe for probe in probes if probe[0] not in unseen], self.texts)
        self.reasons.append(self._reason(guard.name, sentence, guard.span, guard.doc, shown))

    def _reason(self, name: str, sentence: str, span: Span, doc: str, shown: tuple[tuple[str, str], ...]) -> Reason:
        clause = f"{self.info.name}.{name}"
        section = sections(doc) or sections(self.info.doc)
        return Reason(name, sentence, clause, span.source.name, span.line, section, shown)

    def _sentence(self, place: int, template: Template) -> str:
        parts = []
        for number, part in enumerate(template.parts):
            if isinstance(part, str):
                parts.append(part)
            elif names_in(part) & self.failed:
                parts.append("...")
            else:
                parts.append(prose(self.rules.codec, part.type, self._call(f"text_{place}_{number}")))
        return "".join(parts)


def _parameter_names(info: ActionInfo) -> tuple[str, ...]:
    lets = [entry.name for entry in info.prelude if isinstance(entry, ActionLet)]
    return ("me", *(p.name for p in info.given), *(c.name for c in info.chosen), *lets)


def _functions(info: ActionInfo) -> list[ExtraFunction]:
    """The functions that explaining an action needs."""
    names = _parameter_names(info)
    made = [ExtraFunction(f"domain_{place}", names, item.domain, None) for place, item in enumerate(info.chosen)]
    for place, entry in enumerate(info.prelude):
        if isinstance(entry, ActionLet):
            made.append(ExtraFunction(f"let_{place}", names, entry.value, None))
            continue
        made.append(ExtraFunction(f"guard_{place}", names, entry.condition, None, probe=True))
        for number, part in enumerate(entry.sentence.parts):
            if not isinstance(part, str):
                made.append(ExtraFunction(f"text_{place}_{number}", names, part, None))
    return made


def within(t: Type, values: Any, value: Any) -> bool:
    """Whether a value is an element of a collection of type `t`; a value of another type is not."""
    if isinstance(t, ListType):
        return value in values
    if isinstance(t, (SetType, BagType)):
        if not contains(t.item, value):
            return False
        index = index_of(t.item, value)
        return bool(values >> index & 1) if isinstance(t, SetType) else bool(values[index])
    return contains(t, value)


# ---------------------------------------------------------------- words


def substituted(span: Span, texts: Mapping[str, str]) -> str:
    """The source text of a place, with the values of names in their stead, on one line."""
    text = re.sub(r"\s+", " ", span.text)
    if not texts:
        return text
    names = "|".join(sorted(map(re.escape, texts), key=len, reverse=True))
    return re.sub(rf"(?<![\w.])({names})(?!\w|\s*=(?!=))", lambda found: texts[found[1]], text)


def unseen_parts(rules: Rules, condition: Expr) -> frozenset[Span]:
    """The places in a guard that have a value which the player may not see: of a hand that is only counted, the cards."""
    fields = {info.name: info for info in rules.program.fields}
    found: set[Span] = set()
    for part in everything(condition):
        counted = only_counted(part)
        if counted is None or fields[counted.field].visibility not in ("private", "hidden"):
            continue
        if fields[counted.field].visibility == "hidden" or place_of(counted.keys[0]) != "me":
            found.update(inner.span for inner in everything(part) if inner is not part)
    return frozenset(found)


def probed(
    codec: Codec, probes: Sequence[tuple[Span, Any, Type]], texts: Mapping[str, str]
) -> tuple[tuple[str, str], ...]:
    """The values of the parts of a condition: (text of the rules, value), each once, without what says nothing.

    For `any(...)` and `all(...)` the probes are the elements that decided, one for each `for`.
    """
    shown: dict[str, str] = {}
    for span, found in itertools.groupby(probes, key=lambda probe: probe[0]):
        text, values = substituted(span, texts), [codec.text(t, value) for _, value, t in found]
        quantifier = re.match(r"(any|all)\(", text)
        if quantifier is not None:
            names = _gone_through(span.text)
            elements = ", ".join(f"{name} = {value}" for name, value in zip(names, values, strict=False))
            shown.setdefault(text, f"{'true' if quantifier[1] == 'any' else 'false'} for {elements}")
        elif text != values[0]:
            shown.setdefault(text, values[0])
    return tuple(shown.items())


def _gone_through(text: str) -> list[str]:
    """The names that `any(...)` or `all(...)` goes through by its own `for`s, not by those of what stands in it."""
    names, depth = [], 0
    for found in re.finditer(r"[(\[{]|[)\]}]|\bfor\s+(\w+)\s+in\b", text):
        if found[1] is None:
            depth += 1 if found[0] in "([{" else -1
        elif depth == 1:
            names.append(found[1])
    return names


def sections(doc: str) -> str:
    """The rulebook sections that a doc comment cites: `§3.2`, `§3.2, §4.1`."""
    return ", ".join(dict.fromkeys(re.sub(r"\s", "", found) for found in re.findall(r"§\s?\d+(?:\.\d+)*[a-z]?\b", doc)))


__all__ = ["Examined", "Explanation", "Reason", "examine", "explain", "probed", "substituted", "within"]
