"""Betting lines and actions as people write them: ``rc/cr``, ``R C / K B``, ``raise call check bet``."""

from __future__ import annotations

import re
from difflib import get_close_matches

from cfr.game.betting import BettingTree, State, action_word
from cfr.game.betting_round import ACTIONS
from cfr.system.errors import IllegalActionError, MalformedTextError

# The letter of each word, and the action words of which one must fit the state; an empty tuple fits every state.
_WORDS = {
    "f": ("f", ()),
    "fold": ("f", ()),
    "c": ("c", ()),
    "k": ("c", ("check",)),
    "x": ("c", ("check",)),
    "check": ("c", ("check",)),
    "call": ("c", ()),  # as strategies name the action, whether or not there is a bet to call
    "limp": ("c", ("call",)),
    "r": ("r", ()),
    "b": ("r", ()),
    "raise": ("r", ()),
    "bet": ("r", ()),
    "reraise": ("r", ("raise",)),
    "3bet": ("r", ("raise",)),
    "4bet": ("r", ("raise",)),
    "cap": ("r", ("raise",)),
}
# The least and the most bets that a round has, the big blind counted, before words that raise a raise.
_BETS = {"3bet": (2, 2), "4bet": (3, 3), "reraise": (2, 99)}
_CAP = "cap"  # the last raise that a round allows
_AFTER = {"3bet": "raise 3bet", "4bet": "raise 3bet 4bet", "reraise": "raise reraise"}  # how they come before the flop
_PART = re.compile(r"/|[34]-?bets?\b|re-raises?\b|[a-z]+|[^\sa-z/,>-]+|[,>-]+")


def action_letter(word: str, state: State) -> str | None:
    """The legal action that a word or letter in any case means at a state; None if no legal action fits."""
    word = _plain(word.strip().lower())
    letter, fitting = _WORDS.get(word, ("", ()))
    if not letter or letter not in state.legal:
        return None
    least, most = _BETS.get(word, (0, 99))
    if not least <= _bets(state) <= most or (word == _CAP and letter in state.act(letter).legal):
        return None
    return letter if not fitting or action_word(letter, state) in fitting else None


def read_line(betting: BettingTree, text: str) -> State:
    """The state after the actions in ``text``: ACPC letters, or words and letters in any case.

    Slashes are optional between words.

    ``k`` and ``x`` check, ``b`` bets; ``3bet`` and ``4bet`` are the third and the fourth bet of a round, the big blind
    counted, ``reraise`` raises a raise, and ``cap`` is a round's last raise. Blanks, commas, dashes and ``>`` may
    separate words.

    Raises:
        MalformedTextError: a word that is no action.
        IllegalActionError: an action that the rules do not allow there.
    """
    strict = text.strip().lower()
    if set(strict) <= {*ACTIONS, "/"}:
        return betting.parse(strict)
    state = betting.root
    for match in _PART.finditer(text.lower()):
        part, position = _plain(match[0]), match.start() + 1
        if part == "/" and (text[: match.start()].rstrip().endswith("/") or not state.line_string.endswith("/")):
            raise MalformedTextError(f"line {text!r}: '/' at position {position} does not end a round")
        if part in _WORDS:
            state = _after(state, part, text, position)
        elif part != "/" and not set(part) <= set(",->"):
            if set(part) - _WORDS.keys():
                near = get_close_matches(part, _WORDS, 1)
                meant = f"did you mean {near[0]}?" if near else "expected f, c, r or /, or the words of actions"
                raise MalformedTextError(f"line {text!r}: {part!r} at position {position} is no action; {meant}")
            for place, letter in enumerate(part, position):
                state = _after(state, letter, text, place)
    return state


def _plain(word: str) -> str:
    """A word as :data:`_WORDS` has it: ``3-bet`` is ``3bet``, ``raises`` is ``raise``."""
    word = word.replace("-", "")
    return word[:-1] if len(word) > 2 and word.endswith("s") and word[:-1] in _WORDS else word


def _bets(state: State) -> int:
    """The bets of the round so far, the big blind among them."""
    blinds = state.tree.game.blinds
    return state.line_string.rpartition("/")[2].count("r") + (state.round == 0 and blinds[0] != blinds[1])


def _after(state: State, word: str, text: str, position: int) -> State:
    letter = action_letter(word, state)
    if letter is None:
        legal = ", ".join(action_word(each, state) for each in state.legal)
        can = f"legal are {legal}" if legal else "the hand is over"
        can += "; cap is a round's last raise" if word == _CAP and "r" in state.legal else ""
        can += f"; {word} raises a raise, as in {_AFTER[word]!r}" if word in _AFTER and "r" in state.legal else ""
        raise IllegalActionError(f"line {text!r}: at position {position}, {word!r} is illegal; {can}")
    return state.act(letter)
