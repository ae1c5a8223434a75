"""Games in the form that other libraries take: PettingZoo environments and OpenSpiel games.

Each module needs its library: `pip install 'rulesdsl[pettingzoo]'`, `pip install 'rulesdsl[openspiel]'`.
"""
