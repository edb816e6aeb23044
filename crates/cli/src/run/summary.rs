//! What a run says of itself when it is done.

use toile::io::scene::Verify;
use toile::run::Finished;

/// Prints it, with the files that were written and what there is to know about them.
pub fn print(finished: &Finished, verify: Verify) {
    let report = &finished.report;
    println!(
        "{}: {} frames, {} particles in {:.1} s ({:.1} ms a frame)",
        report.scene,
        report.frames,
        report.particles,
        report.wall_s,
        1e3 * report.wall_s_per_frame
    );
    println!(
        "  stretch at most {:.2} % (99 % of edges below {:.2} %), {} contacts at most",
        100.0 * report.stretch_max,
        100.0 * report.stretch_p99,
        report.contacts_max
    );
    match report.self_intersections_max {
        Some(0) if report.body_intersections_max.unwrap_or(0) == 0 => println!(
            "  every {} proved free of intersections",
            match verify {
                Verify::Step => "step",
                Verify::Frame | Verify::Off => "frame",
            }
        ),
        Some(0) => {}
        Some(1) => println!("  up to 1 pair of faces intersects in a frame"),
        Some(count) => println!("  up to {count} pairs of faces intersect in a frame"),
        None => {}
    }
    match report.body_intersections_max {
        Some(0) | None => {}
        Some(1) => println!("  up to 1 pair of a face of cloth and one of a body intersects"),
        Some(count) => {
            println!("  up to {count} pairs of a face of cloth and one of a body intersect");
        }
    }
    if let Some(count) = report.level_set_intersections_max.filter(|c| *c > 0) {
        println!(
            "  up to {count} pairs of a face of cloth and one of a level set intersect; the deepest particle \
             was {:.2} mm inside",
            1e3 * report.collider_penetration_max_m
        );
    }
    let at_start = [report.start_intersections, report.start_body_intersections];
    let at_start: u64 = at_start.iter().flatten().sum();
    if at_start > 0 {
        match report.clean_from_frame {
            Some(frame) => println!("  {at_start} at the start; clean from frame {frame} on"),
            None => println!("  {at_start} at the start, and it was never clean"),
        }
    }
    if let Some(contact) = &report.contact {
        println!(
            "  {} contacts of cloth with cloth and bodies at most; the guard changed {:.4} % of the motion",
            contact.touches_max,
            100.0 * contact.guard_motion_removed
        );
    }
    if let Some(contact) = report.contact.as_ref().filter(|c| c.pinched_max > 0) {
        println!(
            "  up to {} particles were pinched between colliders, and {} of them let through",
            contact.pinched_max, contact.let_through_max
        );
    }
    if let Some(sticking) = &report.sticking {
        println!(
            "  up to {} particles stuck; {} attached and {} released in all",
            sticking.stuck_max, sticking.attached, sticking.released
        );
    }
    if let Some(written) = report.written.as_ref().filter(|w| w.held_back_max > 0) {
        println!(
            "  up to {} of {} written vertices were held back, so that nothing is crossed",
            written.held_back_max, written.vertices
        );
    }
    if report.retries > 0 {
        println!(
            "  {} steps were retried with a smaller step",
            report.retries
        );
    }
    for path in &finished.written {
        println!("  wrote {}", path.display());
    }
    for note in report.notes.iter().chain(&finished.notes) {
        println!("  note: {note}");
    }
}
