"""Exact spots: what a visitor wants solved, the queue of solves, and their solutions.

Routes, the work behind them, and the part of the page that shows it (``static/``).
"""
