"""The checker: syntax in, typed `core` and diagnostics out."""
