"""Derivations in answers: lines as statements, and the names that are in them."""
