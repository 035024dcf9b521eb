"""Other programs' formats, read and written: hand histories of the ACPC, PHH and PokerStars, and OpenSpiel's games.

Nobody plays here: this room turns hands into text and back.
"""
