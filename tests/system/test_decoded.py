"""Text from bytes of any encoding that people's programs write."""

import pytest

from cfr.game.rules import Game
from cfr.system.disk.decoded import decoded, with_line_feeds

TEXT = "Zoé: folds\u2028\nJosé: calls\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_any_encoding_and_line_end(encoding, end):
    assert with_line_feeds(decoded(TEXT.replace("\n", end).encode(encoding))) == TEXT


def test_bytes_that_are_no_utf8_are_of_windows():
    assert decoded("Zoé: 5 €".encode("cp1252")) == "Zoé: 5 €"
    assert decoded(b"") == ""


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_game_files_in_any_encoding(tmp_path, encoding):
    leduc = Game.bundled("leduc")
    path = tmp_path / "leduc.game"
    path.write_bytes(("# für zwei\r\n" + leduc.text()).encode(encoding))
    assert Game.read(path) == leduc
