"""Solve, prove and use heads-up limit hold'em."""
