"""The Python back end: `core` in, the source of one readable module a game out."""
