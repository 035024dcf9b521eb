"""The rules: cards, ranges, ``.game`` files, betting lines, which hand wins, a hand as it is played, and their words.

No strategy and no abstraction.
"""
