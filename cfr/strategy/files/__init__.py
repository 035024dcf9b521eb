"""Strategies in HDF5 files: what a file holds, how it is packed, read and checked; archives of unfinished tables.

What is asked of a strategy, whatever holds it, is in the room above.
"""
