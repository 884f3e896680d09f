"""Trust in the numbers of a trace: how many digits rounding leaves, which are proven, and where digits are lost."""
