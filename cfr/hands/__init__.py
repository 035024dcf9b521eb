"""Hands and boards up to suit isomorphism, their sizes, flops, all-in equity and showdown margins.

No betting and no strategy: what two hands and a board are worth by themselves.
"""
