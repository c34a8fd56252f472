"""The assistant: the command line, turn inference, live tables, recordings, print sheets, benchmarks."""
