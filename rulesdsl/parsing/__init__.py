"""Text in, a tree of `syntax` nodes out, or every mistake of a text that does not parse. The grammar is `rulesdsl/grammar.lark`."""
