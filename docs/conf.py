"""The documentation site: ``sphinx-build -W -b html docs build/site``."""

project = "cfr"
author = "The cfr authors"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
source_suffix = {".md": "markdown"}
html_theme = "furo"
html_title = "cfr"
myst_heading_anchors = 4
autodoc_typehints = "signature"
autodoc_member_order = "bysource"
# The docstrings give types where a reader needs them.
napoleon_attr_annotations = False
