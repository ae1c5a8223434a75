"""Where commands write the games that they find, unless they are told otherwise. They are no games that a project keeps."""

FUZZ = "fuzz"
EXPLORE = "explore"
REVIEW = "review"
FOUND = frozenset({FUZZ, EXPLORE, REVIEW})
