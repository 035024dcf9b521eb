"""``cfr help``: how lines, cards, ranges and players are written, and what each command does."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from functools import partial
from textwrap import fill

from cfr.cli import flags
from cfr.cli.parser import nearest
from cfr.system.errors import BadInputError

_WIDTH = 112  # columns
TOPICS: Mapping[str, tuple[str, str]] = {
    "lines": (
        "betting lines",
        """A betting line is what was done so far, a letter for each action:

  f  fold
  c  check or call
  r  bet or raise
  /  between two rounds

The button acts first before the flop, the big blind first in all later rounds. The blinds are no actions.

  --line ''          the button's first decision
  --line r           the button raised, the big blind is to act
  --line rc/         the big blind called, the flop is out, the big blind is to act
  --line rc/cr       check, bet: the big blind faces a bet on the flop
  --line rc/crc/     called: the turn is out

People's letters and words are read, too, in either case: k and x check, b bets, 3bet and reraise raise a raise,
cap is a round's last raise.

  --line "raise call check bet"
  --line "raise 3bet call"
  --line RC/KB

A bet or raise is legal until the round's cap, four bets in full hold'em.""",
    ),
    "cards": (
        "cards, hands and boards",
        """A card is a rank, 2 3 4 5 6 7 8 9 T J Q K A, and a suit, c d h s (clubs, diamonds, hearts, spades).

  --hand AsKh          two cards
  --hand "10♠ 9♠"      10 is T; suit symbols and spaces are read
  --hand AKs           a class: suited; AKo is offsuit, AA a pair. The answer is the mean of its hands
  --board Td9d6h       the flop; the order of its cards does not matter
  --board Td9d6h2c     and the turn

The board has the cards of the round that the line leads to: none, 3, 4 or 5 in full hold'em.""",
    ),
    "ranges": (
        "ranges of hands",
        """A range is a list of hands, each with a weight from 0 to 1. Commas or spaces separate its parts.

  AA               all hands of a class; AKs suited, AKo offsuit, AK both
  QQ+              a pair and better ones; ATs+ raises the lower card: ATs AJs AQs AKs
  JJ-88            from one pair to another; A5s-A2s keeps one card, JTs-54s the distance
  AhKh             one hand; AhXh an ace with any other heart
  A5s-A2s:0.5      with a weight; A5s-A2s:50% is the same
  random           all hands

Whatever is not named has weight 0. Texts of other programs are read, too: [50.0]AKs[/50.0], 75: AQs-ATs,
AKs@50, semicolons, "AA, ATs+; Weights: ATs:25%", and PioSolver's 1,326 weights.

  cfr equity QQ+,AKs random
  cfr spot --board Td9d6hQc2s --pot 60 --button "QQ+,AK" --bb "22-JJ,AQs:0.5\"""",
    ),
    "players": (
        "strategies and players by name",
        """Wherever a strategy is asked for, one of these names it. Most commands take small where nothing is said.

  hulhe.h5             a file of cfr solve or cfr refine
  river.h5             a file of cfr spot, for query, chart, export and info
  small                the supplied strategy
  small-trunk          the same with its play before the flop solved anew; with +flop the strongest bot
  hulhe.h5+turn        the file, re-solved from the turn on while it plays
  always-call          also always-fold, always-raise, call-raise and uniform: rules that ignore the cards
  mix:a.h5@0.3,small   a coin at the start of each hand: a.h5 in 30 % of them, small in the others

Where a player is asked for (cfr match, cfr serve --watch), also:

  random               any legal action, all alike
  learn:bot.json@carl  the player of cfr learn, which keeps what it learns of carl; for cfr match, acpc and play
  bots:Rock            the class Rock of the module bots in this folder
  acpc:18791           the program that connects to this port by the ACPC's protocol; for cfr match only""",
    ),
}


def add_help(command: flags.AddCommand, parsers: Mapping[str, argparse.ArgumentParser]) -> None:
    """Add ``cfr help``, which knows the topics and the commands of ``parsers``."""
    known = ", ".join(TOPICS)
    added = command("help", partial(_help, parsers), f"how to write {known}", "cfr help lines")
    added.add_argument("topic", nargs="?", metavar="TOPIC", help=f"{known}, or a command")


def _help(parsers: Mapping[str, argparse.ArgumentParser], options: argparse.Namespace) -> None:
    topic = options.topic
    if topic is None:
        print("cfr help TOPIC says how to write\n")
        print("\n".join(f"  {name:<9} {title}" for name, (title, _) in TOPICS.items()))
        commands = "cfr help COMMAND, or cfr COMMAND --help, lists a command's options: " + ", ".join(parsers)
        print(f"\n{fill(commands, _WIDTH)}")
    elif topic in TOPICS:
        print(TOPICS[topic][1])
    elif topic in parsers:
        parsers[topic].print_help()
    else:
        meant = nearest(topic, [*TOPICS, *parsers]) or f"; topics are {', '.join(TOPICS)}"
        raise BadInputError(f"help {topic!r}: there is no such topic or command{meant}")
