"""The positions every program must find: OBJ files read line by line, and how checks are told.

A check is a line of six fields with tabs between them: `check`, format, program, what, `ok` or
`FAIL`, and what was found.
"""

import csv
import glob
import os
import re

import numpy as np


def frames(folder, name):
    """Positions of all frames, in the order of the numbers in their names."""
    files = glob.glob(os.path.join(folder, f"{name}_*.obj"))
    files = [f for f in files if re.search(r"_\d+\.obj$", f)]
    return np.array([vertices(f) for f in sorted(files)], np.float32)


def vertices(path):
    with open(path, encoding="utf-8") as text:
        return [[float(x) for x in line.split()[1:4]] for line in text if line.startswith("v ")]


def mean_heights(folder):
    """What the run itself measured, in double precision."""
    with open(os.path.join(folder, "metrics.csv"), encoding="utf-8") as table:
        return np.array([float(row["mean_height_m"]) for row in csv.DictReader(table)])


def check(form, program, what, good, found):
    print("check", form, program, what, "ok" if good else "FAIL", found, sep="\t", flush=True)


def check_error(form, program, what, found, expected, tolerance):
    """The largest difference of two arrays."""
    found, expected = np.asarray(found), np.asarray(expected)
    if found.shape != expected.shape:
        check(form, program, what, False, f"{found.shape} instead of {expected.shape}")
        return
    error = float(np.abs(found - expected).max())
    check(form, program, what, error <= tolerance, f"largest difference {error:.3g}")
