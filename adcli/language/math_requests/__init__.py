"""Mathematical requests instead of an expression, and the commands that answer them."""
