"""Determine how many CPU cores this process may use, by affinity and container limits."""

import os
from math import ceil
from pathlib import Path

SLOTS = 8  # parallel sequences of the server: the candidates of one call

_CGROUPS = Path("/sys/fs/cgroup")


def cores(cgroups: Path = _CGROUPS) -> int:
    """The usable cores. llama.cpp's threads spin while they wait for each other, so one thread more than
    there are cores costs far more than it gains.
    """
    try:
        allowed = len(os.sched_getaffinity(0))
    except AttributeError:  # macOS and Windows have no such call
        allowed = os.cpu_count() or 1
    quota = _quota(cgroups)
    return max(1, min(allowed, ceil(quota) if quota else allowed))


def _quota(cgroups: Path) -> float | None:
    """The CPU quota of the control group (version 2, then 1); None if there is no limit."""
    try:
        granted, period = (cgroups / "cpu.max").read_text().split()
    except (OSError, ValueError):
        try:
            granted = (cgroups / "cpu" / "cpu.cfs_quota_us").read_text().strip()
            period = (cgroups / "cpu" / "cpu.cfs_period_us").read_text().strip()
        except OSError:
            return None
    if not granted.isdigit() or not period.isdigit() or period == "0":  # "max", "-1"
        return None
    return int(granted) / int(period)
