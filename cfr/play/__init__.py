"""Hands in play: the table, players, matches, luck-adjusted results, and programs that connect by the ACPC's protocol.

Text of finished hands belongs to ``formats``.
"""
