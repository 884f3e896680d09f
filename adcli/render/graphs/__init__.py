"""Computational graphs as pictures: what is in them, where it stands, and one file for each format."""
