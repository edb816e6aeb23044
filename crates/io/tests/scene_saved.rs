//! A saved scene is the scene it was saved from.

use toile_io::{builtin, scene};

#[test]
fn saved_scenes_give_the_same_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.toml");
    for built_in in builtin::scenes() {
        let mut original = scene::parse(built_in.text, built_in.name, &[]).unwrap();
        // What was changed after reading is saved too.
        original.frames = 7;
        scene::save(&original, &path).unwrap();
        let again = scene::load(&path, &[]).unwrap();
        assert_eq!(again.name, original.name);
        assert_eq!(again.frames, 7);
        assert_eq!(again.fps, original.fps);
        assert_eq!(again.model, original.model, "{}", built_in.name);
        assert_eq!(again.config, original.config, "{}", built_in.name);
        assert_eq!(again.output, original.output);
        assert_eq!(again.fingerprint(), original.fingerprint());
    }
}
