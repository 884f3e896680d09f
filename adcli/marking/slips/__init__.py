"""Known slips: what each of them gives with a student's own numbers, and which of them explains a wrong row."""
