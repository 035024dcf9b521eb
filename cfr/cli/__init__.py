"""The command line: one file a group of commands. Commands parse flags, call one function of a room below, and print.

What computes belongs into the room of its subject.
"""
