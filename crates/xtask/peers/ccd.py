"""Queries a second of the IPC Toolkit on the motion of `toile bench drape-self --n 101`, on one thread.

usage: ccd.py TOILE FOLDER
"""

import subprocess
import sys
import time

import ipctk
import numpy

FPS = 60
FRAMES = (30, 45, 59)
# Half of the cloth's thickness around every primitive, as in `toile lab ccd`.
PAD_M = 0.001


def mesh_at(frame, toile, folder):
    """Vertices and faces at the end of a frame."""
    path = f"{folder}/frame_{frame}.obj"
    bench = [toile, "bench", "drape-self", "--n", "101", "--threads", "1"]
    bench += ["--seconds", str(frame / FPS), "--obj", path]
    subprocess.run(bench, check=True, stdout=subprocess.DEVNULL)
    with open(path, encoding="utf-8") as file:
        rows = [line.split() for line in file]
    vertices = [[float(x) for x in row[1:4]] for row in rows if row[:1] == ["v"]]
    faces = [[int(x.split("/")[0]) - 1 for x in row[1:4]] for row in rows if row[:1] == ["f"]]
    return numpy.asfortranarray(vertices), numpy.asfortranarray(faces, dtype=numpy.int32)


def main(toile, folder):
    ipctk.set_num_threads(1)
    methods = {
        "Tight-Inclusion": ipctk.TightInclusionCCD(),
        "additive CCD": ipctk.AdditiveCCD(),
    }
    seconds = dict.fromkeys(methods, 0.0)
    pairs = 0
    for frame in FRAMES:
        start, faces = mesh_at(frame, toile, folder)
        end, _ = mesh_at(frame + 1, toile, folder)
        mesh = ipctk.CollisionMesh(start, ipctk.edges(faces), faces)
        candidates = ipctk.Candidates()
        candidates.build(mesh, start, end, PAD_M)
        pairs += len(candidates.fv_candidates) + len(candidates.ee_candidates)
        for name, method in methods.items():
            clock = time.perf_counter()
            candidates.compute_collision_free_stepsize(mesh, start, end, 0.0, method)
            seconds[name] += time.perf_counter() - clock
    for name in methods:
        rate = pairs / seconds[name] / 1e6
        print(f"{name} (ipctk {ipctk.__version__}), in batch: {rate:.1f} million queries a second, {pairs} pairs")


main(*sys.argv[1:])
