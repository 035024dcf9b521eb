"""The web page: explore a strategy's ranges, and play against it. Needs the extra ``web``."""
