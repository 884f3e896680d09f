"""The classroom: keys, exercises, forms, rosters, the grading of many answers, gradebooks."""
