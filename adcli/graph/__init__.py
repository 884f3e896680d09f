"""Graphs of operations: nodes, orders, sweeps, tapes, derived graphs."""
