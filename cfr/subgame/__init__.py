"""What follows one spot: its betting lines and boards, and what hands win there.

The whole game belongs to ``solver`` and ``exploit``.
"""
