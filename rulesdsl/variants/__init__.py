"""Variants: changes of named clauses, composed with their base; differences between programs; locks."""
