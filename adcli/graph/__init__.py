"""Graphs of operations: nodes, orders, the two sweeps, tapes."""
