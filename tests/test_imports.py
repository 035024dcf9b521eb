"""Imports only go down: each module may import its own layer and those below."""

import ast
import subprocess
import sys
from pathlib import Path

import cfr

ROOT = Path(cfr.__file__).parent
LAYERS = [
    {"errors", "version", "cards", "game", "betting", "ranges", "evaluate"},  # 0 rules
    {"hands", "boards", "cache", "features", "clustering", "abstraction", "equity", "counts"},  # 1 cards
    {"tree", "deals", "traversal"},  # 2 tree
    {"store", "strategy"},  # 3 keep: solving writes files, so the file is below it
    {"response", "reference", "checkpoint", "forecast", "solver"},  # 4 solve
    {"players", "match", "play", "chart"},  # 5 use and play
    {"cli", "__main__", "__init__"},  # 6 edge
]
LEVEL = {name: level for level, names in enumerate(LAYERS) for name in names}


def imported(path: Path) -> set[str]:
    """Modules of cfr that a module imports, whenever it does."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "cfr":
            found |= {node.module[4:]} if node.module != "cfr" else {alias.name for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.name[4:] for alias in node.names if alias.name.startswith("cfr.")}
    return found


def test_every_module_has_a_layer():
    assert {path.stem for path in ROOT.glob("*.py")} == set(LEVEL)


def test_imports_only_go_down():
    for path in ROOT.glob("*.py"):
        for name in imported(path):
            if not name.startswith("_"):
                assert LEVEL[name] <= LEVEL[path.stem], f"{path.stem} imports {name} from above"


def test_native_modules_import_nothing_of_cfr():
    for path in (ROOT.parent / "ext").glob("*.py[xd]"):
        for line in path.read_text("utf-8").splitlines():
            assert not line.strip().startswith(("import cfr", "from cfr", "cimport cfr")), path


def test_import_is_light():
    """`import cfr` and a query leave the heavy libraries alone."""
    program = "import sys, cfr; assert 'numpy' not in sys.modules; cfr.BuiltIn('uniform').probabilities('AsKh')"
    program += "; assert not {'sklearn', 'scipy', 'matplotlib'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)
