"""Strategies and their file: what every strategy answers, HDF5, built-ins, probabilities as bytes, realisation plans.

No module here computes a strategy.
"""
