//! `[contact]` in scene files: what is freed, what answers contact, and what is refused.

use toile_io::scene;
use toile_sim::{ClothContact, Response};

fn load(contact: &str) -> Result<scene::Scene, String> {
    let text = format!(
        "[contact]\n{contact}\n[[cloth]]\ngrid = {{ size_m = [0.2, 0.2], particles = [5, 5] }}\n"
    );
    scene::parse(&text, "contact", &[]).map_err(|error| error.to_string())
}

#[test]
fn the_solver_answers_contact_and_what_is_crossed_is_freed_unless_the_scene_says_otherwise() {
    let scene = load("cloth = true").unwrap();
    assert_eq!(scene.config.response, Response::Solver);
    assert!(scene.config.untangle);
    let scene = load("cloth = true\nuntangle = false\nfriction = 0.2").unwrap();
    assert_eq!(scene.config.contact, Some(ClothContact { friction: 0.2 }));
    assert!(!scene.config.untangle);
}

/// The same with a material of the cloth.
fn load_thick(contact: &str, thickness: &str) -> Result<scene::Scene, String> {
    let text = format!(
        "{contact}\n[[cloth]]\ngrid = {{ size_m = [0.2, 0.2], particles = [5, 5] }}\n\
         material = {{ thickness_m = {thickness} }}\n"
    );
    scene::parse(&text, "contact", &[]).map_err(|error| error.to_string())
}

#[test]
fn cloth_without_a_thickness_meets_nothing() {
    for thickness in ["0", "9e-7"] {
        let error = load_thick("contact.cloth = true", thickness).unwrap_err();
        let says =
            "cloth[0].material.thickness_m: expected at least 1e-6 m where cloth meets cloth";
        assert!(error.contains(says), "{error}");
        assert!(error.contains("contact:4:"), "{error}");
    }
    assert!(load_thick("contact.cloth = true", "1e-6").is_ok());
    assert!(load_thick("contact.cloth = false", "0").is_ok());
}

#[test]
fn impulses_have_a_restitution() {
    let response = |text: &str| load(text).unwrap().config.response;
    assert_eq!(
        response("cloth = true\nresponse = \"impulses\""),
        Response::Impulses { restitution: 0.0 }
    );
    // Bodies are met whether or not cloth meets cloth.
    assert_eq!(
        response("response = \"impulses\"\nrestitution = 0.5"),
        Response::Impulses { restitution: 0.5 }
    );
    assert_eq!(
        response("response = \"solver\"\nrestitution = 0"),
        Response::Solver
    );
    assert_eq!(
        response("cloth = true\nresponse = \"particles\""),
        Response::Particles
    );
}

#[test]
fn what_makes_no_sense_is_refused_where_it_is_written() {
    for (contact, line, words) in [
        ("untangle = 1", 2, "untangle"),
        ("cloth = true\nresponse = \"impulse\"", 3, "impulse"),
        ("response = \"impulses\"\nrestitution = 1.5", 3, "0 to 1"),
        ("response = \"impulses\"\nrestitution = -0.1", 3, "0 to 1"),
        ("response = \"impulses\"\nrestitution = nan", 3, "finite"),
        ("restitution = 0.5", 2, "only for impulses"),
        ("friction = 1e4", 2, "1e3 at the most, found 1e4"),
        (
            "pair = [{ between = [\"cloth\", \"cloth\"], friction = 2e3 }]",
            2,
            "pair[0].friction",
        ),
        (
            "response = \"particles\"\nrestitution = 0.5",
            3,
            "only for impulses",
        ),
    ] {
        let error = load(contact).unwrap_err();
        assert!(error.contains(words), "{words} expected in {error}");
        assert!(
            error.contains(&format!(":{line}:")),
            "line {line} expected in {error}"
        );
    }
}
