"""Block network access for all tests, and let child processes receive Ctrl-C."""

import os
import signal

from offline import forbid_network

forbid_network()

# A shell without job control starts `make test &` with SIGINT ignored, and children inherit that: the program
# leaves it ignored, as it should, and a test that interrupts it would wait forever. A signal that is handled
# is reset in children.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Tests with a scripted model count on its replies, so questions are not answered without it.
os.environ.setdefault("TEXT2SQL_ANALYTIC", "false")
