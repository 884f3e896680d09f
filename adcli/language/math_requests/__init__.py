"""Mathematical requests in the place of an expression, and the commands that answer them."""
