"""The command ``cfr train``: the trainer in the terminal."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from cfr.cli import flags
from cfr.system.text import counted, signed

if TYPE_CHECKING:
    import random
    from concurrent.futures import Future

    from cfr.game.betting import BettingTree, State
    from cfr.strategy.strategy import BaseStrategy, Floats
    from cfr.study.training.drill import Drill
    from cfr.study.training.exercise import Exercise
    from cfr.study.training.trainer import Trainer
    from cfr.web.store.sessions import Sessions
    from cfr.web.train.training import Training

Ask = Callable[[str], str]
Say = Callable[[str], None]
_SOON = 0.3  # seconds that need no word
_UNNUMBERED = 0  # an exercise that is not kept yet
_TOKEN_LENGTH = 43  # of a session's, see :meth:`cfr.web.store.sessions.Sessions.start`
_DRILL = {"mode": "spots", "seat": "any", "round": "any", "line": "", "flop": "any", "decision": "any"}  # by default


def add_commands(command: flags.AddCommand) -> None:
    """Add this module's command to the command line."""
    what = "train against a strategy: what each decision loses, a score, and mistakes again"
    train = command("train", _run, what, "cfr train --round turn --decision fold-call-raise")
    flags.add_file(train)
    what = (
        "whom you play against instead: a model of cfr model, or another strategy; EVs are then those of your best "
        "play against it from there on, and what loses 10 mbb is a mistake, whatever the strategy does"
    )
    train.add_argument("--against", metavar="PLAYER", help=what)
    what = "single spots (default), or hands that are played to their end"
    train.add_argument("--mode", choices=("spots", "hands"), default="spots", help=what)
    train.add_argument("--seat", choices=("any", "button", "bb"), default="any", help="yours (default: %(default)s)")
    rounds = ("any", "preflop", "flop", "turn", "river")
    train.add_argument("--round", choices=rounds, default="any", help="of the decisions (default: %(default)s)")
    what = "only after betting that begins like this, such as rrc or rc/cr"
    train.add_argument("--line", default="", metavar="ACTIONS", help=what)
    flops = ("any", "paired", "monotone", "two-tone", "rainbow")
    train.add_argument("--flop", choices=flops, default="any", help="only on these flops (default: %(default)s)")
    decisions = ("any", "check-bet", "fold-call-raise", "fold-call")
    what = "only decisions between these (default: %(default)s)"
    train.add_argument("--decision", choices=decisions, default="any", help=what)
    train.add_argument("--spots", type=flags.count, metavar="N", help="stop after so many decisions")
    flags.add_card_seed(train)
    where = "where progress is kept (default: in the user's state directory, with the page's)"
    train.add_argument("--sessions", type=Path, metavar="FILE", help=where)
    what = "write all answers to a file instead"
    train.add_argument("--export", type=Path, metavar="x.csv|.json", help=what)


def _run(options: argparse.Namespace) -> None:
    import random

    from cfr.resolving.named_strategy import open_whole, shown_name
    from cfr.strategy.files.bundled import DEFAULT
    from cfr.study.training.drill import Drill
    from cfr.system.errors import BadInputError
    from cfr.web.store.sessions import Sessions, default_path
    from cfr.web.train.training import Training

    _check_export(options)
    source = options.file or DEFAULT
    with open_whole(source) as strategy:
        path = options.sessions or default_path(strategy.game)
        if options.export is not None and not path.exists():
            raise BadInputError(f"--export: there are no answers, {path} is not there")
        drill = Drill.read(strategy.betting, **{name: getattr(options, name) for name in _DRILL})
        with closing(Sessions(path, strategy.game)) as sessions:
            kept = Training(sessions.file, sessions.transaction, sessions.limits.hands)
            if options.export is not None:
                _export(kept, _session(sessions), strategy.betting, options.export)
                return
            rng = random.SystemRandom() if options.seed is None else random.Random(options.seed)
            with (
                _trainer(strategy, shown_name(source), options.against) as trainer,
                closing(Lesson(trainer, kept, _session(sessions), rng)) as lesson,
            ):
                lesson.run(drill, options.spots)


@contextmanager
def _trainer(strategy: BaseStrategy, name: str, against: str | None) -> Iterator[Trainer]:
    """A trainer of a strategy, against an opponent that is opened for it, or None."""
    from cfr.resolving.named_strategy import open_whole, shown_name
    from cfr.study.training.trainer import Trainer

    if against is None:
        yield Trainer(strategy, name)
        return
    with open_whole(against, game=strategy.game) as opponent:
        yield Trainer(strategy, name, opponent, shown_name(against))


class Lesson:
    """A lesson at the terminal, until all is done or the person quits.

    Args:
        trainer: deals and judges.
        kept: where answers are kept.
        session: whose.
        rng: of cards and of the bot's actions.
        ask, say: how to talk to the person.
    """

    def __init__(
        self,
        trainer: Trainer,
        kept: Training,
        session: int,
        rng: random.Random,
        ask: Ask = input,
        say: Say = print,
    ) -> None:
        from cfr.play.strategy_player import StrategyPlayer
        from cfr.play.terminal import Person, Watched

        self._trainer, self._kept, self._session, self._rng, self._say = trainer, kept, session, rng, say
        self._person = Person(None, ask, say)
        self._told: list[str] = []  # what happened after an answer; said after what the answer lost
        self._bot = Watched(StrategyPlayer(trainer.bot, trainer.against or "bot"), self._told.append)
        from concurrent.futures import ThreadPoolExecutor

        self._pool, self._left = ThreadPoolExecutor(1), Event()

    def run(self, drill: Drill, spots: int | None) -> None:
        """Deal until ``spots`` are answered, None for no end, or the person quits.

        What an earlier lesson left unjudged comes first.
        """
        from cfr.play.terminal import KEYS, Quit

        against = f" against {self._trainer.against}" if self._trainer.against else ""
        self._say(f"{self._trainer.strategy.game.name}{against}: {KEYS}")
        exercise, done = None, 0
        try:
            self._judge_waiting()
            while spots is None or done < spots:
                exercise = self._answer(exercise or self._next(drill))
                done += 1
        except Quit:
            self._say("")
        self._say(f"{self._kept.score(self._session, self._trainer)}")

    def close(self) -> None:
        """Drop what is being worked out."""
        self._left.set()
        self._pool.shutdown(cancel_futures=True)

    def _judge_waiting(self) -> None:
        """Judge answers of lessons that ended before their EVs were worked out. Raises Quit."""
        from cfr.game.cards import format_cards

        for exercise in filter(self._trainer.has_values, self._kept.waiting(self._session, self._trainer)):
            state = exercise.state(self._trainer.strategy.betting)
            self._say(
                f"\nexercise {exercise.number}, answered in an earlier lesson; betting so far: "
                f"{state.line_string or 'none'}, your hand {format_cards(exercise.hole())}"
            )
            self._judge(exercise, self._pool.submit(self._values, exercise))

    def _next(self, drill: Drill) -> Exercise:
        """What went wrong before, where its turn has come, or a new exercise."""
        due = self._kept.repetition(self._session, self._trainer).due
        spot = None if due is None else self._kept.find(self._session, due)
        if spot is not None:
            return self._dealt(self._trainer.again(_UNNUMBERED, spot))
        return self._dealt(self._trainer.deal(_UNNUMBERED, drill, self._rng))

    def _dealt(self, exercise: Exercise) -> Exercise:
        """Keep an exercise under the next number, which another lesson of the same person may take first."""
        while True:
            exercise = replace(exercise, number=self._kept.next_number(self._session))
            if self._kept.deal(self._session, exercise):
                return exercise

    def _answer(self, exercise: Exercise) -> Exercise | None:
        """Ask, and say what it lost; the next decision of the hand, if it goes on. Raises Quit."""
        state = exercise.state(self._trainer.strategy.betting)
        board = exercise.deal.board[: state.num_board_cards]
        values = self._pool.submit(self._values, exercise) if self._trainer.has_values(exercise) else None
        again = ", again after a mistake" if exercise.again else ""
        self._say(f"\nexercise {exercise.number}{again}; betting so far: {state.line_string or 'none'}")
        letter = self._person.act(state, exercise.hole(), board, self._rng)
        answered, then = self._trainer.answer(exercise, letter, self._play_on)
        answered = self._kept.keep(self._session, answered)
        then = None if then is None else self._dealt(then)
        self._judge(answered, values)
        return then

    def _judge(self, answered: Exercise, values: Future[Floats] | None) -> None:
        """Keep and say what an answer lost, and the score; None where its EVs cannot be known. Raises Quit."""
        if values is not None:
            answered = self._trainer.judge(answered, self._wait(values))
            self._kept.judge(self._session, answered)
        state = answered.state(self._trainer.strategy.betting)
        board = answered.deal.board[: state.num_board_cards]
        comes = self._trainer.strategy.reach_of(state, answered.hole(), board) > 0
        self._say("\n".join([feedback(answered, state, comes, self._trainer.against), *self._told]))
        self._told.clear()
        waiting = self._kept.repetition(self._session, self._trainer).waiting
        more = f"; to repeat: {waiting}" if waiting else ""
        self._say(f"  {self._kept.score(self._session, self._trainer)}{more}")

    def _values(self, exercise: Exercise) -> Floats:
        return self._trainer.action_ev(self._trainer.spot(exercise)[0], self._go_on)

    def _go_on(self, fraction: float) -> None:
        if self._left.is_set():
            raise RuntimeError("nobody waits for the values any more")

    def _wait(self, values: Future[Floats]) -> Floats:
        from cfr.play.terminal import Quit

        try:
            try:
                return values.result(_SOON)
            except TimeoutError:
                self._say("  working out what each action wins ...")
                return values.result()
        except KeyboardInterrupt:
            raise Quit from None

    def _play_on(self, exercise: Exercise, state: State) -> State:
        from cfr.game.hand import HandRecord
        from cfr.play.terminal import ending

        while not state.is_over and state.actor != exercise.seat:
            board = exercise.deal.board[: state.num_board_cards]
            state = state.act(self._bot.act(state, exercise.deal.hands[state.actor], board, self._rng))
        if state.is_over:
            self._told.append(ending(HandRecord.of(exercise.deal, state), exercise.seat))
        return state


def feedback(exercise: Exercise, state: State, comes: bool = True, against: str = "") -> str:
    """An answer beside the strategy's mix and what each action wins.

    ``comes`` is whether the strategy gets here, ``against`` the name of an opponent against whom best play is known.
    """
    from cfr.game.betting import action_word
    from cfr.game.betting_round import ACTIONS
    from cfr.game.words import UNLEARNT
    from cfr.study.reviews.mistake import LEAST

    assert exercise.mix is not None
    words = {letter: (ACTIONS.index(letter), action_word(letter, state)) for letter in state.legal}
    mix = "  ".join(f"{word} {exercise.mix[n]:.3f}" for n, word in words.values())
    lines = [f"  the strategy: {mix}{'' if comes else UNLEARNT}"]
    if exercise.ev_lost is not None:
        won = ((word, exercise.ev[n]) for n, word in words.values())
        evs = "  ".join(f"{word} {signed(ev)} mbb" for word, ev in won if ev is not None)
        lines.append(f"  EV{f' by best play against {against}' if against else ''}: {evs}")
    verdict = "a mistake" if exercise.mistake else "right"
    if exercise.ev_lost is not None:
        if exercise.ev_lost >= LEAST and not exercise.mistake:
            verdict = "no mistake, the strategy does it, too"
        verdict += f"; EV lost {exercise.ev_lost:.1f} mbb ({exercise.ev_lost / 1000:.3f} big blinds)"
    lines.append(f"  {words[exercise.action or ''][1]}: {verdict}")
    return "\n".join(lines)


def _session(sessions: Sessions) -> int:
    """The terminal's session, which a token in a file beside the sessions names.

    Raises:
        DamagedFileError: the file has no token.
    """
    from cfr.system.disk.files import replacing

    place = sessions.path.with_name(f"{sessions.path.name}-terminal")
    with sessions.transaction():  # two lessons that begin the first session at once share it
        if place.exists() and (found := sessions.find(_token(place))) is not None:
            return found[0].id
        token, session = sessions.start()
        with replacing(place) as temporary:
            temporary.chmod(0o600)
            temporary.write_text(token, "ascii")
    return session.id


def _token(place: Path) -> str:
    from cfr.system.errors import DamagedFileError

    token = place.read_text("ascii", "replace").strip()
    if not re.fullmatch(rf"[\w-]{{{_TOKEN_LENGTH}}}", token, re.ASCII):
        raise DamagedFileError(
            f"{place}: no token of a session, so earlier answers cannot be found; expected {_TOKEN_LENGTH} letters, "
            "digits, - and _: put a copy of the file back, or delete it to begin anew"
        )
    return token


def _check_export(options: argparse.Namespace) -> None:
    from cfr.system.errors import BadInputError

    path = options.export
    if path is None:
        return
    if path.suffix.lower() not in (".csv", ".json"):
        raise BadInputError(f"--export {path}: answers are written as .csv or .json")
    without = _DRILL | {"against": None, "spots": None, "seed": None}
    if named := [f"--{name}" for name, default in without.items() if getattr(options, name) != default]:
        raise BadInputError(f"--export writes all answers and asks nothing; leave out {', '.join(named)}")


def _export(kept: Training, session: int, betting: BettingTree, path: Path) -> None:
    from cfr.system.disk.files import replacing
    from cfr.web.train.training import write_csv

    rows = [each.row(betting) for each in kept.exercises(session)][::-1]
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        if path.suffix.lower() == ".json":
            json.dump(rows, file)
        else:
            write_csv(file, rows)
    print(f"wrote {path}: {counted(len(rows), 'answer')}")
