"""Hands in play: the table, players, matches, luck-adjusted results, players that learn, the ACPC's protocol.

Text of finished hands belongs to ``formats``.
"""
