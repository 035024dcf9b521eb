"""The rules: cards, ranges, ``.game`` files, betting lines, which hand wins, a hand as it is played, and names.

The package holds no strategy and no abstraction.
"""
