"""What hands win at a spot when both seats play a strategy: expected values, equities, and the leaves of a round.

No module here changes a strategy or solves anything.
"""
