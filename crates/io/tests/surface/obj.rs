use crate::{file, read, refusal};
use glam::{DVec2, DVec3};
use toile_io::formats::UpAxis;
use toile_io::surface::{self, Error, GroupKind, Options};

/// Two squares that share an edge, with a seam along it.
const SQUARES: &str = "\
o shirt
v 0 0 0 1 0 0
v 1 0 0 0 1 0
v 1 1 0 0 0 1
v 0 1 0 1 1 1
v 2 0 0 1 1 1
v 2 1 0 1 1 1
vt 0 0
vt 1 0
vt 1 1
vt 0 1
vt 5 0
vt 6 0
vt 6 1
vt 5 1
g front
usemtl cotton # white
f 1/1 2/2 3/3 4/4
g back panel
f 2/5 5/6 6/7 3/8
g front
f 1/1 4/4 3/3
";

#[test]
fn seams_groups_and_colours_are_kept() {
    let file = read("mesh.obj", SQUARES).unwrap();
    let triangles = [[0, 1, 2], [0, 2, 3], [1, 4, 5], [1, 5, 2], [0, 3, 2]];
    assert_eq!(file.triangles, triangles);
    let uvs = file.uvs.unwrap();
    assert_eq!(uvs[1], [DVec2::ZERO, DVec2::ONE, DVec2::Y]);
    assert_eq!(uvs[2][0], DVec2::new(5.0, 0.0));
    assert_eq!(file.colours.unwrap()[1], [0.0, 1.0, 0.0, 1.0]);
    let groups: Vec<_> = { file.groups.iter() }
        .map(|g| (g.kind, g.name.as_str(), g.iter().collect::<Vec<_>>()))
        .collect();
    assert_eq!(
        groups,
        [
            (GroupKind::Object, "shirt", vec![0, 1, 2, 3, 4]),
            (GroupKind::Group, "front", vec![0, 1, 4]),
            (GroupKind::Material, "cotton # white", vec![0, 1, 2, 3, 4]),
            (GroupKind::Group, "back panel", vec![2, 3]),
        ]
    );
}

#[test]
fn groups_and_colours_follow_repairs() {
    // The last triangle repeats another, and the first vertex is unused and without place.
    let text = format!("v 9 9 9 0.5 0.5 0.5\n{SQUARES}").replace("f ", "f  ");
    let text = shifted(&text);
    let (_folder, path) = file("mesh.obj", text);
    let (mesh, repairs) = surface::load(&path, &Options::default()).unwrap();
    assert_eq!(repairs.isolated, [0]);
    assert_eq!(repairs.repeated.0, [4]);
    assert_eq!(mesh.colours.unwrap()[1], [0.0, 1.0, 0.0, 1.0]);
    assert_eq!(mesh.positions[5], DVec3::new(2.0, 1.0, 0.0));
    let front = mesh.groups.iter().find(|g| g.name == "front").unwrap();
    assert_eq!(front.iter().collect::<Vec<_>>(), [0, 1]);
    assert_eq!(mesh.uvs.unwrap().len(), 4);
}

/// All vertices one further.
fn shifted(text: &str) -> String {
    let line = |line: &str| match line.strip_prefix("f  ") {
        None => line.to_owned(),
        Some(corners) => {
            let corners = corners.split(' ').map(|corner| {
                let (vertex, texture) = corner.split_once('/').unwrap();
                format!("{}/{texture}", vertex.parse::<u32>().unwrap() + 1)
            });
            format!("f {}", corners.collect::<Vec<_>>().join(" "))
        }
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn polygons_are_cut_inside_their_outline() {
    // An arrow whose fan from the first corner would lie partly outside.
    let text = "v 0 2 0\nv 1 0 0\nv 2 2 0\nv 1 1 0\nf 1 2 3 4\n";
    let file = read("mesh.obj", text).unwrap();
    let area = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| file.positions[v as usize]);
        0.5 * (b - a).cross(c - a).z
    };
    assert_eq!(file.triangles.len(), 2);
    assert!(file.triangles.iter().all(|t| area(t) == 0.5));
    assert_eq!((file.uvs, file.colours), (None, None));
}

#[test]
fn double_precision_is_kept() {
    let file = read(
        "mesh.obj",
        "v 0.1234567890123456 1e-12 3\nv 1 0 0\nv 0 1 0\nf 1 2 3\n",
    );
    let position = DVec3::new(0.1234567890123456, 1e-12, 3.0);
    assert_eq!(file.unwrap().positions[0], position);
}

#[test]
fn some_texture_coordinates_are_none() {
    let text = SQUARES.replace("f 1/1 4/4 3/3", "f 1 4 3");
    let file = read("mesh.obj", text).unwrap();
    assert_eq!(file.uvs, None);
    assert!(
        file.notes[0].contains("only some faces"),
        "{:?}",
        file.notes
    );
}

#[test]
fn units_and_axes_are_those_of_the_file_or_those_asked_for() {
    let triangle = "v 1 2 3\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    let stamped = format!("# toile up Z\n# toile metres_per_unit 0.01\n{triangle}");
    let first = |text: &str, options: Options| {
        let (_folder, path) = file("mesh.obj", text);
        surface::read(&path, &options).unwrap().positions[0]
    };
    let asked = Options {
        metres_per_unit: Some(2.0),
        up: Some(UpAxis::Z),
        weld_m: None,
    };
    assert_eq!(
        first(triangle, Options::default()),
        DVec3::new(1.0, 2.0, 3.0)
    );
    assert_eq!(first(triangle, asked), DVec3::new(2.0, 6.0, -4.0));
    let centimetres = first(&stamped, Options::default());
    assert!(centimetres.distance(DVec3::new(0.01, 0.03, -0.02)) < 1e-15);
    let as_metres = Options {
        metres_per_unit: Some(1.0),
        up: Some(UpAxis::Y),
        weld_m: None,
    };
    assert_eq!(first(&stamped, as_metres), DVec3::new(1.0, 2.0, 3.0));
    let (_folder, path) = file("mesh.obj", triangle);
    let nothing = Options {
        metres_per_unit: Some(0.0),
        ..Options::default()
    };
    let error = surface::read(&path, &nothing).unwrap_err();
    assert!(matches!(error, Error::Unit(0.0)));
}

#[test]
fn what_is_wrong_is_located() {
    let vertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
    for (rest, expected) in [
        (
            "f 1 2 4",
            "mesh.obj:4: there is no vertex 4: 3 are known here",
        ),
        (
            "f 1/1 2/1 3/1",
            "mesh.obj:4: there is no vertex 1: 0 are known here",
        ),
        (
            "f 1 2",
            "mesh.obj:4: expected at least three corners, found 2",
        ),
        ("v 1 x 0", "mesh.obj:4: expected a number, found `x`"),
        (
            "v 1 0 inf",
            "mesh.obj:4: expected finite coordinates, found inf",
        ),
        ("f 1 2 3\nf 1 2 3\nf 3 1 2\nf 2 2 3", ""),
        ("f 1 2 2", "mesh.obj: no triangle with an area"),
        (
            "v 1 1 1\nf 1 2 3\nv 1 1 2\nf 1 2 4\nf 2 1 5",
            "mesh.obj: 1 edges with more than two triangles: triangles 0, 1, 2",
        ),
    ] {
        let text = format!("{vertices}{rest}\n");
        if expected.is_empty() {
            let (_folder, path) = file("mesh.obj", text);
            let (_, repairs) = surface::load(&path, &Options::default()).unwrap();
            assert_eq!(
                (repairs.repeated.0, repairs.degenerate.0),
                (vec![1, 2], vec![3])
            );
            continue;
        }
        let message = refusal("mesh.obj", text);
        assert!(message.starts_with(expected), "{message}");
    }
    let many: String = (0..300).map(|k| format!("v {k} {} 0\n", k * k)).collect();
    let corners: String = (1..=300).map(|k| format!(" {k}")).collect();
    let message = refusal("mesh.obj", format!("{many}f{corners}\n"));
    assert_eq!(
        message,
        "mesh.obj:301: expected at most 255 corners, found 300"
    );
}

#[test]
fn the_weld_distance_can_be_chosen() {
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1.001 0 0\nv 0 1.001 0\nv 1 1 0\nf 1 2 3\nf 4 6 5\n";
    let (_folder, path) = file("mesh.obj", text);
    let (mesh, _) = surface::load(&path, &Options::default()).unwrap();
    assert_eq!(mesh.positions.len(), 6);
    let options = Options {
        weld_m: Some(0.01),
        ..Options::default()
    };
    let (mesh, repairs) = surface::load(&path, &options).unwrap();
    assert_eq!((mesh.positions.len(), repairs.welded), (4, vec![3, 4]));
}
