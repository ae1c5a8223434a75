"""What the names of a program stand for, and all that is known before play, for one choice of parameters and seats."""
