"""Hands and boards up to suit isomorphism, their sizes, flops, all-in equity and showdown margins.

The package holds no betting and no strategy.
"""
