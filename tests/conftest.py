"""What holds for all tests."""

import signal

# A shell ignores interrupts for what it starts in the background, which a process hands on to its children; some tests
# interrupt theirs.  What is handled here is as usual there.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
