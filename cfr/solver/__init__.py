"""From settings to a strategy file of a whole game: the loop of a solve, its tables, checkpoints, forecast and targets.

Traversal itself belongs to ``kernel``, measuring in the real game to ``exploit``, one spot to ``spots``. The folder
``out_of_core`` has the solves whose tables do not fit into memory.
"""
