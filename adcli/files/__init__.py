"""Files of points and results, of every kind that map reads and writes."""
