"""The subgame below one spot: its betting lines, its boards, and the values of hands.

The whole game belongs to ``solver`` and ``exploit``.
"""
