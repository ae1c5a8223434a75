"""What authors do with a game: fuzzing, shrinking, perft, bots, scenarios, generated programs."""
