"""From settings to a strategy file: the loop of a solve, its state, schedules, checkpoints, forecast and targets.

Traversal itself belongs to ``kernel``; measuring in the real game belongs to ``exploit``.
"""
