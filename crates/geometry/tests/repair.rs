//! Soups are made meshes, or refused with the triangles named.

use glam::{DVec2, DVec3};
use proptest::prelude::*;
use toile_geometry::{RepairError, Soup, Surface, TriMesh, Triangles};

/// A grid of `n` by `n` cells, two triangles each.
fn grid(n: u32) -> Soup {
    let at = |c: u32, r: u32| r * (n + 1) + c;
    let mut soup = Soup::default();
    for r in 0..=n {
        for c in 0..=n {
            let (x, z) = (f64::from(c), f64::from(r));
            soup.positions.push(DVec3::new(x, 0.1 * x * z, z));
        }
    }
    for r in 0..n {
        for c in 0..n {
            soup.triangles.push([at(c, r), at(c, r + 1), at(c + 1, r)]);
            let far = [at(c + 1, r), at(c, r + 1), at(c + 1, r + 1)];
            soup.triangles.push(far);
        }
    }
    soup
}

/// A vertex of its own for every corner, as in STL.
fn exploded(soup: &Soup) -> Soup {
    let corners = soup.triangles.iter().flatten();
    let numbers = 0..soup.triangles.len() as u32;
    Soup {
        positions: corners.map(|v| soup.positions[*v as usize]).collect(),
        triangles: numbers.map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect(),
        uvs: soup.uvs.clone(),
    }
}

/// A band of `n` cells, closed after `twists` half turns.
fn band(n: u32, twists: u32) -> Soup {
    let mut soup = Soup::default();
    for k in 0..n {
        let turn = f64::from(k) / f64::from(n) * std::f64::consts::TAU;
        let out = DVec3::new(turn.cos(), 0.0, turn.sin());
        let half = turn * f64::from(twists) / 2.0;
        let across = 0.3 * (out * half.cos() + DVec3::Y * half.sin());
        soup.positions.extend([out - across, out + across]);
    }
    for k in 0..n {
        let (a, b) = (2 * k, 2 * k + 1);
        let last = k + 1 == n;
        let (c, d) = if last { (0, 1) } else { (a + 2, b + 2) };
        let swapped = last && twists % 2 == 1;
        let (c, d) = if swapped { (d, c) } else { (c, d) };
        soup.triangles.extend([[a, b, c], [b, d, c]]);
    }
    soup
}

/// Neighbours fit together, by the checks of the type this is for.
fn fits(soup: &Soup) {
    let surface = Surface {
        rest: vec![[DVec2::ZERO, DVec2::X, DVec2::Y]; soup.triangles.len()],
        mesh: TriMesh {
            positions: soup.positions.clone(),
            faces: soup.triangles.clone(),
        },
    };
    surface.validate().unwrap();
}

fn refused(soup: &Soup) -> RepairError {
    soup.repaired(Some(1e-6)).unwrap_err()
}

#[test]
fn a_mesh_stays_as_it_is() {
    let soup = grid(4);
    let (mesh, repairs) = soup.repaired(Some(1e-6)).unwrap();
    assert_eq!(mesh, soup);
    assert!(repairs.is_clean());
    assert!(repairs.lines().is_empty());
    assert!(repairs.vertices.iter().flatten().copied().eq(0..25));
}

#[test]
fn split_vertices_become_one_and_seams_remain() {
    let mut whole = grid(3);
    let flat = |v: &u32| {
        DVec2::new(
            whole.positions[*v as usize].x,
            whole.positions[*v as usize].z,
        )
    };
    let mut uvs: Vec<[DVec2; 3]> = { whole.triangles.iter() }
        .map(|t| [flat(&t[0]), flat(&t[1]), flat(&t[2])])
        .collect();
    uvs[7] = uvs[7].map(|uv| uv + 10.0);
    whole.uvs = Some(uvs);
    let soup = exploded(&whole);
    let (mesh, repairs) = soup.repaired(Some(1e-9)).unwrap();
    assert_eq!(mesh.positions.len(), 16);
    assert_eq!(mesh.uvs, whole.uvs);
    assert_eq!(repairs.welded.len(), 3 * 18 - 16);
    for (old, new) in repairs.vertices.iter().enumerate() {
        let new = mesh.positions[new.unwrap() as usize];
        assert_eq!(new, soup.positions[old]);
    }
    fits(&mesh);
    // Without welding every triangle is alone.
    let (apart, repairs) = soup.repaired(None).unwrap();
    assert_eq!(apart, soup);
    assert!(repairs.is_clean());
}

#[test]
fn near_vertices_are_welded_but_chains_do_not_collapse() {
    let mut soup = exploded(&grid(2));
    for (k, position) in soup.positions.iter_mut().enumerate() {
        position.x += 1e-7 * (k % 3) as f64;
    }
    let (mesh, _) = soup.repaired(Some(1e-6)).unwrap();
    assert_eq!(mesh.positions.len(), 9);
    let (mesh, _) = soup.repaired(Some(1e-9)).unwrap();
    assert!(mesh.positions.len() > 9);
    // A row of vertices, each within the distance of the next.
    let mut row = Soup::default();
    for k in 0..100 {
        let x = 0.8 * f64::from(k);
        row.positions
            .extend([DVec3::new(x, 0.0, 0.0), DVec3::new(x, 50.0, 0.0)]);
    }
    row.triangles = (0..99).map(|k| [2 * k, 2 * k + 2, 2 * k + 1]).collect();
    let (mesh, _) = row.repaired(Some(1.0)).unwrap();
    for (i, p) in mesh.positions.iter().enumerate() {
        for q in &mesh.positions[..i] {
            assert!(p.distance(*q) > 1.0);
        }
    }
    assert!(mesh.positions.len() > 60);
}

#[test]
fn what_is_left_out_is_named() {
    let mut soup = grid(2);
    soup.positions.insert(0, DVec3::NAN);
    for vertex in soup.triangles.iter_mut().flatten() {
        *vertex += 1;
    }
    soup.positions.push(DVec3::splat(7.0));
    soup.positions.push(DVec3::new(0.5, -1.0, 0.0));
    soup.positions.push(DVec3::new(1.0, -2.0, 0.0));
    soup.triangles.insert(3, [4, 4, 5]);
    // Turned round and turned over, still the same triangle.
    let [a, b, c] = soup.triangles[5];
    soup.triangles.extend([[b, c, a], [c, b, a]]);
    // On a line, with nothing along its longest side.
    soup.triangles.push([1, 11, 12]);
    soup.positions[1] = DVec3::ZERO;
    let (mesh, repairs) = soup.repaired(Some(1e-9)).unwrap();
    assert_eq!(repairs.degenerate, Triangles(vec![3, 11]));
    assert_eq!(repairs.repeated, Triangles(vec![9, 10]));
    assert_eq!(repairs.isolated, [0, 10, 11, 12]);
    assert_eq!(repairs.triangles, [0, 1, 2, 4, 5, 6, 7, 8]);
    assert_eq!(repairs.vertices[0], None);
    assert_eq!(repairs.vertices[1], Some(0));
    assert_eq!(mesh.positions.len(), 9);
    fits(&mesh);
    let lines = repairs.lines().join("\n");
    assert!(
        lines.contains("2 triangles left out, there already: 9, 10"),
        "{lines}"
    );
}

#[test]
fn the_fewer_are_turned_over() {
    let mut soup = grid(3);
    soup.uvs = Some(vec![[DVec2::ZERO, DVec2::X, DVec2::Y]; 18]);
    let other = exploded(&soup);
    let turned = [2, 3, 11];
    for t in turned {
        soup.triangles[t].swap(0, 1);
        soup.uvs.as_mut().unwrap()[t].swap(0, 1);
    }
    let (mesh, repairs) = soup.repaired(Some(1e-9)).unwrap();
    assert_eq!(repairs.turned, Triangles(vec![2, 3, 11]));
    assert_eq!(repairs.lines().len(), 1);
    fits(&mesh);
    // Texture coordinates go with their corners.
    for (t, corners) in mesh.triangles.iter().enumerate() {
        for (k, vertex) in corners.iter().enumerate() {
            let was = soup.triangles[t].iter().position(|v| v == vertex).unwrap();
            assert_eq!(
                mesh.uvs.as_ref().unwrap()[t][k],
                soup.uvs.as_ref().unwrap()[t][was]
            );
        }
    }
    // Pieces that are not joined are judged each alone.
    let mut apart = other;
    apart.triangles[1].swap(0, 1);
    let (_, repairs) = apart.repaired(None).unwrap();
    assert!(repairs.is_clean());
}

#[test]
fn bands_with_two_sides_are_kept_and_with_one_refused() {
    let (mesh, repairs) = band(12, 2).repaired(Some(1e-9)).unwrap();
    assert!(repairs.is_clean());
    fits(&mesh);
    let mut strip = band(12, 1);
    strip
        .positions
        .extend([DVec3::X * 9.0, DVec3::X * 10.0, DVec3::Y]);
    strip.triangles.insert(0, [24, 25, 26]);
    let RepairError::NonOrientable { triangles } = refused(&strip) else {
        panic!("a strip with one side");
    };
    // The loop is the whole strip, in order, and not the triangle before it.
    let mut around = triangles.0.clone();
    around.sort_unstable();
    assert!(around.iter().copied().eq(1..25), "{triangles}");
    for pair in triangles.0.windows(2) {
        let [one, other] = [pair[0], pair[1]].map(|t| strip.triangles[t as usize]);
        assert_eq!(one.iter().filter(|v| other.contains(v)).count(), 2);
    }
}

#[test]
fn fins_are_refused() {
    let mut soup = grid(2);
    soup.positions.push(DVec3::new(1.0, 5.0, 0.5));
    soup.triangles.insert(1, [1, 4, 9]);
    let error = refused(&soup);
    let RepairError::NonManifold {
        edges: 1,
        triangles,
    } = &error
    else {
        panic!("{error}");
    };
    assert!(triangles.0.contains(&1) && triangles.0.len() == 3);
    for &t in &triangles.0 {
        let corners = soup.triangles[t as usize];
        assert!(corners.contains(&1) && corners.contains(&4));
    }
}

#[test]
fn slits_are_refused() {
    // The middle of an edge lies on it, and one of three triangles is flat.
    let corners = [(0.0, 0.0), (2.0, 0.0), (1.0, 0.0), (1.0, -1.0), (1.0, 1.0)];
    let soup = Soup {
        positions: corners.map(|(x, y)| DVec3::new(x, y, 0.0)).to_vec(),
        triangles: vec![[0, 3, 1], [0, 1, 2], [0, 2, 4], [2, 1, 4]],
        uvs: None,
    };
    let triangles = Triangles(vec![1]);
    assert_eq!(refused(&soup), RepairError::Slits { triangles });
}

#[test]
fn numbers_that_are_none_are_named() {
    let mut soup = grid(2);
    soup.positions[4].y = f64::INFINITY;
    let users = |v: u32| {
        let corners = soup.triangles.iter().enumerate();
        let users = corners.filter(|(_, t)| t.contains(&v));
        users.map(|(t, _)| t as u32).collect::<Triangles>()
    };
    let triangles = users(4);
    assert_eq!(refused(&soup), RepairError::NotFinite { triangles });
    let mut soup = grid(2);
    soup.uvs = Some(vec![[DVec2::ZERO, DVec2::X, DVec2::Y]; 8]);
    soup.uvs.as_mut().unwrap()[6][1].y = f64::NAN;
    let triangles = Triangles(vec![6]);
    assert_eq!(refused(&soup), RepairError::NotFinite { triangles });
    soup.triangles[2][1] = 9;
    let error = refused(&soup);
    let triangles = Triangles(vec![2]);
    assert_eq!(
        error,
        RepairError::OutOfRange {
            count: 9,
            triangles
        }
    );
    soup.uvs.as_mut().unwrap().pop();
    let lengths = RepairError::Lengths {
        triangles: 8,
        uvs: 7,
    };
    assert_eq!(refused(&soup), lengths);
    assert_eq!(refused(&Soup::default()), RepairError::Empty);
    let distance = grid(1).repaired(Some(-1.0)).unwrap_err();
    assert_eq!(distance, RepairError::Distance(-1.0));
}

#[test]
fn long_lists_are_cut_in_messages_alone() {
    let mut soup = grid(4);
    for vertex in soup.triangles.iter_mut().flatten() {
        *vertex += 100;
    }
    let error = refused(&soup);
    let message = error.to_string();
    assert!(
        message.contains("triangles 0, 1, 2, 3, 4, 5, 6, 7 and 24 more"),
        "{message}"
    );
    let RepairError::OutOfRange { triangles, .. } = error else {
        panic!("{error}");
    };
    assert_eq!(triangles.0.len(), 32);
}

#[test]
fn pieces_that_touch_stay_joined() {
    let soup = Soup {
        positions: vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::NEG_X, DVec3::NEG_Y],
        triangles: vec![[0, 1, 2], [0, 3, 4]],
        uvs: None,
    };
    let (mesh, repairs) = soup.repaired(Some(1e-9)).unwrap();
    assert_eq!(mesh, soup);
    assert_eq!(repairs.touching, [0]);
    assert!(repairs.is_clean());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever comes in, what comes out fits together, and the maps lead there.
    #[test]
    fn any_soup_is_repaired_or_refused(
        places in prop::collection::vec((0..5i32, 0..5i32, 0..3i32), 30),
        triangles in prop::collection::vec(prop::array::uniform3(0..30u32), 1..12),
    ) {
        let positions: Vec<DVec3> = { places.iter() }
            .map(|(x, y, z)| DVec3::new((*x).into(), (*y).into(), (*z).into()))
            .collect();
        let soup = Soup { positions, triangles, uvs: None };
        if let Ok((mesh, repairs)) = soup.repaired(Some(1e-3)) {
            fits(&mesh);
            let gone = [&repairs.degenerate, &repairs.repeated].map(|t| t.0.len());
            prop_assert_eq!(mesh.triangles.len() + gone[0] + gone[1], soup.triangles.len());
            for (new, old) in repairs.triangles.iter().enumerate() {
                let was = soup.triangles[*old as usize].map(|v| repairs.vertices[v as usize]);
                let mut was = was.map(Option::unwrap);
                if repairs.turned.0.contains(old) {
                    was.swap(1, 2);
                }
                prop_assert_eq!(was, mesh.triangles[new]);
            }
            for (old, new) in repairs.vertices.iter().enumerate() {
                match new {
                    Some(new) => prop_assert_eq!(mesh.positions[*new as usize], soup.positions[old]),
                    None => prop_assert!(repairs.isolated.contains(&(old as u32))),
                }
            }
            // Repairing what is repaired does nothing.
            let (again, repairs) = mesh.repaired(Some(1e-3)).unwrap();
            prop_assert_eq!(again, mesh);
            prop_assert!(repairs.is_clean());
        }
    }
}
