"""Reviews that a database keeps: logs go in by batches, and what is asked for comes out summed up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from cfr.formats.collection import Collection, Key
from cfr.formats.skipped import Omissions
from cfr.game.hand import LoggedHand
from cfr.strategy.strategy import BaseStrategy
from cfr.study.reviews.decision import Decision, unknown_player
from cfr.study.reviews.hand_database import Choice, HandDatabase
from cfr.study.reviews.losses import with_losses
from cfr.study.reviews.player_summary import PlayerSummary
from cfr.study.reviews.reviewed import Review, Reviewed, costliest, count_hand, has_two_names
from cfr.system.errors import CfrError, Interrupted
from cfr.system.text import counted

_BATCH = 200  # hands that are reviewed and kept together
SHOWN = 20  # decisions that text lists


def extend(
    database: HandDatabase,
    logs: Sequence[str | Path],
    strategy: BaseStrategy,
    *,
    ev: bool = True,
    threads: int = 1,
    progress: bool = False,
) -> int:
    """Review the hands of logs that a database lacks, and keep them batch by batch.

    Args:
        database: takes the hands, and those that cannot be read.
        logs: files, folders and ``-``.
        strategy: that of the database.
        ev: compute what each decision lost.
        threads: how many spots are computed at a time.
        progress: show a bar on stderr.

    Returns:
        How many hands were added, or shown with more cards.

    Raises:
        CfrError, OSError: as :class:`cfr.formats.collection.Collection` and its ``read``.
        Interrupted: Ctrl-C; earlier batches are kept, and the same call goes on.
    """
    collection, omissions = Collection(logs), Omissions()
    batch: dict[Key, LoggedHand] = {}
    added = 0

    def keep() -> None:
        nonlocal added
        hands = Reviewed.of(batch.values(), strategy, None, database.path)
        found = with_losses(hands.decisions, strategy, threads) if ev else list(hands.decisions)
        if any(each is None for each in found):
            raise KeyboardInterrupt
        valued = iter(found)
        for hand, here in zip(hands.logged, hands.by_hand, strict=True):
            database.add(hand, [each for _ in here if (each := next(valued)) is not None])
        database.skip(omissions.skipped)
        database.commit()
        added += len(batch)
        batch.clear()

    if ev:
        strategy.hold_tables()  # a flop reads all of the later rounds
    try:
        for key, hand in collection.read(strategy.betting, omissions, named=True, progress=progress):
            if len(batch) >= _BATCH or key in batch:
                keep()
            try:
                lacking = database.lacking(hand)
            except CfrError as error:
                omissions.add(0, str(hand.number), error)
                continue
            if has_two_names(hand, omissions) and lacking is not None:
                batch[key] = lacking
        keep()
    except KeyboardInterrupt:
        raise Interrupted(
            f"stopped; {database.path} has {counted(database.hands, 'hand')}, the same command goes on"
        ) from None
    return added


def summary(database: HandDatabase, choice: Choice, strategy: BaseStrategy, *, most: int | None = SHOWN) -> Review:
    """What a database says of the chosen hands.

    Args:
        database: the hands.
        choice: which hands and decisions.
        strategy: of the database's game.
        most: how many of the chosen decisions are kept: those that lose most, the costliest first; None for all.

    Raises:
        BadInputError: a player who is not there.
    """
    names = database.players(choice)
    if choice.player is not None:
        if choice.player not in names:
            raise unknown_player(database.path, choice.player, database.players(replace(choice, player=None)))
        names = [choice.player]
    players = {name: PlayerSummary(name) for name in names}
    decisions: list[Decision] = []
    hands = 0
    for hand, found in database.read(choice, strategy.betting):
        hands += 1
        count_hand(hand, found, players, choice)
        decisions += found
        if most is not None and len(decisions) > 50 * most:
            decisions = costliest(decisions, most)
    kept = decisions if most is None else costliest(decisions, most)
    return Review(hands, strategy.game.big_blind, kept, list(players.values()), database.omissions())
