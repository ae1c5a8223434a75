"""Random programs of the rules language, right by construction: what `playtest.programs` gives."""
