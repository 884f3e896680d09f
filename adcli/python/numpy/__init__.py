"""Rules for NumPy's functions, a file for each kind of function; `dispatch` finds the rule of a call."""
