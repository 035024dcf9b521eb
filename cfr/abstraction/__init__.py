"""From a hand to the row of a table: features of hands, clusters, buckets, and the lossless abstraction.

The kernel asks for rows only; this package alone knows how they are made.
"""
