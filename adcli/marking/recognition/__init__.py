"""Recognising what an answer leaves out: its problem, the quantities of bare numbers, names of rows."""
