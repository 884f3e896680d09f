"""The commands, a module for each: its help, its options, and the function that runs it."""
