"""Games in the form that other libraries take: PettingZoo environments and OpenSpiel games.

    from playtest.adapters import pettingzoo_env, openspiel_game

Each needs its library: `pip install 'rulesdsl[pettingzoo]'`, `pip install 'rulesdsl[openspiel]'`; neither is imported before
it is asked for.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playtest.adapters.openspiel import check_invariants, openspiel_game
    from playtest.adapters.pettingzoo import pettingzoo_env

_HOMES = {"check_invariants": "openspiel", "openspiel_game": "openspiel", "pettingzoo_env": "pettingzoo"}


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__} has no attribute {name}")
    try:
        return getattr(importlib.import_module(f"{__name__}.{home}"), name)
    except ModuleNotFoundError as missing:
        what = f"{name} needs {missing.name}, which is not installed: pip install 'rulesdsl[{home}]'"
        raise ModuleNotFoundError(what, name=missing.name) from missing


__all__ = ["check_invariants", "openspiel_game", "pettingzoo_env"]
