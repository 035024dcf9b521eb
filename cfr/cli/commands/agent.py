"""The command ``cfr mcp``: an agent asks for strategies by the Model Context Protocol, on this machine, read-only."""

from __future__ import annotations

import argparse

from cfr.cli import flags


def add_commands(command: flags.AddCommand) -> None:
    """Add this module's command to the command line."""
    what = "answer an agent's questions by the Model Context Protocol, on stdin and stdout; needs the extra mcp"
    command("mcp", _mcp, what, "cfr mcp (docs/agents.md)")


def _mcp(options: argparse.Namespace) -> None:
    from cfr.cli.agent_server import make_server

    make_server().run()
