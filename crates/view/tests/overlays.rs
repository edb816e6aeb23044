//! Keys and captions over pictures, and lists of facts.

use toile_view::Image;
use toile_view::plot::{ColorScale, Facts, Figure, Overlay};

const SIZE: [usize; 2] = [640, 360];
const PAPER: [u8; 3] = [90, 90, 90];

fn page() -> Image {
    Image::filled(SIZE[0], SIZE[1], PAPER)
}

/// Left, top, right and bottom of the pixels for which `is` holds.
fn extent(image: &Image, is: impl Fn([u8; 3]) -> bool) -> Option<[usize; 4]> {
    let mut found: Option<[usize; 4]> = None;
    for y in 0..image.height {
        for x in 0..image.width {
            if image.pixel(x, y).is_some_and(&is) {
                let [l, t, r, b] = found.unwrap_or([x, y, x, y]);
                found = Some([l.min(x), t.min(y), r.max(x), b.max(y)]);
            }
        }
    }
    found
}

fn srgb(scale: &ColorScale, value: f64) -> [f32; 3] {
    let color = scale.color(value);
    [color.r, color.g, color.b]
}

#[test]
fn colours_go_from_end_to_end_and_no_further() {
    let heat = ColorScale::new("speed", "m/s", [0.0, 2.0]);
    let light = |value| srgb(&heat, value).iter().sum::<f32>();
    assert!(light(0.0) < light(1.0) && light(1.0) < light(2.0));
    assert_eq!(srgb(&heat, 5.0), srgb(&heat, 2.0));
    assert_eq!(srgb(&heat, -5.0), srgb(&heat, 0.0));
    let signed = ColorScale::new("strain", "%", [-1.0, 1.0]).signed();
    let [r, _, b] = srgb(&signed, 0.7);
    assert!(r > 2.0 * b, "more is red");
    let [r, _, b] = srgb(&signed, -0.7);
    assert!(b > 2.0 * r, "less is blue");
    let [r, g, b] = srgb(&signed, f64::NAN);
    assert!(
        (r - g).abs() < 0.1 && (g - b).abs() < 0.1,
        "nothing is grey"
    );
}

#[test]
fn a_key_stays_in_its_corner_and_shows_its_colours() {
    let scale = ColorScale::new("shear angle", "°", [-4.0, 4.0]).signed();
    let mut image = page();
    Overlay::new(SIZE[0], SIZE[1]).key(&scale).draw(&mut image);
    let [left, top, right, bottom] = extent(&image, |p| p != PAPER).unwrap();
    let height = ColorScale::key_height(SIZE[0], SIZE[1]);
    assert!(left > 0 && right < SIZE[0] / 2, "{left} to {right}");
    assert!(
        bottom < SIZE[1] && top >= SIZE[1] - height,
        "{top} to {bottom}"
    );
    let [blue, red] = [
        extent(&image, |[r, _, b]| b > r && b - r > 80).unwrap(),
        extent(&image, |[r, _, b]| r > b && r - b > 80).unwrap(),
    ];
    assert!(blue[2] < red[0], "negative is at the left");
    // Another unit is written with other letters.
    let mut other = page();
    let scale = ColorScale::new("shear angle", "rad", [-4.0, 4.0]).signed();
    Overlay::new(SIZE[0], SIZE[1]).key(&scale).draw(&mut other);
    assert!(image != other);
}

#[test]
fn captions_lie_in_their_own_view() {
    let mut image = page();
    let view = [320, 180, 320, 180];
    Overlay::new(SIZE[0], SIZE[1])
        .caption("frame 12, 0.20 s", view)
        .draw(&mut image);
    let [left, top, right, bottom] = extent(&image, |p| p != PAPER).unwrap();
    assert!(
        (320..324).contains(&left) && right < 640,
        "{left} to {right}"
    );
    assert!(
        (180..184).contains(&top) && bottom < 230,
        "{top} to {bottom}"
    );
    let ink = extent(&image, |[r, g, b]| r < 70 && g < 70 && b < 70);
    assert!(ink.is_some(), "there are words");
    let mut same = page();
    Overlay::new(SIZE[0], SIZE[1]).draw(&mut same);
    assert!(same == page(), "nothing changes nothing");
}

#[test]
fn facts_fit_their_frame_however_many() {
    for count in [1, 14, 60] {
        let mut facts = Facts::new("a scene with a name that is rather long for its frame");
        for i in 0..count {
            facts = facts.with(format!("fact number {i}"), "a value of some length");
        }
        let image = facts.sized(300, 400).image();
        let [left, top, right, bottom] = extent(&image, |[r, ..]| r < 200).unwrap();
        assert!(left >= 10 && right < 290, "{count}: {left} to {right}");
        assert!(top >= 10 && bottom < 390, "{count}: {top} to {bottom}");
    }
}
