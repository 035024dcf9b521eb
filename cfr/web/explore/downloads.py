"""Requests for a spot as a file: its table as CSV, its grid as SVG or PNG."""

from __future__ import annotations

import io
from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from cfr.strategy.hand_table import write_csv
from cfr.strategy.spot_range import SpotRange
from cfr.study.picture import save_png, svg
from cfr.system.errors import BadInputError
from cfr.values.expected_values import SpotValues, why_unvalued
from cfr.web.explore.library import Library, Volume
from cfr.web.server.endpoints import NO_STORE, Endpoint, json_response, strategy_of, text_of
from cfr.web.server.visitors import Visitors

THEMES = ("standard", "colour-blind")
_MEDIA = {"csv": "text/csv; charset=utf-8", "svg": "image/svg+xml", "png": "image/png"}


class Downloads:
    """The endpoints of files.

    Args:
        library: the strategies.
        visitors: who asks.
    """

    def __init__(self, library: Library, visitors: Visitors) -> None:
        self._find, self._visitors = library.find, visitors

    @property
    def kinds(self) -> list[str]:
        """Suffixes of the files that can be made here: a PNG needs matplotlib."""
        return [suffix for suffix in _MEDIA if suffix != "png" or find_spec("matplotlib")]

    @property
    def endpoints(self) -> dict[str, Endpoint]:
        """By path."""
        return {f"/api/spot.{suffix}": Endpoint(self._endpoint(suffix)) for suffix in _MEDIA}

    def _endpoint(self, suffix: str) -> Callable[[Request], Awaitable[Response]]:
        async def answer(request: Request) -> Response:
            self._visitors.count(request)
            board, line, theme, view = (text_of(request, each) for each in ("board", "line", "theme", "view"))
            theme = theme or THEMES[0]
            if theme not in THEMES:
                raise HTTPException(400, f"theme {theme!r}; expected one of {', '.join(THEMES)}")
            if view not in ("", "mix", "ev"):
                raise HTTPException(400, f"view {view!r}; expected mix or ev")
            volume = self._find(strategy_of(request))
            values = None
            if suffix == "csv" or view == "ev":
                values, is_known = await self._values(request, volume, board, line, needed=suffix != "csv")
                if not is_known:
                    return json_response('{"working":true}', 202)
            content = await self._visitors.beside(_content, suffix, volume, board, line, theme, values)
            return Response(content, media_type=_MEDIA[suffix], headers=NO_STORE | _attachment(board, line, suffix))

        return answer

    async def _values(
        self, request: Request, volume: Volume, board: str, line: str, needed: bool
    ) -> tuple[SpotValues | None, bool]:
        """The values at a spot, None where it has none and needs none, and whether they are known by now."""
        state, _ = await self._visitors.beside(volume.strategy.spot, board, line)
        if why := why_unvalued(volume.strategy, state):
            if needed:
                raise BadInputError(why)
            return None, True
        spot = await self._visitors.beside(volume.valuer.find, board, line)
        found = await volume.valuer.values(spot, request.is_disconnected)
        return found, found is not None


def _content(suffix: str, volume: Volume, board: str, line: str, theme: str, values: SpotValues | None) -> bytes:
    if suffix == "svg":
        return svg(volume.strategy, board, line, theme, values=values).encode()
    if suffix == "png":
        with TemporaryDirectory() as folder:
            path = Path(folder) / "spot.png"
            save_png(path, volume.strategy, board, line, theme, values=values)
            return path.read_bytes()
    spot: SpotRange = values or volume.strategy.range_at(*volume.strategy.spot(board, line))
    text = io.StringIO()
    write_csv(text, spot.table().columns(action_ev=True))
    return text.getvalue().encode()


def _attachment(board: str, line: str, suffix: str) -> dict[str, str]:
    """A name of letters, digits and dashes, whatever was asked for: the spot is legal, its texts are free."""
    parts = ["spot", line.replace("/", "-"), board]
    name = "-".join("".join(c for c in part if c.isascii() and (c.isalnum() or c == "-")) for part in parts if part)
    return {"content-disposition": f'attachment; filename="{name}.{suffix}"'}
