"""A log of results: it goes on after any cut, and belongs to one strategy."""

import numpy as np
import pytest

from cfr.system.disk.result_log import Records
from cfr.system.errors import BadInputError, DamagedFileError

IDENTITY = {"strategy": "x"}


class TestRecords:
    def write(self, path, numbers):
        with Records(path, IDENTITY, 3, resume=True) as log:
            for number in numbers:
                log.add(number, np.full(3, number / 7))

    def test_goes_on_after_any_cut(self, tmp_path):
        whole = tmp_path / "whole"
        self.write(whole, range(4))
        data = whole.read_bytes()
        for end in range(len(data)):
            cut = tmp_path / "cut"
            cut.write_bytes(data[:end])
            with Records(cut, IDENTITY, 3, resume=True) as log:
                assert list(log.found) == list(range(len(log.found)))
                for number in range(len(log.found), 4):
                    log.add(number, np.full(3, number / 7))
            assert cut.read_bytes() == data

    def test_damage_ends_what_is_believed(self, tmp_path):
        path = tmp_path / "log"
        self.write(path, range(4))
        data = bytearray(path.read_bytes())
        data[-20] ^= 1  # in the last record
        path.write_bytes(data)
        with Records(path, IDENTITY, 3, resume=True) as log:
            assert list(log.found) == [0, 1, 2]

    def test_belongs_to_one_strategy(self, tmp_path):
        path = tmp_path / "log"
        self.write(path, [0])
        with pytest.raises(BadInputError, match="something else"):
            Records(path, {"strategy": "y"}, 3, resume=True)
        path.write_text("not a log at all, but long enough")
        with pytest.raises(DamagedFileError, match="not a log"):
            Records(path, IDENTITY, 3, resume=True)

    def test_starts_anew_when_told(self, tmp_path):
        path = tmp_path / "log"
        self.write(path, [0, 1])
        with Records(path, IDENTITY, 3, resume=False) as log:
            assert log.found == {}
