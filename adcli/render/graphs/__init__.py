"""Graphs: computational graphs as pictures; their content, their layout, and one file for each format."""
