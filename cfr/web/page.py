"""The page as one text: ``static/index.html`` with the parts that each feature brings."""

from __future__ import annotations

import re
from pathlib import Path

from cfr.game.cards import SUITS
from cfr.game.hand_classes import DESCENDING
from cfr.game.rules import Game

HERE = Path(__file__).parent
FEATURES = ("explore", "spots", "table", "train", "watch", "review", "opponents")
# Folders of static files by the path under which they are served: the path below this room.
STATIC = {
    f"/{folder.relative_to(HERE).as_posix()}": folder
    for folder in (HERE / "static", *(HERE / feature / "static" for feature in FEATURES))
}
_SCRIPTS = ("/static/app.js", "/static/theme.js")  # which the page itself names
_PART = re.compile(r"( *)<!-- (\S+\.html) -->\n")
_DECK = re.compile(r'data-ranks="\w+" data-suits="\w+"')
_MODULES = re.compile(r"( *)<!-- modules -->\n")


def whole_page(game: Game) -> str:
    """The page of a game, with the ranks and suits of its deck.

    ``<!-- PATH.html -->`` stands for that file of this room, ``<!-- modules -->`` for all modules.
    Modules are named so that a browser fetches all of them at once, and not one after the other as it reads them.
    """
    page = _filled((HERE / "static" / "index.html").read_text("utf-8"))
    modules = [f"{path}/{file.name}" for path, folder in STATIC.items() for file in sorted(folder.glob("*.js"))]
    links = [f'<link rel="modulepreload" href="{module}" />' for module in modules if module not in _SCRIPTS]
    deck = f'data-ranks="{DESCENDING[: game.num_ranks]}" data-suits="{SUITS[::-1][: game.num_suits]}"'
    return _MODULES.sub(lambda found: "".join(f"{found[1]}{link}\n" for link in links), _DECK.sub(deck, page, count=1))


def _filled(text: str) -> str:
    return _PART.sub(lambda found: _filled((HERE / found[2]).read_text("utf-8")), text)
