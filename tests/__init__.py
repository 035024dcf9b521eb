"""Tests of the rooms in folders of the same names."""
