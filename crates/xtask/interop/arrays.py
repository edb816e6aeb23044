"""NPZ in NumPy and USDA in Pixar's library: `arrays.py RUN TURNED`, two folders of one scene."""

import json
import os
import sys

import numpy as np
import truth
from pxr import Usd, UsdGeom

NAME = "tablecloth"
# Two roundings to single precision of numbers below 2.
ROUNDING = 2.5e-7


def main(run, turned):
    positions = truth.frames(run, NAME)
    heights = truth.mean_heights(run)
    means = positions[:, :, 1].astype(float).mean(axis=1)
    truth.check_error("OBJ", "plain text", "mean heights of the metrics", means, heights, 1e-7)
    with open(os.path.join(run, "report.json"), encoding="utf-8") as file:
        report = json.load(file)
    velocities = check_npz(os.path.join(run, f"{NAME}.npz"), positions, report)
    stage = Usd.Stage.Open(os.path.join(run, f"{NAME}.usda"))
    check_usda(stage, positions, velocities)
    check_turned(os.path.join(turned, f"{NAME}.usda"), positions)


def check_npz(path, positions, report):
    archive = np.load(path, allow_pickle=False)
    same = archive["positions"].dtype == np.float32 and (archive["positions"] == positions).all()
    truth.check("NPZ", "numpy", "positions of all frames", same, archive["positions"].shape)
    faces = archive["faces"]
    good = faces.shape == (report["triangles"], 3) and faces.min() == 0
    truth.check("NPZ", "numpy", "faces", good and faces.max() + 1 == report["particles"], faces.shape)
    times = np.arange(len(positions)) / 60
    truth.check_error("NPZ", "numpy", "times", archive["times_s"], times, 1e-12)
    velocities = archive["velocities"]
    # Halfway between two frames the motion is the mean of their velocities.
    moved = (positions[1:] - positions[:-1]) * 60
    mean = (velocities[1:] + velocities[:-1]) / 2
    share = float(np.linalg.norm(moved - mean) / np.linalg.norm(moved))
    truth.check("NPZ", "numpy", "velocities fit the motion", share < 0.1, f"off by {share:.1%}")
    return velocities


def check_usda(stage, positions, velocities):
    codes = [stage.GetStartTimeCode(), stage.GetEndTimeCode(), stage.GetTimeCodesPerSecond()]
    truth.check("USDA", "usd-core", "time codes", codes == [0, len(positions) - 1, 60], codes)
    unit = UsdGeom.GetStageMetersPerUnit(stage), UsdGeom.GetStageUpAxis(stage)
    truth.check("USDA", "usd-core", "unit and up axis", unit == (1.0, "Y"), unit)
    meshes = [UsdGeom.Mesh(prim) for prim in stage.Traverse() if prim.IsA(UsdGeom.Mesh)]
    truth.check("USDA", "usd-core", "meshes", len(meshes) == 1, [str(m.GetPath()) for m in meshes])
    mesh = meshes[0]
    samples = mesh.GetPointsAttr().GetTimeSamples()
    truth.check("USDA", "usd-core", "time samples", len(samples) == len(positions), len(samples))
    points = [mesh.GetPointsAttr().Get(time) for time in samples]
    truth.check_error("USDA", "usd-core", "points of all frames", points, positions, 0)
    speeds = [mesh.GetVelocitiesAttr().Get(time) for time in samples]
    truth.check_error("USDA", "usd-core", "velocities of all frames", speeds, velocities, 0)
    topology = UsdGeom.Mesh.ValidateTopology(
        mesh.GetFaceVertexIndicesAttr().Get(),
        mesh.GetFaceVertexCountsAttr().Get(),
        len(positions[0]),
    )
    good = topology[0] if isinstance(topology, tuple) else topology
    truth.check("USDA", "usd-core", "topology", bool(good), topology)
    st = UsdGeom.PrimvarsAPI(mesh).GetPrimvar("st")
    good = st.GetInterpolation() == "vertex" and len(st.Get()) == len(positions[0])
    truth.check("USDA", "usd-core", "pattern coordinates", good, len(st.Get()))


def check_turned(path, positions):
    """z up, centimetres, five frames of pre-roll, the first of them number -4."""
    stage = Usd.Stage.Open(path)
    unit = UsdGeom.GetStageMetersPerUnit(stage), UsdGeom.GetStageUpAxis(stage)
    truth.check("USDA z cm", "usd-core", "unit and up axis", unit == (0.01, "Z"), unit)
    mesh = next(UsdGeom.Mesh(p) for p in stage.Traverse() if p.IsA(UsdGeom.Mesh))
    times = mesh.GetPointsAttr().GetTimeSamples()
    good = times == list(range(-4, len(positions) + 1))
    truth.check("USDA z cm", "usd-core", "numbers with pre-roll", good, f"{times[0]} to {times[-1]}")
    points = np.array([mesh.GetPointsAttr().Get(time) for time in times[5:]])
    metres = np.stack([points[..., 0], points[..., 2], -points[..., 1]], axis=-1) / 100
    truth.check_error("USDA z cm", "usd-core", "points, turned back", metres, positions, ROUNDING)


main(*sys.argv[1:])
