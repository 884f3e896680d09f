"""Pasted text in the spelling of the language: typographic signs and LaTeX."""
