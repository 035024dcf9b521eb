"""The rules: cards, ranges, ``.game`` files, betting lines, hand strength, hands as played, names, notebooks' HTML.

The package holds no strategy and no abstraction.
"""
