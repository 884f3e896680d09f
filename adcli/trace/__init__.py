"""Evaluation traces as plain data: rows, steps, outputs and notes."""
