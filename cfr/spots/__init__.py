"""One spot, solved without buckets: asking for it, settings, locks, the solve, its checkpoint, and play that exploits.

The whole game belongs to ``solver``. The file of a solved spot is a strategy, and so belongs to ``strategy``.
"""
