"""The commands, a file for each group of them: their flags, and what they print.

Parsing, help and the flags that commands share are in the room above.
"""
