"""Where people sit: the console script `rulesdsl`, the terminal game, and series of games."""
