"""The machine: plays what `rulesdsl` compiles, and keeps a log from which everything can be had again.

    import interpreter

    game = interpreter.load("games/atlanteon.rules", size=5)
    match = game.new(seed=4, human="guardian", log="atlanteon-4.jsonl")
    print(match.question)                      # guardian chooses raise_tower
    match.play("raise_tower(white, c3)")       # or play("raise_tower", kind="white", at="c3"), or play(a_move)
    match.legal_moves()                        # in canonical order
    print(match.why("raise_tower(black, c4)")) # every guard against it, with its line in the rules
    match.state.base                           # {c3}
    match.view("marauder")                     # what a seat sees
    match.undo(); match.redo()
    match.at(0).state                          # any earlier position, at once
    match.narrate()                            # the story in sentences

    position = game.start(seed=4)              # without a match: immutable, for search and learning
    position = position.play("raise_tower(white, c3)")
    position.legal_moves(); position.outcome

    log = interpreter.read_log("atlanteon-4.jsonl")
    interpreter.replay(log, game)              # runs every answer again and compares
    interpreter.fold(log, game).state          # the same state, from the events alone

Everything handed out is immutable and named; whatever is refused changes nothing.
"""

from interpreter.codec import Codec, NamedBag, NamedMap, NamedSet, RecordValue, show
from interpreter.errors import Conflict, IllegalMove, LogError, MachineError, RulesError, UndoRefused, ValueProblem
from interpreter.explain import Explanation, Reason
from interpreter.game import Game, load
from interpreter.log import Log, read_log
from interpreter.match import ASK, Match
from interpreter.position import Position
from interpreter.possible import possible_moves
from interpreter.recorder import Recorder, Sink
from interpreter.replay import Difference, Folded, Replay, fold, replay
from interpreter.rules import Rules
from interpreter.store import Journal, MemoryStore, Store, open_store
from interpreter.undo import Verdict
from interpreter.values import PASS, Drawn, Event, Move, Offer, Outcome, Question, State
from interpreter.view import REFEREE, Concealed, View
from interpreter.view_log import ViewLog, read_view

__all__ = [
    "ASK",
    "PASS",
    "REFEREE",
    "Codec",
    "Concealed",
    "Conflict",
    "Difference",
    "Drawn",
    "Event",
    "Explanation",
    "Folded",
    "Game",
    "IllegalMove",
    "Journal",
    "Log",
    "LogError",
    "MachineError",
    "Match",
    "MemoryStore",
    "Move",
    "NamedBag",
    "NamedMap",
    "NamedSet",
    "Offer",
    "Outcome",
    "Position",
    "Question",
    "Reason",
    "RecordValue",
    "Recorder",
    "Replay",
    "Rules",
    "RulesError",
    "Sink",
    "State",
    "Store",
    "UndoRefused",
    "ValueProblem",
    "Verdict",
    "View",
    "ViewLog",
    "fold",
    "load",
    "open_store",
    "possible_moves",
    "read_log",
    "read_view",
    "replay",
    "show",
]
