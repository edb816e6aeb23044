//! FBX as a character, read by the `ufbx` library.
//!
//! All nodes are joints, as in glTF. Unit and axes are as the file says. What FBX has and glTF has not
//! (pivots, rotation orders, scaling that is not inherited, layers of animation) is resolved by the
//! library: nodes get the transforms, and helpers, that come to the same, and animations straight lines
//! between keys that are close enough. `ufbx` is C; what it hands over is checked as any other file's
//! numbers are.
//!
//! Verified by: `tests/character/fbx.rs`.

mod surface;

use super::{CharacterFile, Options, refused};
use crate::formats::{Error, Place};
use glam::{DAffine3, DQuat, DVec3};
use std::path::Path as FilePath;
use surface::Surface;
use toile_geometry::character::{
    Channel, Character, CharacterError, Clip, Curve, Joint, Keyed, Path, Rig, Transform,
};

/// Memory that any file may ask for, and how much more a byte of it may: arrays are packed.
const MEMORY: [usize; 2] = [64 << 20, 64];

/// Reads a file.
pub(super) fn read(path: &FilePath, options: &Options) -> Result<CharacterFile, Error> {
    let bytes = std::fs::read(path).map_err(Error::io(path))?;
    let limit = MEMORY[0].saturating_add(bytes.len().saturating_mul(MEMORY[1]));
    let refuse = |problem: ufbx::Error| {
        let found = match problem.info() {
            "" => problem.description.to_string(),
            info => format!("{}: {info}", problem.description),
        };
        Error::malformed(path, Place::Field("FBX".into()), "an FBX file", found)
    };
    let scene = ufbx::load_memory(&bytes, loading(options, limit)).map_err(refuse)?;
    let rig = rig(&scene).map_err(|problem| refused(path, "Model", "a tree", &problem))?;
    let mut notes: Vec<String> = { scene.metadata.warnings.iter() }
        .map(|warning| warning.description.to_string())
        .collect();
    let made = surface::read(&scene, &mut notes)
        .map_err(|problem| refused(path, "Geometry", "a mesh and its weights", &problem))?;
    let mut clips = Vec::new();
    for stack in &scene.anim_stacks {
        let baked = ufbx::bake_anim(&scene, &stack.anim, baking(limit)).map_err(refuse)?;
        let clip = clip(&stack.element.name, &baked, &made);
        let clip = clip.map_err(|problem| refused(path, "AnimationStack", "curves", &problem))?;
        clips.extend((!clip.channels.is_empty()).then_some(clip));
    }
    let character = Character {
        mesh: made.mesh,
        parts: made.parts,
        part_of: made.part_of,
        rig,
        skin: made.skin,
        morphs: made.morphs,
        clips,
    };
    character
        .validate()
        .map_err(|problem| refused(path, "Objects", "a character", &problem))?;
    Ok(CharacterFile { character, notes })
}

/// How the library reads a file: as metres with y up, unless the caller knows better.
fn loading(options: &Options, limit: usize) -> ufbx::LoadOpts<'static> {
    let mut loading = ufbx::LoadOpts {
        temp_allocator: allocation(limit),
        result_allocator: allocation(limit),
        file_format: ufbx::FileFormat::Fbx,
        ignore_embedded: true,
        clean_skin_weights: true,
        index_error_handling: ufbx::IndexErrorHandling::AbortLoading,
        inherit_mode_handling: ufbx::InheritModeHandling::HelperNodes,
        geometry_transform_handling: ufbx::GeometryTransformHandling::HelperNodes,
        space_conversion: ufbx::SpaceConversion::TransformRoot,
        ..Default::default()
    };
    if options.metres_per_unit.is_none() {
        loading.target_unit_meters = 1.0;
    }
    if options.up.is_none() {
        loading.target_axes = ufbx::CoordinateAxes::right_handed_y_up();
    }
    loading
}

/// How animations are made straight lines.
fn baking(limit: usize) -> ufbx::BakeOpts {
    ufbx::BakeOpts {
        temp_allocator: allocation(limit),
        result_allocator: allocation(limit),
        step_handling: ufbx::BakeStepHandling::IdenticalTime,
        ..Default::default()
    }
}

fn allocation(limit: usize) -> ufbx::AllocatorOpts {
    ufbx::AllocatorOpts {
        memory_limit: limit,
        ..Default::default()
    }
}

/// All nodes as joints.
fn rig(scene: &ufbx::Scene) -> Result<Rig, CharacterError> {
    let joint = |node: &ufbx::Node| Joint {
        name: match &*node.element.name {
            "" => format!("node {}", node.element.typed_id),
            name => name.to_owned(),
        },
        parent: node.parent.as_ref().map(|p| p.element.typed_id as usize),
        rest: transform(&node.local_transform),
    };
    Rig::new(scene.nodes.into_iter().map(joint).collect())
}

/// A motion.
fn clip(name: &str, baked: &ufbx::BakedAnim, made: &Surface) -> Result<Clip, CharacterError> {
    let mut channels = Vec::new();
    for node in &baked.nodes {
        let joint = node.typed_id as usize;
        let places = keys(&node.translation_keys, |k| (k.time, vector(&k.value)))?;
        let turns = keys(&node.rotation_keys, |k| (k.time, rotation(&k.value)))?;
        let scales = keys(&node.scale_keys, |k| (k.time, vector(&k.value)))?;
        channels.extend(places.map(|curve| Channel::Translation(joint, curve)));
        channels.extend(turns.map(|curve| Channel::Rotation(joint, curve)));
        channels.extend(scales.map(|curve| Channel::Scale(joint, curve)));
    }
    for element in &baked.elements {
        let moved = made.morph_of.get(&element.element_id);
        let percent = { element.props.iter() }.find(|prop| prop.name == "DeformPercent");
        if let (Some(morph), Some(percent)) = (moved, percent) {
            let weights = keys(&percent.keys, |k| (k.time, 0.01 * k.value.x))?;
            channels.extend(weights.map(|curve| Channel::Weight(*morph, curve)));
        }
    }
    Ok(Clip {
        name: name.to_owned(),
        channels,
    })
}

/// A curve of keys, if there are any.
fn keys<K, T: Keyed>(
    keys: &[K],
    key: impl Fn(&K) -> (f64, T),
) -> Result<Option<Curve<T>>, CharacterError> {
    if keys.is_empty() {
        return Ok(None);
    }
    let (times_s, values) = keys.iter().map(key).unzip();
    Curve::new(times_s, values, Path::Linear).map(Some)
}

fn vector(v: &ufbx::Vec3) -> DVec3 {
    DVec3::new(v.x, v.y, v.z)
}

/// A rotation; one that is none stays so, and is refused where it is used.
fn rotation(q: &ufbx::Quat) -> DQuat {
    DQuat::from_xyzw(q.x, q.y, q.z, q.w).normalize()
}

fn transform(t: &ufbx::Transform) -> Transform {
    Transform {
        translation: vector(&t.translation),
        rotation: rotation(&t.rotation),
        scale: vector(&t.scale),
    }
}

fn affine(m: &ufbx::Matrix) -> DAffine3 {
    DAffine3::from_cols_array(&[
        m.m00, m.m10, m.m20, m.m01, m.m11, m.m21, m.m02, m.m12, m.m22, m.m03, m.m13, m.m23,
    ])
}
