"""Compiled modules, built from ``ext/``, and their stubs.

Each takes arrays and imports nothing of ``cfr``. Its typed, checked front stands in the room that its ``ext/`` folder
names.
"""
