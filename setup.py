"""Native extensions of cfr; everything else stands in pyproject.toml.

The source ``ext/ROOM/x.pyx`` becomes the module ``cfr._native.x``. The modules named in ``VARIANTS`` are built once per
x86-64 feature level (``cfr._native.x_base``, ``_v3``, ``_v4``). The import chooses the widest one that the processor
runs, so one wheel runs everywhere and no committed flag asks for the build machine's own instruction set.
``CFR_CHECKS=1`` turns Cython's checks of bounds, divisions and initialisation on, ``CFR_SANITIZE=address,undefined``
the compiler's sanitizers. Each builds in a folder of its own; CONTRIBUTING.md has the commands.
"""

import os
import platform
import subprocess
import sysconfig
import tempfile
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension, setup

CHECKS = os.environ.get("CFR_CHECKS") == "1"
SANITIZE = os.environ.get("CFR_SANITIZE")
BUILD = Path("build") / ("sanitize" if SANITIZE else "checks" if CHECKS else "release")
FLAGS = ["-ffp-contract=off", "-fno-math-errno", "-Wno-unused-function", "-Wno-psabi"]
FLAGS += ["-O1", "-fno-omit-frame-pointer"] if SANITIZE else ["-O3", "-funroll-loops"]
FLAGS += [] if CHECKS or SANITIZE else ["-g0"]  # Python's own -g takes a third of the time
SANITIZERS = [f"-fsanitize={SANITIZE}", "-fno-sanitize-recover=all"] if SANITIZE else []
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": CHECKS,
    "wraparound": False,
    "initializedcheck": CHECKS,
    "cdivision": not CHECKS,
    "overflowcheck": False,
    "freethreading_compatible": False,
}
X86_LEVELS = {"base": [], "v3": ["-march=x86-64-v3"], "v4": ["-march=x86-64-v4", "-mprefer-vector-width=512"]}
LEVELS = X86_LEVELS if platform.machine() in ("x86_64", "AMD64") else {"base": []}
# The kernel's spelled-out loops take gcc minutes in passes that gain them nothing.
SOON = ["-fno-gcse", "-fno-gcse-after-reload"]
# Modules built from one source: source -> {module: extra flags}. float64 is for small games: one level is enough.
VARIANTS = {
    "traverse": {f"traverse_{level}": [*SOON, *flags] for level, flags in LEVELS.items()}
    | {"traverse64_base": [*SOON, "-DCFR_REAL=double"]},
}


def openmp_flags() -> list[str]:
    """``["-fopenmp"]`` where the compiler links an OpenMP program, nothing (a serial build) elsewhere."""
    compiler = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "probe.c"
        source.write_text("#include <omp.h>\nint main(void) { return omp_get_max_threads() < 1; }\n")
        command = [*compiler.split(), "-fopenmp", str(source), "-o", str(source.with_suffix(""))]
        try:
            works = subprocess.run(command, capture_output=True, check=False).returncode == 0
        except OSError:
            works = False
    return ["-fopenmp"] if works else []


def extensions() -> list[Extension]:
    openmp = openmp_flags()
    built = []
    for source in sorted(Path("ext").rglob("*.pyx")):
        for module, flags in VARIANTS.get(source.stem, {source.stem: []}).items():
            [extension] = cythonize(
                [Extension(f"cfr._native.{module}", [str(source)], include_dirs=[str(source.parent)])],
                include_path=[str(source.parent)],
                build_dir=str(BUILD / module),
                compiler_directives=DIRECTIVES,
            )
            # Set late: Cython would carry one variant's flags over to the next of the same source.
            extension.extra_compile_args = FLAGS + openmp + SANITIZERS + flags
            extension.extra_link_args = openmp + SANITIZERS
            extension.depends = [str(path) for path in Path("ext").rglob("*") if path.suffix in (".h", ".pxd")]
            built.append(extension)
    return built


setup(
    ext_modules=extensions(),
    options={
        "build": {"build_base": str(BUILD)},
        "build_ext": {"parallel": os.cpu_count() or 1},
    },
)
