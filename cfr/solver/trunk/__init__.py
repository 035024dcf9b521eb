"""Play before the first board, solved anew for a strategy on a few flops without buckets.

The strategy is the trunk's blueprint: its play from the first board on stays. ``out_of_core`` solves the game.
"""
