"""Colours of charts."""

from __future__ import annotations

Colour = tuple[int, int, int]
# Fold, check/call, bet/raise; the second by Okabe and Ito.
THEMES: dict[str, tuple[Colour, Colour, Colour]] = {
    "standard": ((52, 101, 190), (46, 139, 72), (200, 52, 46)),
    "colour-blind": ((0, 114, 178), (240, 228, 66), (213, 94, 0)),
}
PAPER: Colour = (22, 23, 27)
DIM: Colour = (52, 53, 58)  # a class that does not get there
FAINT: Colour = (132, 133, 140)
WHITE: Colour = (245, 245, 247)
GAIN: Colour = (26, 120, 110)  # what wins, loses, and does neither: the page's, which nobody mixes up
LOSS: Colour = (165, 106, 18)
EVEN: Colour = (38, 46, 56)


def blend(shade: Colour, other: Colour, part: float) -> Colour:
    """So much of a colour, and the rest of the other."""
    red, green, blue = (round(part * a + (1 - part) * b) for a, b in zip(shade, other, strict=True))
    return red, green, blue
