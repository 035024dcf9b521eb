"""Exact spots: what a visitor wants solved, the queue of solves, their solutions and runouts.

Routes, the work behind them, and the part of the page that shows it (``static/``).
"""
