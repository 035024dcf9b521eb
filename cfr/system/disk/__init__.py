"""What is kept on disk: whole files written at once, locks, logs of results, caches, arrays beyond memory.

The formats of strategies, logs and games are not here.
"""
