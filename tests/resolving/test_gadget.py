"""Gadgets: which hands enter a subgame that is re-solved."""

import numpy as np
import pytest

from cfr.kernel.schedules import DISCOUNTED
from cfr.resolving.gadget import CFR_D, COMBINED, GADGETS, UNSAFE, Entry

LIVE = np.array([True] * 9 + [False])
EXPECTED = np.array([[0.5, 0, 0.25, 1, 0, 0, 0, 0, 0.125, 0], [0.0] * 10])
TARGETS = np.arange(20.0).reshape(2, 10)


def plain_range(gadget, expected, shares):
    """Hand by hand, as the formula is written."""
    found = []
    for brought, enters in zip(expected, shares, strict=True):
        # Where nobody is expected, everybody is.
        reach = (brought if sum(brought) else 0.1 * LIVE) * gadget.expected
        mass = sum(reach)
        least = gadget.trembling
        comes = [least + (1 - least) * p for p in enters]
        wants = [(1 - r) * p * live * gadget.wanting for r, p, live in zip(reach, comes, LIVE, strict=True)]
        uniform = gadget.uniform
        found.append(
            [
                (1 - uniform) * (r + w) + uniform * live * mass / sum(LIVE)
                for r, w, live in zip(reach, wants, LIVE, strict=True)
            ]
        )
    return np.array(found)


@pytest.mark.parametrize("gadget", GADGETS, ids=lambda each: each.name)
def test_a_range_is_what_the_formula_says(gadget):
    entry = Entry(gadget, EXPECTED, LIVE, TARGETS)
    shares = np.full((2, 10), 0.5)
    np.testing.assert_allclose(entry.range, plain_range(gadget, EXPECTED, shares), rtol=1e-14)
    enters, declines = np.zeros((2, 10)), np.zeros((2, 10))
    rng = np.random.default_rng(1)
    for iteration in range(1, 6):
        values = TARGETS + rng.normal(size=(2, 10))
        entry.learn(values, DISCOUNTED, iteration)
        mean = shares * values + (1 - shares) * TARGETS
        positive, negative = DISCOUNTED.kept(iteration)
        enters, declines = enters + values - mean, declines + TARGETS - mean
        enters = np.array([[r * (positive if r > 0 else negative) for r in row] for row in enters])
        declines = np.array([[r * (positive if r > 0 else negative) for r in row] for row in declines])
        up, down = np.maximum(enters, 0), np.maximum(declines, 0)
        shares = np.array(
            [[a / (a + b) if a + b else 0.5 for a, b in zip(*each, strict=True)] for each in zip(up, down, strict=True)]
        )
        np.testing.assert_allclose(entry.range, plain_range(gadget, EXPECTED, shares), rtol=1e-12)


def test_every_hand_that_wants_to_enter_comes_whatever_the_blueprint_expects():
    """A bound on these hands leaves nothing that presses the strategy down to its targets where few are expected."""
    entry = Entry(COMBINED, EXPECTED, LIVE, TARGETS)
    entry.learn(TARGETS + 1, DISCOUNTED, 1)  # every hand wants to enter
    every = 0.1 * EXPECTED.sum(axis=1) / LIVE.sum()
    np.testing.assert_allclose(entry.range[0], LIVE * (0.9 + every[0]))
    np.testing.assert_allclose(entry.range[1], LIVE * (0.9 + 0.1 * 0.1))


def test_where_nobody_is_expected_hands_that_stay_out_still_press():
    """Else the strategy would be played down to the target values and no further."""
    entry = Entry(COMBINED, EXPECTED, LIVE, TARGETS)
    entry.learn(TARGETS - 1, DISCOUNTED, 1)  # no hand wants to enter
    np.testing.assert_allclose(entry.range[1], 0.1 * LIVE)


def test_plain_gadgets_have_nothing_else():
    assert Entry(UNSAFE, EXPECTED, LIVE, TARGETS).range[0].tolist() == EXPECTED[0].tolist()
    entry = Entry(CFR_D, EXPECTED, LIVE, TARGETS)
    entry.learn(TARGETS - 1, DISCOUNTED, 1)  # no hand wants to
    assert not entry.range.any()
