"""The language: text to graphs."""
