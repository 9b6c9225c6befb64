"""The command line as a stranger meets it."""
