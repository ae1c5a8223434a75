"""The one way to lay out rules: trees of `syntax` nodes in, text out."""
