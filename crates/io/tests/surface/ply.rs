use crate::{read, refusal};
use glam::{DVec2, DVec3};
use toile_io::surface::SurfaceFile;

const TEXT: &str = "\
ply
format ascii 1.0
comment made by hand
element vertex 4
property double x
property double y
property double z
property uchar red
property uchar green
property uchar blue
property uchar alpha
property float s
property float t
element face 1
property list uchar int vertex_indices
end_header
0 0 0.1 255 0 0 255 0 0
1 0 0.1 0 255 0 255 1 0
1 1 0.1 0 0 255 51 1 1
0 1 0.1 0 0 0 255 0 1
4 0 1 2 3
";

fn check(file: &SurfaceFile) {
    assert_eq!(file.triangles, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(file.positions[2], DVec3::new(1.0, 1.0, 0.1));
    assert_eq!(file.colours.as_ref().unwrap()[2], [0.0, 0.0, 1.0, 0.2]);
    let uvs = file.uvs.as_ref().unwrap();
    assert_eq!(uvs[1], [DVec2::ZERO, DVec2::ONE, DVec2::Y]);
}

#[test]
fn text_and_both_orders_of_bytes_are_alike() {
    check(&read("mesh.ply", TEXT).unwrap());
    for order in ["little", "big"] {
        let bytes = |number: &[u8]| -> Vec<u8> {
            let mut number = number.to_vec();
            if order == "little" {
                number.reverse();
            }
            number
        };
        let format = format!("binary_{order}_endian");
        let (header, rows) = TEXT.split_once("end_header\n").unwrap();
        let mut file = header.replace("ascii", &format).into_bytes();
        file.extend(b"end_header\n");
        for row in rows.lines().take(4) {
            for (k, word) in row.split(' ').enumerate() {
                let number: f64 = word.parse().unwrap();
                match k {
                    0..3 => file.extend(bytes(&number.to_be_bytes())),
                    3..7 => file.push(number as u8),
                    _ => file.extend(bytes(&(number as f32).to_be_bytes())),
                }
            }
        }
        file.push(4);
        (0..4i32).for_each(|v| file.extend(bytes(&v.to_be_bytes())));
        check(&read("mesh.ply", &file).unwrap());
    }
}

#[test]
fn corners_may_have_their_own_texture_coordinates() {
    let text = TEXT
        .replace(
            "vertex_indices\n",
            "vertex_indices\nproperty list uchar float texcoord\n",
        )
        .replace("4 0 1 2 3", "4 0 1 2 3 8 0 0 2 0 2 2 0 2");
    let uvs = read("mesh.ply", text).unwrap().uvs.unwrap();
    assert_eq!(uvs[0][2], DVec2::splat(2.0));
}

#[test]
fn what_is_wrong_is_located() {
    for (from, to, expected) in [
        (
            "4 0 1 2 3",
            "4 0 1 2 4",
            "mesh.ply, line 21: expected the index of one of 4 vertices",
        ),
        (
            "4 0 1 2 3",
            "2 0 1",
            "mesh.ply, line 21: expected a face of 3 to 255 corners, found 2",
        ),
        ("4 0 1 2 3", "4 0 1 2", "mesh.ply, line"),
        (
            "vertex 4",
            "vertex 4000000000",
            "mesh.ply, line 17: expected 4000000000 of `vertex`",
        ),
        (
            "property double z\n",
            "",
            "mesh.ply, line 16: expected one list of vertices with x, y and z",
        ),
        (
            "0 0 0.1",
            "0 0 nan",
            "mesh.ply: coordinates that are not finite",
        ),
    ] {
        let message = refusal("mesh.ply", TEXT.replace(from, to));
        assert!(message.starts_with(expected), "{message}");
    }
}
