"""Compiled modules, built from ``ext/``, and their stubs.

Each takes arrays and imports nothing of ``cfr``. Its typed, checked front stands in the room that its ``ext/`` folder
names.
"""

import os

# Threads of the kernel that wait for each other must not take a busy machine's cores from those that they wait for.
# OpenMP reads this once, when the first of these modules is loaded.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
