//! Pictures against closed forms, and against input that is broken.

use glam::DVec3;
use toile_view::{Camera, Color, Ground, Image, RenderOptions, Renderer, Samples, Stage, Surface};
use toile_view::{Rim, Weave, shapes};

const WIDTH: usize = 320;
const HEIGHT: usize = 180;
/// Half the height of what is seen at unit distance is then exactly 1.
const FOV_RAD: f64 = std::f64::consts::FRAC_PI_2;

fn renderer() -> Renderer {
    Renderer::new(RenderOptions {
        width: WIDTH,
        height: HEIGHT,
        samples: Samples::Four,
    })
}

/// From (0, 0, 2) towards the origin: one metre there is 45 pixels.
fn camera() -> Camera {
    Camera::looking(DVec3::Z * 2.0, DVec3::ZERO, FOV_RAD)
}

const PX_PER_M: f64 = HEIGHT as f64 / 4.0;

fn colored<'a>(positions: &'a [DVec3], faces: &'a [[u32; 3]], hex: u32) -> Surface<'a> {
    Surface {
        front: Color::srgb(hex),
        back: Color::srgb(hex),
        ..Surface::solid(positions, faces)
    }
}

fn stage(surfaces: Vec<Surface>) -> Stage {
    Stage {
        surfaces,
        background: Color::linear(0.0, 0.0, 0.0),
        light: Some(DVec3::Z),
        ..Stage::default()
    }
}

fn square(half: f64, z: f64) -> [DVec3; 4] {
    [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
        .map(|(x, y)| DVec3::new(half * x, half * y, z))
}

const SQUARE: [[u32; 3]; 2] = [[0, 1, 2], [0, 2, 3]];

/// Sum over all pixels of how far they are from black, in pixels fully covered; for a picture
/// of one flat colour. The tone curve acts before samples are averaged, so cover is linear in
/// decoded light.
fn cover(image: &Image) -> f64 {
    let decode = |v: u8| {
        let v = f64::from(v) / 255.0;
        if v <= 0.04045 {
            v / 12.92
        } else {
            ((v + 0.055) / 1.055).powf(2.4)
        }
    };
    let light: Vec<f64> = image.rgb.chunks(3).map(|p| decode(p[0])).collect();
    let full = light.iter().copied().fold(0.0, f64::max);
    light.iter().map(|l| l / full).sum()
}

fn brightness(image: &Image, x: usize, y: usize) -> u32 {
    image
        .pixel(x, y)
        .unwrap()
        .iter()
        .map(|v| u32::from(*v))
        .sum()
}

#[test]
fn shared_edges_leave_no_gap() {
    // A fan of slivers around an odd point, all of it inside the square.
    let mut positions = vec![DVec3::new(0.137, -0.291, 0.0)];
    let count = 97;
    for i in 0..count {
        let (sin, cos) = (f64::from(i) / f64::from(count) * std::f64::consts::TAU).sin_cos();
        positions.push(DVec3::new(1.5 * cos, 1.5 * sin, 0.0));
    }
    let faces: Vec<[u32; 3]> = (0..count as u32)
        .map(|i| [0, 1 + i, 1 + (i + 1) % count as u32])
        .collect();
    let image = renderer().render(
        &stage(vec![colored(&positions, &faces, 0xffffff)]),
        &camera(),
    );
    for y in 0..HEIGHT {
        for x in 0..WIDTH {
            let (dx, dy) = (x as f64 + 0.5 - 160.0, y as f64 + 0.5 - 90.0);
            if dx.hypot(dy) < 1.45 * PX_PER_M {
                assert!(brightness(&image, x, y) > 300, "hole at {x}, {y}");
            }
        }
    }
}

#[test]
fn partly_covered_pixels_are_partly_bright() {
    // The square ends in the middle of a pixel column: 45 pixels a metre, 10.5 pixels to a side.
    let positions = square(10.5 / PX_PER_M, 0.0);
    let image = renderer().render(
        &stage(vec![colored(&positions, &SQUARE, 0x808080)]),
        &camera(),
    );
    let area = 21.0 * 21.0;
    assert!(
        (cover(&image) / area - 1.0).abs() < 0.04,
        "{}",
        cover(&image)
    );
}

#[test]
fn a_sheet_seen_from_its_edge_is_as_thick_as_its_rim() {
    // Level with the eye, the sheet itself is a line without width.
    let positions = square(0.5, 0.0).map(|p| DVec3::new(p.x, 0.0, p.y));
    let edges = [[0, 1], [1, 2], [2, 3], [3, 0], [0, 9]];
    let picture = |thickness_m: f64| {
        let surface = Surface {
            rim: Some(Rim {
                edges: &edges,
                thickness_m,
            }),
            ..colored(&positions, &SQUARE, 0x808080)
        };
        renderer().render(&stage(vec![surface]), &camera())
    };
    // The front edge is at a distance of 1.5 m; what is behind it is hidden.
    let px_per_m = PX_PER_M * 2.0 / 1.5;
    let area = (1.0 * px_per_m) * (0.2 * px_per_m);
    let covered = cover(&picture(0.2));
    assert!((covered / area - 1.0).abs() < 0.06, "{covered} vs {area}");
    let without = picture(0.0);
    let lit = without.rgb.chunks(3).filter(|p| p[0] > 100).count();
    assert_eq!(lit, 0);
}

#[test]
fn nearer_surfaces_hide_farther_ones_in_any_order() {
    let (near, far) = (square(0.5, 0.3), square(1.0, -0.3));
    let red = colored(&near, &SQUARE, 0xc02020);
    let blue = colored(&far, &SQUARE, 0x2020c0);
    for surfaces in [vec![red.clone(), blue.clone()], vec![blue, red]] {
        let image = renderer().render(&stage(surfaces), &camera());
        let [r, _, b] = image.pixel(160, 90).unwrap();
        assert!(r > 2 * b, "{r} {b}");
        let [r, _, b] = image.pixel(160 + 35, 90).unwrap();
        assert!(b > 2 * r, "{r} {b}");
    }
}

#[test]
fn the_back_has_its_own_colour() {
    let positions = square(1.0, 0.0);
    let surface = Surface {
        front: Color::srgb(0xc02020),
        back: Color::srgb(0x2020c0),
        ..Surface::cloth(&positions, &SQUARE)
    };
    let stage = stage(vec![surface]);
    let [r, _, b] = renderer().render(&stage, &camera()).pixel(160, 90).unwrap();
    assert!(r > 2 * b, "front {r} {b}");
    let behind = Camera::looking(DVec3::Z * -2.0, DVec3::ZERO, FOV_RAD);
    let [r, _, b] = renderer().render(&stage, &behind).pixel(160, 90).unwrap();
    assert!(b > 2 * r, "back {r} {b}");
}

#[test]
fn vertex_colours_replace_the_sides() {
    let positions = square(1.0, 0.0);
    let colors = [0x20c020; 4].map(Color::srgb);
    let surface = Surface {
        colors: Some(&colors),
        ..colored(&positions, &SQUARE, 0xc02020)
    };
    let [r, g, _] = renderer()
        .render(&stage(vec![surface]), &camera())
        .pixel(160, 90)
        .unwrap();
    assert!(g > 2 * r, "{r} {g}");
}

/// A level square 0.5 m above the floor, light from straight above, seen from the side.
#[test]
fn a_floating_square_shades_the_floor_below_it_only() {
    let positions = [(-1.0, 1.0), (1.0, 1.0), (1.0, -1.0), (-1.0, -1.0)]
        .map(|(x, z)| DVec3::new(0.4 * x, 0.5, 0.4 * z));
    let stage = Stage {
        surfaces: vec![Surface::cloth(&positions, &SQUARE)],
        ground: Some(Ground { height_m: 0.0 }),
        light: Some(DVec3::Y),
        ..Stage::default()
    };
    let camera = Camera::looking(DVec3::new(0.0, 0.4, 3.0), DVec3::new(0.0, 0.2, 0.0), 0.5);
    let image = renderer().render(&stage, &camera);
    let on_screen = |p: DVec3| {
        let [right, up, forward] = camera.axes();
        let p = p - camera.eye;
        let focal = 90.0 / 0.25f64.tan() / p.dot(forward);
        (
            (160.0 + focal * p.dot(right)) as usize,
            (90.0 - focal * p.dot(up)) as usize,
        )
    };
    let at = |x: f64, z: f64| {
        let (x, y) = on_screen(DVec3::new(x, 0.0, z));
        brightness(&image, x, y)
    };
    let below = at(0.05, 0.07);
    for (x, z) in [(0.75, 0.07), (-0.75, 0.07), (0.05, 0.8)] {
        assert!(
            4 * below < 3 * at(x, z),
            "{below} below, {} at {x}, {z}",
            at(x, z)
        );
    }
    // The penumbra is between the two.
    let edge = at(0.4, 0.07);
    assert!(below < edge && edge < at(0.75, 0.07), "{below} {edge}");
}

#[test]
fn a_lit_sphere_has_no_shadow_acne() {
    // Seen along the light, nothing shades anything: brightness falls evenly from the middle.
    let ball = shapes::sphere(DVec3::ZERO, 1.0);
    let camera = Camera::looking(DVec3::Z * 4.0, DVec3::ZERO, 0.6);
    let image = renderer().render(
        &stage(vec![colored(&ball.positions, &ball.faces, 0xb0b0b0)]),
        &camera,
    );
    let row: Vec<u32> = (160..220).map(|x| brightness(&image, x, 90)).collect();
    for (i, pair) in row.windows(2).enumerate() {
        assert!(
            pair[1] <= pair[0] + 6,
            "dark spot before pixel {i}: {row:?}"
        );
    }
}

#[test]
fn threads_do_not_change_a_byte() {
    let ball = shapes::sphere(DVec3::new(0.0, 0.5, 0.0), 0.4);
    let sheet = square(0.9, 0.1);
    let stage = Stage {
        surfaces: vec![
            Surface::solid(&ball.positions, &ball.faces),
            Surface::cloth(&sheet, &SQUARE),
        ],
        ground: Some(Ground::default()),
        ..Stage::default()
    };
    let camera = Camera::fit(stage.bounds(), DVec3::new(0.4, 0.4, 1.0), 16.0 / 9.0);
    let draw = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| renderer().render(&stage, &camera))
    };
    let alone = draw(1);
    assert!(alone == draw(3));
    // Nor does what was drawn before.
    let mut used = renderer();
    used.render(&Stage::default(), &camera);
    assert!(alone == used.render(&stage, &camera));
}

/// What a standing camera keeps from frame to frame must not show, whatever moves in front of it
/// and however low the light is.
#[test]
fn a_film_has_the_same_bytes_as_single_pictures() {
    let camera = Camera::looking(DVec3::new(0.0, 1.2, 4.0), DVec3::Y * 0.4, 0.7);
    let mut film = renderer();
    for light in [None, Some(DVec3::new(1.0, 0.06, 0.0))] {
        for frame in 0..4 {
            let center = DVec3::new(f64::from(frame) - 1.5, 0.45, 0.2);
            let ball = shapes::sphere(center, 0.3);
            let stage = Stage {
                surfaces: vec![Surface::solid(&ball.positions, &ball.faces)],
                ground: Some(Ground::default()),
                light,
                ..Stage::default()
            };
            let kept = film.render(&stage, &camera);
            assert!(kept == renderer().render(&stage, &camera), "frame {frame}");
        }
    }
}

#[test]
fn broken_input_is_left_out() {
    let good = square(0.5, 0.0).to_vec();
    let expected = renderer().render(&stage(vec![colored(&good, &SQUARE, 0x808080)]), &camera());
    let mut positions = good;
    positions.extend([
        DVec3::NAN,
        DVec3::INFINITY,
        DVec3::splat(1e300),
        DVec3::splat(-1e30),
    ]);
    let mut faces = SQUARE.to_vec();
    faces.extend([
        [0, 1, 4],
        [4, 4, 4],
        [1, 5, 2],
        [0, 6, 1],
        [2, 7, 3],
        [0, 1, 99],
    ]);
    faces.extend([[0, 0, 1], [2, 2, 2]]);
    let surface = Surface {
        colors: Some(&[]),
        weave: Some(Weave {
            uv: &[],
            pitch_m: f64::NAN,
        }),
        ..colored(&positions, &faces, 0x808080)
    };
    let image = renderer().render(&stage(vec![surface]), &camera());
    assert!(image == expected);
}

#[test]
fn an_empty_stage_is_background() {
    for ground in [
        None,
        Some(Ground { height_m: -1.0 }),
        Some(Ground { height_m: f64::NAN }),
    ] {
        let empty = Stage {
            ground,
            ..Stage::default()
        };
        let image = renderer().render(&empty, &camera());
        assert_eq!(image.rgb.len(), 3 * WIDTH * HEIGHT);
        assert!(image.rgb.iter().all(|v| *v > 100));
    }
}

#[test]
fn odd_cameras_do_no_harm() {
    let positions = square(0.5, 0.0);
    let stage = Stage {
        ground: Some(Ground::default()),
        ..stage(vec![colored(&positions, &SQUARE, 0x808080)])
    };
    for eye in [DVec3::ZERO, DVec3::Y * 3.0, DVec3::NAN, DVec3::splat(1e200)] {
        for fov in [0.0, f64::NAN, 10.0, 0.5] {
            renderer().render(&stage, &Camera::looking(eye, DVec3::ZERO, fov));
        }
    }
    let mut tiny = Renderer::new(RenderOptions {
        width: 0,
        height: 1,
        samples: Samples::One,
    });
    assert_eq!(tiny.render(&stage, &camera()).rgb.len(), 3);
}

#[test]
fn what_is_behind_the_camera_is_cut_away() {
    // A floor of two triangles that pass under the eye and far behind it.
    let positions = [(-50.0, 50.0), (50.0, 50.0), (50.0, -50.0), (-50.0, -50.0)]
        .map(|(x, z)| DVec3::new(x, -1.0, z));
    let level = Camera::looking(DVec3::ZERO, DVec3::NEG_Z, FOV_RAD);
    let image = renderer().render(
        &Stage {
            light: Some(DVec3::Y),
            ..stage(vec![colored(&positions, &SQUARE, 0x808080)])
        },
        &level,
    );
    // It fills the picture up to its far edge, 1 in 50 below the horizon, and no more.
    for x in 0..WIDTH {
        assert_eq!(brightness(&image, x, 89), 0);
        for y in 93..HEIGHT {
            assert!(brightness(&image, x, y) > 100, "{x} {y}");
        }
    }
    let away = Camera::looking(DVec3::ZERO, DVec3::Y, FOV_RAD);
    let image = renderer().render(&stage(vec![colored(&positions, &SQUARE, 0x808080)]), &away);
    assert!(image.rgb.iter().all(|v| *v == 0));
}
