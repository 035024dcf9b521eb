"""The house: every module in a room that says what lives there, imports that only go down, and no circle."""

import ast
import re
import subprocess
import sys
from collections import Counter
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import cfr

ROOT = Path(cfr.__file__).parent
ROOMS = [
    *("cli", "web", "study", "play", "formats"),
    *("opponents", "solver", "exploit", "resolving", "spots", "values"),
    *("strategy", "kernel", "abstraction", "hands", "game"),
    *("system", "_native"),
]
FLOOR = {room: len(ROOMS) - number for number, room in enumerate(ROOMS)}
DOORS = {"cfr", "cfr.__main__"}  # the package itself, which offers names on first use, and the command
SOURCES = {".py", ".pyx", ".h", ".js"}
MOST_FLOORS = 14  # rooms above each other


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def files() -> dict[str, Path]:
    """Every module by name: Python's, and the stubs of the native ones."""
    return {module_name(path): path for pattern in ("*.py", "_native/*.pyi") for path in ROOT.rglob(pattern)}


MODULES = files()
NATIVE = sorted(path for path in (ROOT.parent / "ext").rglob("*") if path.suffix in (".pyx", ".pxd"))


def imported(source: str, modules=MODULES) -> set[str]:
    """Modules of cfr that a module imports, at its top or inside a function; "cfr" is the package itself."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, "imports name the module in full"
            names = [
                whole if (whole := f"{node.module}.{alias.name}") in modules else node.module or ""
                for alias in node.names
            ]
        else:
            continue
        found |= {name for name in names if name.partition(".")[0] == "cfr"}
    return found


def room(name: str) -> str:
    return name.split(".")[1]


@pytest.fixture(scope="module")
def graph() -> dict[str, set[str]]:
    """What each module imports, without the doors."""
    graph = {name: imported(path.read_text("utf-8")) for name, path in MODULES.items()}
    return {name: found for name, found in graph.items() if name not in DOORS}


@pytest.mark.parametrize(
    ("source", "modules"),
    [
        ("import cfr.game.rules", {"cfr.game.rules"}),
        ("import cfr", {"cfr"}),
        ("from cfr.game.rules import Game", {"cfr.game.rules"}),
        ("from cfr.game import rules, betting", {"cfr.game.rules", "cfr.game.betting"}),
        ("from cfr._native import cpu", {"cfr._native.cpu"}),
        ("from cfr import Game", {"cfr"}),
        ("def f():\n    from cfr.game.rules import Game", {"cfr.game.rules"}),
        ("import cfrx.game, numpy", set()),
    ],
)
def test_imports_are_read(source, modules):
    assert imported(source) == modules


def test_every_module_lives_in_a_room():
    outside = {name for name in MODULES if name.count(".") < 2} - DOORS - {f"cfr.{room}" for room in ROOMS}
    assert not outside
    assert {room(name) for name in MODULES if name not in DOORS} == set(ROOMS)


FOLDERS = {name for name, path in MODULES.items() if path.name == "__init__.py"} - DOORS - {"cfr.game.games"}


@pytest.mark.parametrize("name", sorted(FOLDERS))
def test_a_room_says_what_lives_there_and_imports_nothing(name):
    source = MODULES[name].read_text("utf-8")
    text = ast.get_docstring(ast.parse(source))
    assert text
    assert len(text.split()) >= 15
    assert source.strip() == f'"""{text}\n"""'


def test_the_guide_lists_the_rooms_in_the_same_order():
    text = (ROOT.parent / "docs" / "code.md").read_text("utf-8")
    assert re.findall(r"^\| `(\w+)/`", text, re.MULTILINE) == ROOMS


def test_imports_only_go_down(graph):
    for name, found in graph.items():
        for other in found:
            assert other not in DOORS, (
                f"{name} imports the package itself; import from the module that defines the name"
            )
            assert other in MODULES, f"{name} imports {other}, which is no module with a stub"
            assert FLOOR[room(other)] <= FLOOR[room(name)], f"{name} imports {other} from above"


WEB = ROOT / "web"
# Folders of the web room, none above another.
FEATURES = ("explore", "spots", "table", "train", "watch", "review", "opponents")


def web_place(name: str) -> str:
    """The folder of a module of the web room; its own name where it lies in none."""
    return name.split(".")[2]


def test_features_of_the_page_know_no_other_feature(graph):
    """`app` knows all features, a feature the server and the store, the server the store."""
    allowed = {feature: {feature, "server", "store"} for feature in FEATURES}
    allowed |= {
        "server": {"server", "store"},
        "store": {"store"},
        "page": set(),
        "app": {*FEATURES, "server", "store", "page"},
    }
    places = set()
    for name, found in graph.items():
        if name.startswith("cfr.web."):
            places.add(web_place(name))
            known = {web_place(other) for other in found if other.startswith("cfr.web.")}
            assert known <= allowed[web_place(name)], name
    assert places == set(allowed)


def test_scripts_of_a_feature_know_no_other_feature():
    """A feature's script imports its own folder and the shared one, a shared script the shared one; `app.js` all."""
    scripts = sorted(WEB.rglob("*.js"))
    assert {path.parent.relative_to(WEB).as_posix() for path in scripts} == {
        "static",
        *(f"{each}/static" for each in FEATURES),
    }
    for path in scripts:
        imports = re.findall(r"(?:from|import) *\(?[\"']([^\"']+)[\"']", path.read_text("utf-8"))
        for found in imports:
            other = (path.parent / found).resolve()
            assert other.is_file(), f"{path.name} imports {found}"
            known = {WEB / "static", path.parent} if path.name != "app.js" else {each.parent for each in scripts}
            assert other.parent in known, f"{path.name} imports {found}"
    assert any("import" in path.read_text("utf-8") for path in scripts)


def test_no_imports_close_a_circle(graph):
    TopologicalSorter(graph).prepare()  # raises CycleError


def test_the_house_is_not_high(graph):
    """Counted in rooms, not in modules: a noun of its own may have a file of its own."""
    below = {name: set[str]() for name in ROOMS}
    for name, found in graph.items():
        below[room(name)] |= {room(other) for other in found} - {room(name)}
    height: dict[str, int] = {}
    for name in TopologicalSorter(below).static_order():
        height[name] = 1 + max((height[other] for other in below[name]), default=0)
    assert max(height.values()) <= MOST_FLOORS, height


def test_native_modules_import_nothing_of_cfr():
    assert NATIVE
    for path in NATIVE:
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
            found = re.match(r"\s*(from|c?import|include)\b.*", line)
            assert not (found and re.search(r"\bcfr\b|from \.", line)), f"{path.name}:{number}: {line.strip()}"
            assert not re.match(r"\s*(from|cimport)\s.*\bnumpy\b", line), f"{path.name}:{number}: NumPy's C interface"


def test_native_sources_lie_in_the_room_of_their_front():
    for path in NATIVE:
        assert path.parent.name in ROOMS, f"{path}: {path.parent.name} is no room"


def test_import_is_light():
    """`import cfr` and a query leave the heavy libraries alone."""
    program = "import sys, cfr; assert 'numpy' not in sys.modules; cfr.BuiltIn('uniform').probabilities('AsKh')"
    program += "; assert not {'sklearn', 'scipy', 'matplotlib'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_no_folder_is_a_crowd():
    """At most 20 modules stand in a folder, its paragraph left out; nor do more tests."""
    paths = [*MODULES.values(), *(ROOT.parent / "tests").rglob("*.py")]
    count = Counter(path.parent for path in paths if path.name != "__init__.py")
    assert {str(folder): many for folder, many in count.items() if many > 20} == {}


def test_no_file_is_long():
    """Sources have at most 400 lines each."""
    places = ("cfr", "ext", "benchmarks", "tests")
    paths = [path for place in places for path in (ROOT.parent / place).rglob("*") if path.suffix in SOURCES]
    assert {path.suffix for path in paths} == SOURCES
    count = {str(path): path.read_text("utf-8").count("\n") for path in paths}
    assert {path: many for path, many in count.items() if many > 400} == {}
