"""Boards and tables as text, and the layers and shapes that pictures of them are made of."""
