"""The pages for people: every link leads somewhere, and the site builds without a warning."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").glob("*.md"),
        ROOT / "strategies" / "README.md",
        ROOT / "benchmarks" / "README.md",
    ]
)
CLUSTER = ROOT / "docs" / "cluster"
LINE = 120  # columns
LINK = re.compile(r"\]\(([^)\s]+)\)|src=\"([^\"]+)\"")


def links(page: Path) -> list[str]:
    """Targets of a page's links and pictures, those in code left out."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    return [first or second for first, second in LINK.findall(re.sub(r"`[^`]*`", "", text))]


def anchors(page: Path) -> set[str]:
    """Anchors of a page's headings, as code hosts make them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links_are_read(tmp_path):
    page = tmp_path / "page.md"
    page.write_text('# A b-c, d\n[one](two.md#three) `[no](code.md)` <img src="x.svg">\n```\n[no](fence.md)\n```\n')
    assert links(page) == ["two.md#three", "x.svg"]
    assert anchors(page) == {"a-b-c-d"}


def prose(page: Path) -> list[str]:
    """A page's lines without code, tables and pictures."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    return [line for line in text.splitlines() if not re.match(r"    | *\||!\[|<", line)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_prose_is_wrapped(page):
    assert [line for line in prose(page) if len(line) > LINE] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page):
    for target in links(page):
        if re.match(r"[a-z]+:", target):
            assert target.startswith(("https://", "http://localhost", "http://127.0.0.1", "mailto:")), target
            continue
        name, _, anchor = target.partition("#")
        found = (page.parent / name).resolve() if name else page
        assert found.exists(), f"{page.name}: {target}"
        if anchor:
            assert anchor in anchors(found), f"{page.name}: {target}"


@pytest.mark.parametrize("name", ["laptops.sh", "slurm.sh"])
def test_scripts_for_clusters_can_be_read(name):
    done = subprocess.run(["bash", "-n", str(CLUSTER / name)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_the_laptops_script_says_what_it_expects():
    done = subprocess.run(["bash", str(CLUSTER / "laptops.sh")], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (2, "laptops.sh: expected first, second ADDRESS TOKEN, or stop\n")


def test_the_kubernetes_cluster_has_the_image_and_the_ports_of_its_page():
    cluster = pytest.importorskip("yaml").safe_load((CLUSTER / "kuberay.yaml").read_text("utf-8"))
    page = (ROOT / "docs" / "cluster.md").read_text("utf-8")
    assert (cluster["apiVersion"], cluster["kind"]) == ("ray.io/v1", "RayCluster")
    assert f"service/{cluster['metadata']['name']}-head-svc 10001" in page
    pods = [cluster["spec"]["headGroupSpec"], *cluster["spec"]["workerGroupSpecs"]]
    for pod in pods:
        [container] = pod["template"]["spec"]["containers"]
        assert f"-t {container['image']} ." in page
        assert container["resources"]["limits"] == container["resources"]["requests"]
    made = re.search(r"FROM rayproject/ray:([\d.]+)-", (CLUSTER / "Dockerfile").read_text("utf-8"))
    assert made is not None
    assert made[1] == cluster["spec"]["rayVersion"]
    ports = pods[0]["template"]["spec"]["containers"][0]["ports"]
    assert {"containerPort": 10001, "name": "client"} in ports


def test_the_rented_cluster_is_one_that_ray_starts():
    yaml, util = pytest.importorskip("yaml"), pytest.importorskip("ray.autoscaler._private.util")
    cluster = yaml.safe_load((CLUSTER / "rented.yaml").read_text("utf-8"))
    util.validate_config(util.prepare_config(cluster))  # raises where something is missing or misspelt
    assert cluster["head_node_type"] in cluster["available_node_types"]


@pytest.mark.packaging
def test_the_site_builds_without_a_warning(tmp_path):
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-W",
        "--keep-going",
        "-q",
        "-b",
        "html",
        str(ROOT / "docs"),
        str(tmp_path),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "index.html").exists()
