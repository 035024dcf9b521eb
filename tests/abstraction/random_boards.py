"""Boards of hold'em that are drawn at random, for tests."""

import numpy as np


def deal(rng, count, num_cards):
    return np.array([rng.permutation(52)[:num_cards] for _ in range(count)], np.uint8)
