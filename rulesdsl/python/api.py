"""The end of a generated module: the tables and functions that the machine calls."""

from __future__ import annotations

from attrs import define

from rulesdsl import core
from rulesdsl.python.code import Names
from rulesdsl.python.machine import MachineCode
from rulesdsl.python.tables import Module

Codes = dict[tuple[str, str], MachineCode]

_FUNCTIONS = """
def start(trace):
    return run(INITIAL, "main", (), trace)


def run(st, flow, args, trace):
    try:
        st, frame = FLOWS[flow](st, trace, *args)
        while frame is not None and (block := BLOCKS[frame[0]]) is not None:
            st, frame = block(st, trace, frame[2], *frame[1])
        return st, frame
    except GameEnded as ended:
        return ended.args[0], None


def perform(st, action, me, given, chosen, trace):
    try:
        st, frame = PERFORM[action](st, trace, me, *given, *chosen)
        while frame is not None and (block := BLOCKS[frame[0]]) is not None:
            st, frame = block(st, trace, frame[2], *frame[1])
        return st, frame
    except GameEnded as ended:
        return ended.args[0], None


def asked(st, frame):
    return ASKED[frame[0]](st, frame[1])


def given(st, frame):
    return GIVEN[frame[0]](st, frame[1])


def legal(st, frame):
    return LEGAL[frame[0]](st, frame[1])


def any_legal(st, frame):
    return ANY_LEGAL[frame[0]](st, *frame[1])


def allows(st, frame, move):
    if type(move) is not tuple or not move or type(move[0]) is not int:
        return False
    return ALLOWS[frame[0]](st, frame[1], move)


def outcomes(st, frame):
    return OUTCOMES[frame[0]](st, frame[1])


def answer(st, frame, move, trace):
    try:
        st, frame = ANSWER[frame[0]](st, trace, frame, move)
        while frame is not None and (block := BLOCKS[frame[0]]) is not None:
            st, frame = block(st, trace, frame[2], *frame[1])
        return st, frame
    except GameEnded as ended:
        return ended.args[0], None


def drawn(st, frame, value, trace):
    try:
        st, frame = DRAWN[frame[0]](st, trace, frame, value)
        while frame is not None and (block := BLOCKS[frame[0]]) is not None:
            st, frame = block(st, trace, frame[2], *frame[1])
        return st, frame
    except GameEnded as ended:
        return ended.args[0], None


def decide(st, frame, value, trace=None):
    if trace is None:
        trace = Trace()
    return trace, (answer if KIND[frame[0]] == "choice" else drawn)(st, frame, value, trace)


def apply(st, event):
    return APPLY[event[0]](st, *event[1:])


def event_Ended(st, winners, scores):
    return (*st[:-1], (winners, scores))
"""


@define
class Writer:
    """Writes the tables."""

    module: Module
    codes: Codes

    def table(self, name: str, entries: list[tuple[str, str]], kind: str = "dict") -> None:
        code = self.module.code
        if not entries:
            code.line(f"{name} = {'{}' if kind == 'dict' else '()'}")
            return
        code.line(f"{name} = {'{' if kind == 'dict' else '('}")
        for key, value in entries:
            code.line(f"    {key}: {value}," if kind == "dict" else f"    {value},")
        code.line("}" if kind == "dict" else ")")

    def questions(self) -> list[tuple[int, core.Question]]:
        return [(pc, end) for pc, end in self.resting() if isinstance(end, core.Question)]

    def draws(self) -> list[tuple[int, core.Chance]]:
        return [(pc, end) for pc, end in self.resting() if isinstance(end, core.Chance)]

    def resting(self) -> list[tuple[int, core.Question | core.Chance]]:
        found = []
        for code in self.codes.values():
            for number, block in sorted(code.blocks.items()):
                if isinstance(block.end, (core.Question, core.Chance)):
                    found.append((code.pc(number), block.end))
        return found

    def blocks(self) -> None:
        """By pc: the function that goes on there, or None where the flow rests (or never stands)."""
        functions: dict[int, str] = {}
        for code in self.codes.values():
            functions |= {code.pc(number): code.function(number) for number in code.heads}
            functions |= {pc: code.function(number) for number, pc in code.arrivals.items()}
            functions |= {code.pc(number): "None" for number in code.blocks if code.pc(number) not in functions}
        self.table("BLOCKS", [("", functions[pc]) for pc in sorted(functions)], "tuple")

    def positions(self) -> None:
        resting, questions, draws = self.resting(), self.questions(), self.draws()
        program = self.module.program
        self.table(
            "KIND", [(str(pc), '"choice"' if isinstance(end, core.Question) else '"draw"') for pc, end in resting]
        )
        passing = [str(pc) for pc, end in questions if end.on_pass is not None]
        self.module.code.line(f"MAY_PASS = frozenset(({', '.join(passing)}{',' if passing else ''}))")
        self.table("STEP", [(str(pc), repr(end.step)) for pc, end in resting])
        offers = [
            (str(pc), repr(tuple(program.action(o.action).position for o in end.offers))) for pc, end in questions
        ]
        self.table("OFFERS", offers)
        names = {
            "ASKED": "asked",
            "GIVEN": "given",
            "LEGAL": "legal",
            "ANY_LEGAL": "any",
            "ALLOWS": "allows",
            "ANSWER": "answer",
        }
        for table, function in names.items():
            self.table(table, [(str(pc), f"{function}_{pc}") for pc, _ in questions])
        for table, function in {"OUTCOMES": "outcomes", "DRAWN": "drawn"}.items():
            self.table(table, [(str(pc), f"{function}_{pc}") for pc, _ in draws])

    def flows(self) -> None:
        """How flows and actions are begun from outside: functions that give (state, frame)."""
        entries = []
        for flow in self.module.program.flows:
            machine = ("flow", flow.name) in self.codes
            params = [param.name for param in flow.params]
            entries.append((repr(flow.name), self._begin(f"flow_{flow.name}", params, machine, flow.name == "main")))
        self.table("FLOWS", entries)
        performed = [("", "None")]
        for action in self.module.program.actions:
            machine = ("action", action.name) in self.codes
            params = ["me", *(p.name for p in action.given), *(c.name for c in action.chosen)]
            name = f"action_{action.name}" if machine else f"effects_{action.name}"
            performed.append(("", self._begin(name, params, machine, False)))
        self.table("PERFORM", performed, "tuple")

    def _begin(self, name: str, params: list[str], machine: bool, main: bool) -> str:
        names = Names(self.module.reserved)
        args = ", ".join(["st", "trace", *(names.of("local", param) for param in params)])
        if machine:
            return f"lambda {args}: {name}({args.replace('st, trace', 'st, trace, None', 1)})"
        if main:
            return f"lambda {args}: ({name}({args}), {self.module.helper('no_result')}())"
        return f"lambda {args}: ({name}({args}), None)"

    def events(self) -> None:
        program = self.module.program
        events = sorted(program.events, key=lambda info: info.position)
        self.table("EVENTS", [("", '"Ended"'), *(("", f'"{info.name}"') for info in events)], "tuple")
        self.table("APPLY", [("", "event_Ended"), *(("", f"event_{info.name}") for info in events)], "tuple")
        writes = [self._names(self.module.facts.writes[info.name]) for info in events]
        self.table("WRITES", [("", "frozenset()"), *(("", text) for text in writes)], "tuple")
        actions = sorted(program.actions, key=lambda info: info.position)
        self.table("ACTIONS", [("", '"pass"'), *(("", f'"{info.name}"') for info in actions)], "tuple")

    def _names(self, fields: frozenset[str]) -> str:
        inner = ", ".join(f'"{name}"' for name in self.module.in_order(fields))
        return f"frozenset(({inner}{',' if inner else ''}))" if inner else "frozenset()"

    def laws(self) -> None:
        program = self.module.program
        self.table("MEASURES", [(repr(info.name), f"measure_{info.name}") for info in program.measures])
        for table, group in (("invariant", program.invariants), ("transition", program.transitions)):
            entries = [
                ("", f"({law.text!r}, law_{table}_{number}, {self._names(law.reads)})")
                for number, law in enumerate(group, start=1)
            ]
            self.table(f"{table.upper()}S", entries, "tuple")

    def defs(self) -> None:
        """All defs as functions of the state."""
        self.table("DEFS", [(repr(info.name), self._def(info)) for info in self.module.program.defs])

    def _def(self, info: core.DefInfo) -> str:
        fields = self.module.facts.passed_fields(info.name)
        if fields is None and not info.recursive:
            return f"def_{info.name}"
        names = Names(self.module.reserved)
        params = [names.of("local", param.name) for param in info.params]
        taken = ["st"] if fields is None else [f"st[{self.module.facts.positions[name]}]" for name in fields]
        args = ", ".join([*taken, *params, *(["1"] if info.recursive else [])])
        return f"lambda {', '.join(['st', *params])}: def_{info.name}({args})"


def api(module: Module, codes: Codes) -> None:
    """Everything that the machine calls."""
    code = module.code
    code.span = None
    module.helpers |= {"GameEnded", "Trace"}
    code.blank(2)
    code.line("# " + "-" * 64 + " what the machine calls")
    for line in _FUNCTIONS.rstrip().split("\n"):
        code.line(line)
    code.blank(2)
    code.line(f"SEATS = {len(module.program.player.members)}")
    writer = Writer(module, codes)
    for write in (writer.events, writer.blocks, writer.positions, writer.flows, writer.defs, writer.laws):
        write()
    if any(info.recursive for info in module.program.defs):
        code.line(f"{module.helper('allow_deep_recursion')}()")
