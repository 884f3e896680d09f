"""The language: text to graphs and graphs to text."""
