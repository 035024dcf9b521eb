"""Mutated logs: bytes, lines and fields change, and what is read of a hand still stands in the lines of one hand.

``python -m tests.formats.mutate --count 1000000 --seed 0`` tries seeds 0 to 999,999 of each format (``--format`` names
one). Parts with other seeds can run elsewhere; Ctrl-C names the seed that goes on. A failure names its seed.
"""

import argparse
import random
import re
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from itertools import combinations, count, islice
from pathlib import Path

from tqdm import tqdm

from cfr.formats.acpc import match_state_line
from cfr.formats.logs import HandLog, read_log, read_text
from cfr.formats.skipped import Omissions
from cfr.game.betting import BettingTree
from cfr.game.cards import format_card
from cfr.game.hand import HandRecord, LoggedHand, SeenHand, deal_hand, decisions
from cfr.game.rules import Game
from cfr.play.hand import play_hand
from cfr.play.players import RandomPlayer
from cfr.system.disk.decoded import decoded, with_line_feeds
from cfr.system.errors import CfrError
from tests.formats import test_irc

CASES = Path(__file__).parent / "cases"
HULHE = Game.bundled("hulhe")
TREE = BettingTree(HULHE)
HANDS = 4
LETTERS = {"folds": "f", "checks": "c", "calls": "c", "bets": "r", "raises": "r", "f": "f", "cc": "c", "cbr": "r"}
XML = {"0": "f", "3": "c", "4": "c", "5": "r", "6": "r", "23": "r"}
VERBS = "(folds|checks|calls|bets|raises)"
CARD = re.compile(r"\b(10|[2-9TJQKA])([cdhs])\b")


@dataclass(frozen=True)
class Format:
    """Logs of a format: their suffix, their hands as text, and whether a hand stands in the text of one."""

    suffix: str
    blocks: tuple[str, ...]
    stands_in: Callable[[LoggedHand, str], bool]
    by_line: bool = False  # each line has all that is known of a hand


def records() -> list[HandRecord]:
    rng = random.Random(5)
    players = [RandomPlayer(), RandomPlayer()]
    played = (play_hand(TREE, deal_hand(HULHE, rng), players, rng) for _ in count())
    return list(islice((each for each in played if each.state.round > 1), HANDS))


def written(suffix: str, begin: str) -> tuple[str, ...]:
    """The hands of a log that we write; without the clock."""
    with tempfile.TemporaryDirectory() as home:
        path = Path(home) / f"x{suffix}"
        with HandLog(path, HULHE, ["ann", "bob"]) as log:
            for number, record in enumerate(records()):
                log.write(record, number % 2)
        text, numbers = path.read_text("utf-8"), count(210001)
    text = re.sub(r"Hand #[0-9]+:(.*) - .*", lambda it: f"Hand #{next(numbers)}:{it[1]} - 2011/05/02 20:15:00 ET", text)
    starts = [match.start() for match in re.finditer(begin, text)]
    assert len(starts) == HANDS
    return tuple(text[a:b] for a, b in zip(starts, [*starts[1:], len(text)], strict=True))


def told() -> tuple[str, ...]:
    """What a dealer tells both players."""
    blocks = []
    for number, record in enumerate(records()):
        states = [state for state, _ in decisions(record.state)] + [record.state]
        lines = []
        for state in states:
            for position in (0, 1):
                shown = tuple(
                    hand if seat == position or state.at_showdown else () for seat, hand in enumerate(record.deal.hands)
                )
                seen = SeenHand(state, shown, record.deal.board[: state.num_board_cards])
                lines.append(match_state_line(position, number, seen) + "\n")
        blocks.append("".join(lines))
    return tuple(blocks)


def case(name: str, begin: str, number: str) -> tuple[str, ...]:
    """A case's hand of a room, and the same with other suits and numbers."""
    text = (CASES / name).read_text("utf-8")
    block = text[text.index(begin) :].split("\n\n\n")[0] + "\n\n\n"
    suits = "cdhs" * 2
    return tuple(
        CARD.sub(lambda it, turn=turn: it[1] + suits[suits.index(it[2]) + turn], block).replace(
            number, f"{number[:-1]}{turn}"
        )
        for turn in range(HANDS)
    )


def without_chips(line: str) -> str:
    """What OpenSpiel prints of a ``STATE:`` line."""
    return ":".join(line.split(":")[:4]) + "\n"


def session() -> tuple[str, ...]:
    """iPoker's case, and the same with other numbers; the first one begins the session."""
    text = (CASES / "ipoker-hu.xml").read_text("utf-8")
    begin = text.index("<game ")
    game = text[begin : text.index("</session>")]
    return tuple(
        text[: begin if turn == 0 else 0] + game.replace("2680000001", f"268000000{turn}") for turn in range(HANDS)
    )


def has_cards(hand: LoggedHand, text: str) -> bool:
    cards = [format_card(card) for each in (*hand.seen.hands, hand.seen.board) for card in each]
    text = text.lower().replace("10", "t")
    return all(card.lower() in text for card in cards)


def has_actions(hand: LoggedHand, letters: str) -> bool:
    """Whether the actions are the hand's; after an all-in bet others may follow."""
    line = hand.seen.state.line_string.replace("/", "")
    return letters == line or (hand.seen.state.outcome is None and letters.startswith(line))


def in_state(hand: LoggedHand, line: str) -> bool:
    told = re.search(r":(-?[0-9.]+)\|(-?[0-9.]+):", line)
    is_paid = told is None or hand.chips in (None, (float(told[1]), float(told[2])))
    is_named = told is None or all(name in line for name in hand.players)
    return is_paid and is_named and str(hand.number) in line and in_line(hand, line)


def in_line(hand: LoggedHand, line: str) -> bool:
    return f":{hand.seen.state.line_string}:" in line and has_cards(hand, line)


def in_views(hand: LoggedHand, text: str) -> bool:
    """The line with all actions has the board; each player's cards stand in a line of this number."""
    lines = [line for line in text.split("\n") if f":{hand.number}:" in re.sub(r":0+(?=[0-9])", ":", line)]
    hands = ["".join(map(format_card, each)) for each in hand.seen.hands]
    board = "".join(map(format_card, hand.seen.board))
    return any(
        f":{hand.seen.state.line_string}:" in line and line.rstrip().replace("/", "").endswith(board) for line in lines
    ) and all(any(each in line for line in lines) for each in hands)


def in_words(actions: str, begin: str) -> Callable[[LoggedHand, str], bool]:
    """Actions that a pattern finds before the summary, and its pot, from a line that begins a hand to the next one."""
    found_action = re.compile(actions, re.MULTILINE)
    glued = re.compile(rf"(?<=[^\s>|])(?={begin})")
    begins = re.compile(rf"^(?=(?:[>|]|[^\S\n])*{begin})", re.MULTILINE)

    def stands_in(hand: LoggedHand, block: str) -> bool:
        parts = begins.split("\n".join(line.rstrip() for line in glued.sub("\n", block).split("\n")))
        return any(is_part(hand, part) for part in parts[1:])

    def is_part(hand: LoggedHand, part: str) -> bool:
        if str(hand.number) not in re.sub("[^0-9\n]", "", part) or not has_cards(hand, part):
            return False
        played, _, summary = part.partition("*** SUMMARY ***\n")
        pot = re.search(r"Total pot:? \D{0,4}([0-9.]+)", summary)
        blind = re.search(r"posts (?:the )?big blind (?:of )?\D{0,3}([0-9.]*[0-9])", played)
        chips = max(hand.chips or (0, 0))
        if pot and blind and chips and abs(float(pot[1]) - 2 * chips * float(blind[1]) / HULHE.big_blind) > 1e-9:
            return False
        return has_actions(hand, "".join(LETTERS[word] for word in found_action.findall(played)))

    return stands_in


def in_section(hand: LoggedHand, line: str) -> bool:
    return has_cards(hand, line) and has_actions(
        hand, "".join(LETTERS[word] for word in re.findall(r"'\s*p[12]\s+(f|cc|cbr)\b", line))
    )


def in_xml(hand: LoggedHand, block: str) -> bool:
    cards = re.compile(r"\b([CDHS])(10|[2-9TJQKA])\b", re.IGNORECASE)
    for game in (each.partition("</game>")[0] for each in block.split("<game ")[1:]):
        # Round by round, then by their numbers, as far as they have them.
        found = []
        for place, part in enumerate(re.split(r"(?=<round\b)", game)):
            turn = re.match(r'<round\s+no\s*=\s*"([0-9]{1,6})"', part)
            for action in re.findall(r'<action\s(?:[^>"]|"[^"]*")*', part):
                kind = re.search(r'\stype\s*=\s*"(0|3|4|5|6|23)"', action)
                number = re.search(r'\sno\s*=\s*"([0-9]{1,6})"', action)
                order = (int(turn[1]) if turn else place, int(number[1]) if number else 1 << 30)
                found += [(order, kind[1])] if kind else []
        actions = [each for _, each in sorted(found, key=lambda it: it[0])]
        is_read = re.match(f'gamecode="0*{hand.number}"', game) and has_actions(
            hand, "".join(XML[each] for each in actions)
        )
        if is_read and has_cards(hand, cards.sub(lambda it: it[2].upper() + it[1].upper(), game)):
            return True
    return False


def in_database(hand: LoggedHand, text: str) -> bool:
    """Two players' lines have the actions, and lines of this number the cards."""
    lines = [line for line in text.split("\n") if str(hand.number) in line]
    rows = [row for line in lines if len(row := line.split()) >= 11 and row[1:3] == [str(hand.number), "2"]]
    done = ["".join(row[4:8]).translate(str.maketrans("kb", "cr", "-BQK")) for row in rows]
    kinds = sorted(hand.seen.state.line_string.replace("/", ""))
    pairs = combinations(zip(rows, done, strict=True), 2)
    is_cut = hand.seen.state.outcome is None  # by an all-in bet
    played = any(one[3] != two[3] and (is_cut or kinds == sorted(did + does)) for (one, did), (two, does) in pairs)
    return played and has_cards(hand, "\n".join(lines))


HEADER = r"Poker(?:Stars)? Hand #"
COLON, BLANK = rf"^(?:ann|bob): {VERBS}(?=[ .\n]|$)", rf"^(?:Ann|Bob) {VERBS}(?=[ .\n]|$)"
FORMATS: dict[str, Callable[[], Format]] = {
    "acpc": lambda: Format(".log", written(".log", r"(?m)^STATE:"), in_state, by_line=True),
    "matchstate": lambda: Format(".log", told(), in_views),
    "openspiel": lambda: Format(".log", tuple(map(without_chips, form("acpc").blocks)), in_line, by_line=True),
    "phhs": lambda: Format(".phhs", written(".phhs", r"(?m)^\[[0-9]+\]$"), in_section, by_line=True),
    "pokerstars": lambda: Format(".txt", written(".txt", r"(?m)^PokerStars Hand #"), in_words(COLON, HEADER)),
    "ggpoker": lambda: Format(
        ".txt",
        tuple(each.replace("PokerStars Hand #", "Poker Hand #HD") for each in form("pokerstars").blocks),
        in_words(COLON, HEADER),
    ),
    "winamax": lambda: Format(
        ".txt",
        case("winamax-hu.txt", "Winamax", "2760000-2-1304367360"),
        in_words(BLANK, "Winamax Poker - .* - HandId: #[0-9-]+ - "),
    ),
    "full-tilt": lambda: Format(
        ".txt", case("ps-fulltilt-between.txt", "Full Tilt", "28600000002"), in_words(BLANK, "Full Tilt Poker")
    ),
    "party": lambda: Format(
        ".txt", case("party-hu.txt", "*****", "10390000001"), in_words(BLANK, r"\*{5} Hand History")
    ),
    "ongame": lambda: Format(
        ".txt", case("ongame-hu.txt", "*****", "R5-258000001-21"), in_words(BLANK, r"\*{5} History")
    ),
    "ipoker": lambda: Format(".xml", session(), in_xml),
    "irc": lambda: Format("", (test_irc.HDB, test_irc.ROSTER, test_irc.ANN, test_irc.BOB), in_database),
}


@cache
def form(name: str) -> Format:
    """A format by its name."""
    return FORMATS[name]()


def mutated(blocks: list[str], rng: random.Random) -> list[str]:
    """The hands of a log with one to three changes, each of which stays in a hand, or moves a line into another."""
    blocks = list(blocks)
    for _ in range(rng.randint(1, 3)):
        place = rng.randrange(len(blocks))
        kind, text = rng.randrange(8), blocks[place]
        lines = text.split("\n")
        at = rng.randrange(len(lines))
        if kind == 0:  # a byte
            where = rng.randrange(len(text))
            text = text[:where] + chr(rng.randrange(1, 256)) + text[where + rng.randint(0, 1) :]
        elif kind == 1:
            where = rng.randrange(len(text))
            text = text[:where] + text[where + rng.randint(1, 20) :]
        elif kind == 2:
            del lines[at]
            text = "\n".join(lines)
        elif kind == 3:
            lines.insert(rng.randrange(len(lines)), lines[at])
            text = "\n".join(lines)
        elif kind == 4:
            other = rng.randrange(len(lines))
            lines[at], lines[other] = lines[other], lines[at]
            text = "\n".join(lines)
        elif kind == 5:  # a line of another hand
            lines.insert(at, rng.choice(rng.choice(blocks).split("\n")))
            text = "\n".join(lines)
        else:  # a field
            fields = list(re.finditer(r"[\w.$]+", text)) or [re.match("", text)]
            field = rng.choice(fields)
            new = rng.choice(re.findall(r"[\w.$]+", rng.choice(blocks)) or [""])
            text = text[: field.start()] + new + text[field.end() :]
        blocks[place] = text or "\n"
    return blocks


def check(name: str, seed: int, home: Path) -> int:
    """Hands that are read of one mutated log; AssertionError names the seed of a hand that is not in the text."""
    kind, rng = form(name), random.Random(f"{name} {seed}")
    again = f"python -m tests.formats.mutate --format {name} --seed {seed} --count 1"
    blocks = list(kind.blocks)
    if name != "irc":
        blocks = blocks[: rng.randint(2, 3)] if name == "ipoker" else rng.sample(blocks, rng.randint(1, 3))
    changed = mutated(blocks, rng)
    text = "".join(changed)
    if rng.random() < 0.1:
        text = decoded(text.encode("utf-16"))
    try:
        if name == "irc":
            hands = read_database(changed, home)
        else:
            hands = list(read_text(text, f"x{kind.suffix}", TREE, Omissions()))
    except CfrError as error:
        assert "\n" not in str(error) or kind.suffix == ".phhs", f"{again}: {error}"
        return 0
    except Exception as error:
        raise AssertionError(f"{again}: {type(error).__name__}: {error}") from error
    if kind.by_line:
        lists = re.sub(r"[\r\n]+(?=,? ?')|(?<=,)[\r\n]+", " ", text)  # TOML's may go on in the next line
        witnesses = re.split(r"[\r\n]", text) if kind.suffix == ".log" else lists.split("\n")
    elif name in ("irc", "matchstate"):
        witnesses = ["\n".join(changed)] if name == "irc" else [text]
    else:
        witnesses = blocks_of(
            [plain(each) for each in changed],
            {each.partition("\n")[0] for each in kind.blocks},
        )
    for hand in hands:
        assert any(kind.stands_in(hand, each) for each in witnesses), f"{again}: hand {hand.number}"
    return len(hands)


def plain(text: str) -> str:
    """The text as the readers of card rooms take it."""
    return re.sub("[\t\u00a0\u202f]", " ", re.sub("[\f\v]", "", with_line_feeds(text)))


def blocks_of(changed: list[str], headers: set[str]) -> list[str]:
    """The hands' texts: one that ends within a line has the rest of it, one that ends with a header the next one."""
    found = []
    for each, following in zip(changed, [*changed[1:], ""], strict=True):
        is_begun = each.rstrip("\n").rpartition("\n")[2] in headers
        found.append(each + (following if is_begun else "" if each.endswith("\n") else following.partition("\n")[0]))
    return found


def read_database(blocks: list[str], home: Path) -> list[LoggedHand]:
    for file, text in zip(("hdb", "hroster", "pdb.Ann", "pdb.bob"), blocks, strict=True):
        (home / file).write_text(text, "utf-8", errors="replace")
    return list(read_log(home / "hdb", test_irc.TREE, Omissions()))


def run(names: list[str], first: int, number: int) -> tuple[int, int, list[str]]:
    """How many of ``number`` logs of each format were tried before Ctrl-C, the hands read of them, and what failed."""
    failed: list[str] = []
    read = 0
    with tempfile.TemporaryDirectory() as home:
        for seed in tqdm(range(first, first + number), unit="seed", disable=None):
            try:
                for name in names:
                    try:
                        read += check(name, seed, Path(home))
                    except AssertionError as error:
                        failed.append(str(error))
            except KeyboardInterrupt:
                print(f"stopped; --seed {seed} --count {first + number - seed} goes on", file=sys.stderr)
                return seed - first, read, failed
    return number, read, failed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1_000, help="logs of each format (default %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="the first one's (default %(default)s)")
    parser.add_argument("--format", choices=list(FORMATS), action="append", help="default: all")
    args = parser.parse_args()
    names = args.format or list(FORMATS)
    tried, read, failed = run(names, args.seed, args.count)
    print(f"{len(names)} formats, {tried:,} logs each from seed {args.seed}: {read:,} hands read", end="; ")
    print("\n  ".join([f"{len(failed)} failed", *failed]))
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
