//! Scenes with the mannequin as a body.

use glam::DVec3;
use toile_io::scene;

fn with(character: &str) -> String {
    format!(
        r#"
frames = 2
[[cloth]]
grid = {{ size_m = [0.4, 0.4], particles = [5, 5], center = [0, 2, 0] }}
[[collider]]
shape = {{ mesh = {{ character = {character} }} }}
"#
    )
}

#[test]
fn a_mannequin_of_some_measurements_walks() {
    let text = with(r#"{ mannequin = { bust_m = 0.95, sex = "male" }, clip = "walk" }"#);
    let scene = scene::parse(&text, "s.toml", &[]).unwrap();
    let body = &scene.model.bodies[0];
    assert!(body.vertices() > 7_000);
    let middle = |time_s: f64| {
        let positions = body.positions(time_s);
        positions.iter().sum::<DVec3>() / positions.len() as f64
    };
    let [start, later] = [0.0, 1.0].map(middle);
    assert!((0.7..1.6).contains(&(later.z - start.z)));
    assert!((start.y - later.y).abs() < 0.06 && start.x.abs() < 0.05);
}

#[test]
fn what_nobody_measures_is_shown_where_it_is_written() {
    let refused = |character: &str| {
        let error = scene::parse(&with(character), "s.toml", &[]).unwrap_err();
        error.to_string()
    };
    let text = refused("{ mannequin = { waist_m = 1.4 } }");
    assert!(
        text.contains("waist is 1.4 m") && text.contains("s.toml"),
        "{text}"
    );
    let text = refused(r#"{ mannequin = { size = "XXXXL" } }"#);
    assert!(text.contains("XXL"), "{text}");
    let text = refused(r#"{ clip = "walk" }"#);
    assert!(text.contains("either `file` or `mannequin`"), "{text}");
    let text = refused(r#"{ mannequin = {}, clip = "wlak" }"#);
    assert!(text.contains("walk"), "{text}");
}
