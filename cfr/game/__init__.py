"""The rules: cards, ranges, ``.game`` files, betting lines, hand strength, hands as played, and names.

The package holds no strategy and no abstraction.
"""
