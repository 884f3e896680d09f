"""Known slips: what each of them makes of a student's own numbers, and which of them explains a wrong row."""
