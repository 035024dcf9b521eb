"""Tests of the rooms in folders of the same names.

Threads of the kernel that wait for each other must not take cores from other tests; read when the kernel is loaded.
"""

import os

os.environ.setdefault("OMP_WAIT_POLICY", "passive")
