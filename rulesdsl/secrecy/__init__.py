"""Who sees what, checked before play."""
