"""Text for people and programs: one file for each format."""
