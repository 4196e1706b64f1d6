"""Run the quick tests on every installed supported Python version, each in its own environment.

    python tests/pythons.py

A missing version is reported but is not a failure.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSIONS = ("3.11", "3.12", "3.13")
TESTS = ["tests/unit", "tests/sql", "-q", "-m", "not slow"]


def main() -> int:
    failed = []
    for version in VERSIONS:
        if version == f"{sys.version_info.major}.{sys.version_info.minor}":
            continue  # `make test` has just run everything on this one
        python = find(version)
        if python is None:
            print(f"*** PYTHON {version} IS NOT ON THIS MACHINE: nothing was tested on it.", file=sys.stderr)
        elif not passes(version, python):
            failed.append(version)
    if failed:
        print(f"*** FAILED on Python {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


def find(version: str) -> Path | None:
    """By uv, in pyenv's folder, or on the path; each is asked for its version, because a shim may lie."""
    ask = [str(uv()), "python", "find", "--no-python-downloads", "--no-project", version]
    reply = subprocess.run(ask, capture_output=True, text=True, check=False).stdout.strip()
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    candidates = [reply, *sorted(map(str, pyenv.glob(f"{version}.*/bin/python")), reverse=True)]
    candidates.append(shutil.which(f"python{version}") or "")
    return next((Path(candidate) for candidate in candidates if candidate and _is(candidate, version)), None)


def passes(version: str, python: Path) -> bool:
    environment = ROOT / f".venv-{version}"
    inside = environment / "bin" / "python"
    print(f"== Python {version}: {python}", flush=True)
    install = [str(uv()), "pip", "install", "--quiet", "--python", str(inside)]
    steps = [
        [str(uv()), "venv", "--quiet", "--allow-existing", "--python", str(python), str(environment)],
        [*install, "--require-hashes", "-r", str(ROOT / "requirements.lock")],
        [*install, "--no-deps", "-e", str(ROOT)],
        [str(inside), "-m", "pytest", *TESTS],
    ]
    return all(subprocess.run(step, cwd=ROOT, check=False).returncode == 0 for step in steps)


def uv() -> Path:
    beside = Path(sys.executable).with_name("uv")
    return beside if beside.exists() else Path(shutil.which("uv") or "uv")


def _is(python: str, version: str) -> bool:
    say = "import sys; print(f'{sys.version_info.major}.{sys.version_info.minor}')"
    try:
        reply = subprocess.run([python, "-c", say], capture_output=True, text=True, check=False, timeout=20)
    except OSError:
        return False
    return reply.stdout.strip() == version


if __name__ == "__main__":
    sys.exit(main())
