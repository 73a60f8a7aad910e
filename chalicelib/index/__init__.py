"""Brings a revision into search: its chunks, their terms and vectors, swapped in one transaction."""
