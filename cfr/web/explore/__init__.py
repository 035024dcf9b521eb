"""Explore: spots of a strategy, their values, both ranges, all flops, and files of them.

Routes, the work behind them, and the part of the page that shows it (``static/``).
"""
