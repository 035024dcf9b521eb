"""Modules that know no poker: errors, files, logs of results, caches, memory, interrupts, versions.

A module that names a card belongs elsewhere.
"""
