"""Strategies and their file: the common interface, HDF5, built-ins, probabilities as bytes, realisation plans.

No module of this package computes a strategy.
"""
