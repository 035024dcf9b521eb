"""The trainer: exercises, their order, answers and scores.

The page and the command line ask; nothing here prints.
"""
