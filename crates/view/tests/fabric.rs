//! What makes cloth readable: folds, threads, edges, colours that keep to their key, a horizon.

use glam::{DVec2, DVec3};
use toile_view::{Camera, Color, Ground, Image, RenderOptions, Renderer, Samples, Stage, Surface};
use toile_view::{Weave, shapes};

const WIDTH: usize = 320;
const HEIGHT: usize = 180;
/// Pixels of a metre at the origin, seen from (0, 0, 2).
const PX_PER_M: f64 = HEIGHT as f64 / 4.0;

fn draw(surface: Surface, light: DVec3) -> Image {
    let mut renderer = Renderer::new(RenderOptions {
        width: WIDTH,
        height: HEIGHT,
        samples: Samples::Four,
    });
    let stage = Stage {
        surfaces: vec![surface],
        background: Color::linear(0.0, 0.0, 0.0),
        light: Some(light),
        ..Stage::default()
    };
    let camera = Camera::looking(DVec3::Z * 2.0, DVec3::ZERO, std::f64::consts::FRAC_PI_2);
    renderer.render(&stage, &camera)
}

fn brightness(image: &Image, x: f64, y: f64) -> u32 {
    let at = [
        0.5 * WIDTH as f64 + PX_PER_M * x,
        0.5 * HEIGHT as f64 - PX_PER_M * y,
    ];
    let pixel = image.pixel(at[0] as usize, at[1] as usize).unwrap();
    pixel.into_iter().map(u32::from).sum()
}

/// A sheet of 3 m by 2 m with folds along y, and its pattern.
fn folded(height_m: f64, folds_per_m: f64) -> (Vec<DVec3>, Vec<DVec2>, Vec<[u32; 3]>) {
    let (columns, rows) = (121, 21);
    let mut positions = Vec::new();
    for v in 0..columns * rows {
        let share = |k: u32, count: u32| f64::from(k) / f64::from(count - 1) - 0.5;
        let (x, y) = (
            3.0 * share(v % columns, columns),
            2.0 * share(v / columns, rows),
        );
        let z = height_m * (std::f64::consts::TAU * folds_per_m * x).cos();
        positions.push(DVec3::new(x, y, z));
    }
    let uv = positions.iter().map(|p| p.truncate()).collect();
    let mut faces = Vec::new();
    for j in 0..rows - 1 {
        for i in 0..columns - 1 {
            let a = j * columns + i;
            let (b, c, d) = (a + 1, a + columns, a + columns + 1);
            faces.extend([[a, b, d], [a, d, c]]);
        }
    }
    (positions, uv, faces)
}

/// With the light behind the camera, ridges and hollows face it alike and throw no shadows.
#[test]
fn ridges_are_brighter_than_hollows_on_both_sides() {
    let (mut positions, _, faces) = folded(0.08, 2.0);
    let grey = Color::srgb(0x909090);
    for turned in [false, true] {
        if turned {
            // The same shape, shown from its back.
            positions.iter_mut().for_each(|p| p.x = -p.x);
        }
        let surface = Surface {
            front: grey,
            back: grey,
            ..Surface::cloth(&positions, &faces)
        };
        let image = draw(surface, DVec3::Z);
        let (ridge, hollow) = (brightness(&image, 0.0, 0.1), brightness(&image, 0.25, 0.1));
        assert!(
            20 * ridge > 21 * hollow,
            "{ridge} on a ridge, {hollow} between"
        );
    }
}

/// Smallest and largest brightness along the middle of the picture.
fn spread(image: &Image) -> (u32, u32) {
    let row = (-40..=40).map(|i| brightness(image, f64::from(i) / 50.0, 0.31));
    row.fold((u32::MAX, 0), |(low, high), b| (low.min(b), high.max(b)))
}

#[test]
fn threads_show_where_they_are_wide_enough() {
    let (positions, uv, faces) = folded(0.0, 1.0);
    let woven = |pitch_m: f64| Surface {
        weave: Some(Weave { uv: &uv, pitch_m }),
        ..Surface::cloth(&positions, &faces)
    };
    // Nine pixels a thread, and a quarter of one.
    let (low, high) = spread(&draw(woven(0.2), DVec3::Z));
    assert!(high > low + 20, "{low} to {high}");
    let plain = draw(Surface::cloth(&positions, &faces), DVec3::Z);
    assert!(
        draw(woven(0.005), DVec3::Z) == plain,
        "finer ones are not drawn"
    );
}

#[test]
fn wireframes_darken_edges_and_nothing_else() {
    let positions =
        [(-1.5, -1.0), (1.5, -1.0), (1.5, 1.0), (-1.5, 1.0)].map(|(x, y)| DVec3::new(x, y, 0.0));
    let faces = [[0, 1, 2], [0, 2, 3]];
    let plain = draw(Surface::cloth(&positions, &faces), DVec3::Z);
    let wire = draw(
        Surface {
            wireframe: true,
            ..Surface::cloth(&positions, &faces)
        },
        DVec3::Z,
    );
    for x in [-0.9, -0.3, 0.6] {
        // On the diagonal, and well away from it.
        let on = [&plain, &wire].map(|image| brightness(image, x, x / 1.5));
        assert!(3 * on[1] < 2 * on[0], "{on:?} at {x}");
        let off = [&plain, &wire].map(|image| brightness(image, x, x / 1.5 + 0.3));
        assert_eq!(off[0], off[1], "at {x}");
    }
}

/// A ball lit from the right: how much brighter its right side is than its left.
#[test]
fn colours_that_are_to_be_read_keep_to_their_key() {
    let ball = shapes::sphere(DVec3::ZERO, 0.8);
    let color = Color::srgb(0x4f86bf);
    let colors = vec![color; ball.positions.len()];
    let contrast = |surface: Surface| {
        let image = draw(surface, DVec3::new(1.0, 0.1, 0.4));
        let [left, right] = [-0.6, 0.6].map(|x| f64::from(brightness(&image, x, 0.0)));
        right / left
    };
    let plain = Surface {
        front: color,
        back: color,
        ..Surface::cloth(&ball.positions, &ball.faces)
    };
    let shown = Surface {
        colors: Some(&colors),
        ..plain.clone()
    };
    let (plain, shown) = (contrast(plain), contrast(shown));
    assert!(plain > 1.3, "{plain}");
    // The form is still seen, but much less of it.
    let share = (shown - 1.0) / (plain - 1.0);
    assert!((0.1..0.6).contains(&share), "{shown} instead of {plain}");
}

#[test]
fn floor_and_sky_meet_at_the_horizon() {
    let mut renderer = Renderer::new(RenderOptions {
        width: WIDTH,
        height: HEIGHT,
        samples: Samples::Four,
    });
    let stage = Stage {
        ground: Some(Ground::default()),
        ..Stage::default()
    };
    let camera = Camera::looking(DVec3::Y, DVec3::new(0.0, 1.0, -2.0), 0.6);
    let image = renderer.render(&stage, &camera);
    let rows: Vec<[f64; 3]> = (0..HEIGHT)
        .map(|y| image.pixel(WIDTH / 2, y).unwrap().map(f64::from))
        .collect();
    let warmth = |[r, _, b]: [f64; 3]| r - b;
    for (y, row) in rows.iter().enumerate() {
        // A level camera has the horizon in its middle: cool above, warm below.
        let warm = warmth(*row) > 0.0;
        assert_eq!(warm, y >= HEIGHT / 2, "row {y}: {row:?}");
    }
    let [above, below] = [HEIGHT / 2 - 2, HEIGHT / 2 + 1].map(|y| rows[y][1]);
    assert!(
        above > below && above < 1.12 * below,
        "{above} over {below}"
    );
}
