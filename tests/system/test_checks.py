"""Numbers that people give: whole ones, within limits."""

import numpy as np
import pytest

import cfr
from cfr.system.checks import check_count
from cfr.system.errors import BadInputError


def test_whole_numbers_pass():
    for value in (1, np.int64(3), True):
        check_count("n", value)


@pytest.mark.parametrize(
    ("value", "more", "says"),
    [
        (0, {}, "n: 0; expected at least 1"),
        (2.5, {}, "n: 2.5; expected a whole number"),
        ("2", {}, "n: '2'; expected a whole number"),
        (None, {}, "n: None; expected a whole number"),
        (9, {"most": 8}, "n: 9; expected 1 to 8"),
        (1, {"least": 2, "why": "to say so"}, "n: 1; expected at least 2, to say so"),
    ],
)
def test_others_are_refused_in_one_line(value, more, says):
    with pytest.raises(BadInputError) as error:
        check_count("n", value, **more)
    assert str(error.value) == says


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"threads": 0}, "threads: 0"),
        ({"threads": -1}, "threads: -1"),
        ({"threads": 1.5}, "threads: 1.5"),
        ({"flops": 2, "seed": -1}, "seed: -1"),
        ({"flops": 2.5}, "flops: 2.5"),
        ({"flops": "2"}, "flops: '2'"),
    ],
)
def test_measurements_refuse_what_is_no_number_of_things(wrong, says):
    """A negative number of threads was waited for without end, half a flop was drawn."""
    leduc = cfr.BuiltIn("uniform", cfr.Game.bundled("leduc"))
    with pytest.raises(BadInputError, match=says):
        cfr.exploitability(leduc, **wrong)
    if "flops" not in wrong:
        with pytest.raises(BadInputError, match=says):
            cfr.value_against(leduc, leduc, **wrong)
        with pytest.raises(BadInputError, match=says):
            cfr.exploitability(cfr.BuiltIn("uniform", cfr.Game.bundled("kuhn")), **wrong)
