"""Results at a point where rows have kinks: exact reals, local series, smooth pieces, and the decision."""
