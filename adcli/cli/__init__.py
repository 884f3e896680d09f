"""The command line: arguments to rooms, results to streams, errors to exit codes."""
