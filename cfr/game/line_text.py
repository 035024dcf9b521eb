"""Betting lines and actions as people write them: ``rc/cr``, ``R C / K B``, ``raise call check bet``."""

from __future__ import annotations

import re
from difflib import get_close_matches

from cfr.game.betting import ACTIONS, BettingTree, State, action_word
from cfr.system.errors import IllegalActionError, MalformedTextError

# The letter of each word, and the action words of which one must fit the state; an empty tuple fits every state.
_WORDS = {
    "f": ("f", ()),
    "fold": ("f", ()),
    "c": ("c", ()),
    "k": ("c", ("check",)),
    "x": ("c", ("check",)),
    "check": ("c", ("check",)),
    "call": ("c", ("call",)),
    "limp": ("c", ("call",)),
    "r": ("r", ()),
    "b": ("r", ()),
    "raise": ("r", ()),
    "bet": ("r", ()),
}
_PART = re.compile(r"/|[a-z]+|[^\sa-z/,>-]+|[,>-]+")


def action_letter(word: str, state: State) -> str | None:
    """The legal action that a word or letter in any case means at a state; None if no legal action fits."""
    letter, fitting = _WORDS.get(word.strip().lower(), ("", ()))
    if not letter or letter not in state.legal:
        return None
    return letter if not fitting or action_word(letter, state) in fitting else None


def read_line(betting: BettingTree, text: str) -> State:
    """The state after the actions in ``text``: ACPC letters, or words and letters in any case.

    Slashes are optional between words.

    ``k`` and ``x`` check, ``b`` bets. Blanks, commas, dashes and ``>`` may separate words.

    Raises:
        MalformedTextError: a word that is no action.
        IllegalActionError: an action that the rules do not allow there.
    """
    strict = text.strip().lower()
    if set(strict) <= {*ACTIONS, "/"}:
        return betting.parse(strict)
    state = betting.root
    for match in _PART.finditer(text.lower()):
        part, position = match[0], match.start() + 1
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


def _after(state: State, word: str, text: str, position: int) -> State:
    letter = action_letter(word, state)
    if letter is None:
        legal = ", ".join(action_word(each, state) for each in state.legal)
        can = f"legal are {legal}" if legal else "the hand is over"
        raise IllegalActionError(f"line {text!r}: at position {position}, {word!r} is illegal; {can}")
    return state.act(letter)
