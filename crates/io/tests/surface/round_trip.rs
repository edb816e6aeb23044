//! What the writers write comes back, to the precision of the format.

use glam::{DVec2, DVec3, Vec2, Vec3};
use proptest::prelude::*;
use toile_io::formats::{self, Faces, Format, Frame, Header, Options as Writing, UpAxis};
use toile_io::obj::{self, Object};
use toile_io::surface::{self, Options};

/// A rug of some waves, rows of eight.
fn rug(heights: &[f32]) -> (Header, Frame) {
    let positions: Vec<Vec3> = { heights.iter().enumerate() }
        .map(|(k, y)| Vec3::new((k % 8) as f32, *y, (k / 8) as f32))
        .collect();
    let mut faces = Faces::default();
    for row in 0..(heights.len() / 8 - 1) as u32 {
        for column in 0..7 {
            let corner = 8 * row + column;
            faces.push(&[corner, corner + 8, corner + 9, corner + 1]);
        }
    }
    let mut header = Header::single("rug", positions.len(), faces);
    header.uvs = { positions.iter() }
        .map(|p| Vec2::new(p.z, p.x) / 16.0)
        .collect();
    header.channels.colours = true;
    header.frame_rate_hz = Some(24.0);
    (header.up, header.metres_per_unit) = (Some(UpAxis::Y), Some(1.0));
    let colours = (0..positions.len()).map(|k| Vec3::new((k % 2) as f32, 1.0, 0.0));
    let frame = Frame {
        colours: colours.collect(),
        positions,
        ..Frame::default()
    };
    (header, frame)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn every_writer_is_read(
        format in prop::sample::select(vec![Format::Obj, Format::Ply, Format::Glb]),
        heights in prop::collection::vec(-2.0..2.0f32, 32),
        centimetres in any::<bool>(),
        z_up in any::<bool>(),
    ) {
        let (header, frame) = rug(&heights);
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(format!("rug.{}", format.extension()));
        // glTF is always in metres with y up; the others say what they are in.
        let free = !format.is_fixed_frame();
        let writing = Writing {
            up: (z_up && free).then_some(UpAxis::Z),
            metres_per_unit: (centimetres && free).then_some(0.01),
            ..Writing::default()
        };
        let mut writer = formats::create(&path, &header, &writing).unwrap();
        writer.frame(&frame).unwrap();
        writer.finish().unwrap();
        let path = match format.is_numbered() {
            true => folder.path().join(format!("rug_0000.{}", format.extension())),
            false => path,
        };
        let (mesh, repairs) = surface::load(&path, &Options::default()).unwrap();
        prop_assert!(repairs.is_clean());
        prop_assert_eq!(mesh.positions.len(), 32);
        for (read, written) in mesh.positions.iter().zip(&frame.positions) {
            prop_assert!(read.distance(written.as_dvec3()) < 2e-6, "{} for {}", read, written);
        }
        let fans: Vec<[u32; 3]> = header.faces.triangles(0..header.faces.len()).collect();
        prop_assert_eq!(mesh.triangles.len(), fans.len());
        // Which way a bent square is cut is up to the reader, where the format has squares.
        if format == Format::Glb {
            prop_assert_eq!(&mesh.triangles, &fans);
        }
        for (triangle, uvs) in mesh.triangles.iter().zip(mesh.uvs.unwrap()) {
            for (vertex, uv) in triangle.iter().zip(uvs) {
                let written = header.uvs[*vertex as usize].as_dvec2();
                prop_assert!(uv.distance(written) < 1e-6);
            }
        }
        for (read, written) in mesh.colours.unwrap().iter().zip(&frame.colours) {
            prop_assert_eq!(*read, [written.x, written.y, written.z, 1.0]);
        }
        prop_assert_eq!(&mesh.groups[0].name, "rug");
    }

    #[test]
    fn written_objects_come_back_bit_by_bit(
        heights in prop::collection::vec(-2.0..2.0f64, 3),
    ) {
        let positions = [0, 1, 2].map(|k| DVec3::new(heights[k], k as f64, (k * k) as f64 / 3.0));
        let pattern = [0, 1, 2].map(|k| DVec2::new(heights[k] / 7.0, (k % 2) as f64));
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("triangle.obj");
        let object = Object {
            name: "triangle",
            positions: &positions,
            pattern: &pattern,
            faces: &[[0, 1, 2]],
        };
        obj::write(&path, &[object]).unwrap();
        let file = surface::read(&path, &Options::default()).unwrap();
        prop_assert_eq!(file.positions, positions);
        prop_assert_eq!(file.uvs.unwrap(), [pattern]);
    }
}
