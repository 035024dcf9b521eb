"""A solved game, and commands in this process."""

import pytest

from cfr.cli.main import main


@pytest.fixture(scope="module")
def leduc(tmp_path_factory):
    path = tmp_path_factory.mktemp("solved") / "leduc.h5"
    assert main(["solve", "leduc", "--iterations", "50", "--threads", "1", "--out", str(path), "--json"]) == 0
    return str(path)


@pytest.fixture
def run(capsys):
    """Run a command in this process; gives its code, stdout and stderr."""

    def run(*arguments):
        capsys.readouterr()
        try:
            code = main([str(argument) for argument in arguments])
        except SystemExit as stop:
            code = stop.code
        return (code, *capsys.readouterr())

    return run
