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


HANDS = "PokerStars Hand #1: Hold'em Limit\nZoé: folds\n鲍勃说话\n", "PokerStars Hand #2: Hold'em Limit\nZoé: calls\n"


@pytest.mark.parametrize("first", ["utf-8", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("second", ["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("end", ["\n", ""])
def test_files_that_were_put_together(first, second, end):
    one, other = HANDS[0].removesuffix("\n") + end, HANDS[1]
    is_narrow = not second.startswith("utf-16")
    if not end and first != "utf-8" and is_narrow:
        return  # UTF-16 ends after a line
    if {first, second} <= {"utf-16", "utf-16-le", "utf-16-be"} and "be" in first + second and first != second:
        return  # no mark says which of the two follows the other
    if not end and (first, second) == ("utf-8", "utf-16-be"):
        return  # the last letter may be the first byte of a pair
    data = one.encode(first) + other.encode(second)
    assert with_line_feeds(decoded(data)).replace("\ufeff", "") == one + other


def test_lines_of_utf8_and_of_windows():
    data = "José: folds\n".encode() + "José: calls 5 €\r".encode("cp1252") + "\r\nJosé\n".encode()
    assert decoded(data) == "José: folds\nJosé: calls 5 €\r\r\nJosé\n"
    assert decoded(b"B\x81b \x93x\x94") == "B\x81b \u201cx\u201d"  # as browsers read it


def test_zeros_here_and_there_are_no_utf16():
    text = "Ann: b\0ets\n" + 20 * "Bob: folds\n" + "\0"
    assert decoded(text.encode()) == text
    assert decoded(bytes(7)).strip("\0") in ("", "\ufffd")


def test_letters_with_marks_are_one_character():
    assert with_line_feeds("Jose\u0301\r\n\x1a") == "José\n"


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_game_files_in_any_encoding(tmp_path, encoding):
    leduc = Game.bundled("leduc")
    path = tmp_path / "leduc.game"
    path.write_bytes(("# für zwei\r\n" + leduc.text()).encode(encoding))
    assert Game.read(path) == leduc
