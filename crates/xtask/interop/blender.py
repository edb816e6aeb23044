"""Meshes and caches in Blender: `blender.py RUN`."""

import os
import sys

import bpy
import numpy as np
import truth

NAME = "tablecloth"
# Blender turns meshes to its own axes and back, in single precision.
ROUNDING = 1e-6
RATE = 60


def reset():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = RATE


def mesh():
    found = [thing for thing in bpy.data.objects if thing.type == "MESH"]
    assert len(found) == 1, found
    return found[0]


def world(thing, frame=None):
    """Positions after all modifiers and transforms, y up."""
    if frame is not None:
        bpy.context.scene.frame_set(frame)
    evaluated = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    data = evaluated.to_mesh()
    local = np.empty(3 * len(data.vertices), np.float32)
    data.vertices.foreach_get("co", local)
    matrix = np.array(evaluated.matrix_world)
    x, y, z = (local.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]).T
    return np.stack([x, z, -y], axis=1)


def main(run):
    positions = truth.frames(run, NAME)
    last = len(positions) - 1
    chosen = [0, last // 2, last]
    expected = positions[chosen]
    what = f"positions of frames {', '.join(map(str, chosen))}"

    def error(form, found):
        truth.check_error(form, "Blender", what, found, expected, ROUNDING)

    found = []
    for frame in chosen:
        reset()
        bpy.ops.wm.obj_import(filepath=os.path.join(run, f"{NAME}_{frame:04}.obj"))
        found.append(world(mesh()))
    error("OBJ", found)
    thing = mesh()
    good = thing.name == "cloth" and len(thing.data.uv_layers) == 1
    truth.check("OBJ", "Blender", "name and pattern coordinates", good, thing.name)

    found = []
    for frame in chosen:
        reset()
        bpy.ops.wm.ply_import(
            filepath=os.path.join(run, f"{NAME}_{frame:04}.ply"), forward_axis="NEGATIVE_Z", up_axis="Y"
        )
        found.append(world(mesh()))
    error("PLY", found)

    for form in ("PC2", "MDD"):
        reset()
        bpy.ops.wm.obj_import(filepath=os.path.join(run, f"{NAME}_{form.lower()}_rest.obj"))
        thing = mesh()
        cache = thing.modifiers.new("cache", "MESH_CACHE")
        cache.cache_format = form
        cache.filepath = os.path.join(run, f"{NAME}.{form.lower()}")
        cache.frame_start = 0
        cache.interpolation = "NONE"
        error(form, [world(thing, frame) for frame in chosen])

    reset()
    bpy.ops.wm.usd_import(filepath=os.path.join(run, f"{NAME}.usda"))
    error("USDA", [world(mesh(), frame) for frame in chosen])

    reset()
    bpy.ops.import_scene.gltf(filepath=os.path.join(run, f"{NAME}.glb"))
    # glTF counts seconds from 0, which Blender puts at frame 0.
    error("GLB", [world(mesh(), frame) for frame in chosen])


main(*sys.argv[1:])
