"""Tests of the rooms in folders of the same names."""

import os

# Two processes of tests share two cores: a thread that waits sleeps at once, and leaves its core to the other process.
os.environ.setdefault("GOMP_SPINCOUNT", "0")
