"""The protocol of the Annual Computer Poker Competition over TCP: a player for a dealer, and the dealer's side.

Lines of finished hands belong to ``formats``.
"""
