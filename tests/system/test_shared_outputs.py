"""Two processes never share a log of results, a log of hands or a strategy file that a result is written into."""

import numpy as np
import pytest

from cfr.cli.main import main
from cfr.formats.logs import HandLog
from cfr.game.rules import Game
from cfr.strategy.files.file import set_attributes
from cfr.system.disk.file_lock import Lock
from cfr.system.disk.result_log import Records, discard
from cfr.system.errors import SaveError

LEDUC = Game.bundled("leduc")
HELD = r"process \d+ on .* is writing it; wait until that ends"


def test_a_log_of_results_has_one_writer(tmp_path):
    path = tmp_path / "x.exploit"
    with Records(path, {"strategy": "x"}, 2, resume=True) as log:
        log.add(7, np.ones(2))
        before = path.read_bytes()
        for resume in (False, True):
            with pytest.raises(SaveError, match=HELD):
                Records(path, {"strategy": "x"}, 2, resume=resume)
        discard(path)
        assert path.read_bytes() == before
    discard(path)
    assert not list(tmp_path.iterdir())


def test_a_refused_log_of_results_is_given_up(tmp_path):
    path = tmp_path / "x.exploit"
    path.write_text("not a log at all, but long enough")
    for _ in range(2):
        with pytest.raises(ValueError, match="not a log"):
            Records(path, {"strategy": "x"}, 2, resume=True)
    assert [each.name for each in tmp_path.iterdir()] == ["x.exploit"]


def test_a_damaged_result_costs_only_itself(tmp_path):
    path = tmp_path / "x.exploit"
    with Records(path, {"strategy": "x"}, 2, resume=True) as log:
        ends = []
        for number in range(4):
            log.add(number, np.full(2, number / 7))
            ends.append(path.stat().st_size)
    content = bytearray(path.read_bytes())
    content[ends[0] + 3] ^= 16  # in the number of the second
    path.write_bytes(content)
    with Records(path, {"strategy": "x"}, 2, resume=True) as log:
        assert list(log.found) == [0, 2, 3]
        log.add(1, np.full(2, 1 / 7))
    with Records(path, {"strategy": "x"}, 2, resume=True) as log:
        assert {n: record.tolist() for n, record in log.found.items()} == {n: [n / 7] * 2 for n in range(4)}


@pytest.mark.parametrize("command", ["exploit uniform --game leduc", "versus uniform always-call --game leduc"])
def test_a_measurement_that_another_one_writes(command, tmp_path, capsys):
    path = tmp_path / "kept"
    words = [*command.split(), "--partial", str(path), "--threads", "1"]
    with Lock(path, "cfr"):
        assert main(words) == 1
    assert "is writing it" in capsys.readouterr().err
    assert main(words) == 0


def test_a_folder_holds_no_results(tmp_path, capsys):
    for more in ([], ["--resume"]):
        assert main(["exploit", "uniform", "--game", "leduc", "--partial", str(tmp_path), *more]) == 1
        assert capsys.readouterr().err == f"cfr: cannot write {tmp_path}: Is a directory\n"


@pytest.mark.parametrize("append", [False, True])
def test_a_log_of_hands_has_one_writer(append, tmp_path):
    path = tmp_path / "x.log"
    path.write_text("STATE:\n")
    with HandLog(path, LEDUC, ["A", "B"], append=True):
        with pytest.raises(SaveError, match=HELD):
            HandLog(path, LEDUC, ["A", "B"], append=append)
        assert path.read_text().startswith("STATE:\n")
    HandLog(path, LEDUC, ["A", "B"], append=append).close()
    assert [each.name for each in tmp_path.iterdir()] == ["x.log"]


def test_a_device_is_nobodys(tmp_path):
    with HandLog("/dev/null", LEDUC, ["A", "B"]), HandLog("/dev/null", LEDUC, ["A", "B"]):
        pass


def test_a_result_is_not_written_into_a_file_that_is_being_replaced(leduc_file):
    before = leduc_file.read_bytes()
    with Lock(leduc_file, "cfr solve"), pytest.raises(SaveError, match=HELD):
        set_attributes(leduc_file, {"exploitability_mbb": 1.0})
    assert leduc_file.read_bytes() == before
