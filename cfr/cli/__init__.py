"""The command line: one file a group of commands. Commands parse flags, call one function of a room below, and print.

Code that computes belongs in the room of its subject.
"""
