//! Every tuned number of contact, in one place.
//!
//! Each has its unit, what it means, and the measurement that it rests on: a test, a table of the lab or a scene
//! that shows it; *judged* where nothing measures the very value. Cosines, shares and counts have no unit. All are constants to the compiler. What is not
//! here is no matter of taste: sizes of parallel tasks, and lengths of arrays.

/// The tuned numbers of contact. A length "in shortest edges" is a share of the shortest edge of cloth at rest.
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    // Which pairs become contacts.
    /// Stiffness of a contact, in what stops its two points within a step (no unit). Measured by
    /// `tests/touching.rs` (impact of which less than a twentieth is left, nothing for the guard) and the lab's
    /// `contact` (energy, share of the guard).
    pub stencil_stops: f64,
    /// Least `sin²` of the angle between two edges that make a contact: nearly parallel ones have no normal to
    /// speak of, and vertices do their work. Judged.
    pub edge_least_sine_squared: f64,
    /// Least `|cos|` of normal and face where the border of a triangle is nearest to a vertex: what is beside a
    /// triangle would be pushed sideways, and flat cloth would catch on its own mesh. Rests on
    /// `tests/touching.rs` (momentum, sliding over all edges of a mesh).
    pub border_least_cosine: f64,
    /// Two triangles near a vertex are one and the same surface if the cosine of their normals is above this.
    /// Judged.
    pub same_side_cosine: f64,
    /// How far steps usually end from free flight, in ways of free fall in a step: pairs are listed that far
    /// ahead, so that the guard need not search again. Measured on the scenes when it was introduced: pairs are
    /// searched once a step.
    pub slack_falls: f64,
    /// The most that this may be, in shortest edges: what is cheap to look at. As above.
    pub slack_edges: f64,
    /// Factor on a distance that no rounding makes up for. Arithmetic, not measured.
    pub certainly: f64,
    /// Square of how far the direction between closest points leans, rad², where surfaces are too sharply bent
    /// to have a normal. Rests on `tests/sliding.rs`: sheets slide on sheets as Coulomb says.
    pub normal_nearest_variance: f64,
    /// The same of the normal of a flat surface, rad²: rounding, and no division by zero. Arithmetic.
    pub normal_least_variance: f64,
    /// A surface seen at less than this `|cos|` from its normal is seen at an edge; the normal in common is no
    /// further than this from the direction between closest points either. Judged.
    pub normal_least_cosine: f64,
    /// Largest thickness of a cloth in its contacts, in shortest edges: neighbours at rest must not be in
    /// contact with each other. Geometry: their nearest features are further apart than that.
    pub most_thickness_edges: f64,
    /// Distance at which particles push each other in that response, in shortest edges. Not published; nothing
    /// that lies flat is pushed, and two layers keep apart (`tests/particles.rs`).
    pub particles_near_edges: f64,
    /// Boxes of the broad phase go along with what moves by more than this on average, in shortest edges.
    /// Measured in time: others are listed with all that they pass by.
    pub boxes_along_edges: f64,
    /// How far a difference of two coordinates may be wrong in single precision, and what is compared with it
    /// besides, in roundings of the largest coordinate: twice what follows from rounding each and their
    /// difference. Proved, and tried on random pairs beside it.
    pub f32_roundings: f32,
    // What contacts remember.
    /// The least share of the distance that cloths should keep which they do keep, however late they are seen:
    /// with no room to be pressed in, contact would be left to the guard. Rests on `tests/standing.rs` and the
    /// scene `card-house`.
    pub least_kept: f64,
    /// A contact stays as stiff as it was made in a shorter step, up to this factor: that of two halvings twice
    /// over. Measured on the scene `balloon`, which takes 0.38 times as long.
    pub most_stiffer: f64,
    // The active set.
    /// Friction forces that differ by no more than this share of their limit are the same: no further solve for
    /// them. Rests on `tests/sliding.rs`; the value is judged.
    pub active_same_friction: f64,
    /// Halvings in search of the share of a way along which the potential falls: to 1/64. Judged.
    pub active_bisections: u32,
    /// Sweeps, to and fro, that move points of contacts apart in the first guess of a solve: what is pushed
    /// from one end of a pile arrives at the other. Judged.
    pub guess_sweeps: usize,
    // A step with contact of features.
    /// The most by which a body and cloth may come together in a step, in shortest edges; above it the step is
    /// taken shorter. Rests on `tests/bodies.rs`.
    pub most_approach_edges: f64,
    /// A change of the way by the guard of more than this, in shortest edges, stretches cloth: the step is
    /// solved again from the safe place. Rests on the lab's `contact`; the value is judged.
    pub resolve_change_edges: f64,
    /// Solves of one step, each from where the guard has stopped the one before. Judged.
    pub resolve_most_solves: u32,
    /// Further solves of one step with the impulses that the ones before called for. Judged.
    pub impulse_most_solves: u32,
    /// Changes of velocity by contact up to this many times those of free fall in a step are no blows:
    /// restitution is not for them, and multistep schemes need not forget. Rests on `tests/impulses.rs`; the
    /// value is judged.
    pub gentle_falls: f64,
    // The guard.
    /// Length of relative motion that one pass makes, in shortest edges. Measured in the study of contact: a
    /// ball at 10 m/s locked the cloth at half an edge and passed cleanly at a fifth.
    pub guard_pass_edges: f64,
    /// Passes at the most. Judged by their cost.
    pub guard_max_passes: u32,
    /// Sweeps of pushing apart before vertices move in zones. Judged.
    pub guard_max_sweeps: u32,
    /// Rounds in which rigid zones grow, before motion is taken away. Judged.
    pub guard_max_rounds: u32,
    /// How often pairs are listed again for wider boxes, where zones want to leave theirs. Judged.
    pub guard_max_widenings: u32,
    /// The gap that is always kept, in shortest edges. Judged: far below any thickness, far above rounding.
    pub guard_least_edges: f64,
    /// The same in roundings of the largest coordinate to single precision: meshes written so must be clean too
    /// (`toile check --weld`).
    pub guard_least_roundings: f64,
    /// What is pushed apart is pushed further by this share of the gap wanted, so that rounding does not undo
    /// it. Judged.
    pub guard_overshoot: f64,
    /// Share of the gap at the start that must be left at the end of a way. Judged; `tests/guard.rs` needs it
    /// above zero.
    pub guard_kept_share: f64,
    /// The same where that is less than the least that is kept: all but rounding.
    pub guard_kept_tiny: f64,
    /// Motion of what still fails is halved this often less one, and taken away altogether at last. Judged.
    pub guard_halvings: u8,
    /// Vertices that rest on a solid count for this many times their mass in a rigid zone: where they go, the
    /// zone can go. Judged.
    pub zone_supported_mass: f64,
    /// Inertia that every rigid zone has about any axis, as a share of its trace: vertices on a line do not
    /// resist turning about it. Arithmetic.
    pub zone_least_inertia: f64,
    // Impulses.
    /// Sweeps over pairs that are too near. Judged.
    pub repulsion_sweeps: usize,
    /// Sweeps over pairs that meet before they go to zones. Judged: the source has a few.
    pub impact_sweeps: u32,
    /// Rounds in which inelastic zones grow before the guard takes over. Rests on `tests/zones.rs`.
    pub impact_zone_rounds: u32,
    /// The share of a missing distance that one step undoes, as published (Bridson, Fedkiw and Anderson 2002):
    /// nothing pops.
    pub repulsion_undone: f64,
    /// Sweeps to and fro over a zone. Rests on `tests/zones.rs`: layers that stop together take a few.
    pub inelastic_sweeps: u32,
    /// A zone is done when no row changes its velocity by more than this share of the fastest approach. Rests
    /// on the momentum and energy that `tests/zones.rs` asks for.
    pub inelastic_tolerance: f64,
    /// How much more exactly the descent among rows that push is solved, as a share of that. Judged.
    pub inelastic_descent_share: f64,
    /// Directions of the descent before rows are looked at one by one again. Judged.
    pub descent_directions: u32,
    /// A direction in which the rows nearly cancel each other, as a share of what they would do alone, is
    /// rounding. Arithmetic.
    pub descent_least_curvature: f64,
    // Cloth between surfaces that close on it.
    /// Surfaces oppose each other below this cosine of their normals. Judged; `tests/pinching.rs`.
    pub opposing_cosine: f64,
    /// Colliders further away than this many times what is kept from them squeeze nothing. Judged: opposing
    /// ones are both within it where there is no room.
    pub squeeze_near: f64,
    /// Improvements of the place between two curved colliders. Rests on `tests/pinching.rs`.
    pub squeeze_improvements: u32,
    /// Colliders nearer than this many times the distance that is kept are looked at beside a body: what rests
    /// on one keeps its distance to within rounding. Judged.
    pub pinch_near: f64,
    /// Share of the distances kept below which there is no room, and cloth is let through. Rests on
    /// `tests/pinching.rs` and the scene `bending-arm`.
    pub pinch_no_room: f64,
    /// Layers of cloth through which one surface presses towards another, at the most. Judged.
    pub pinch_most_layers: usize,
    // Cloth that starts crossed.
    /// Speed at which edges are led out of the faces they pierce, m/s. Rests on `tests/untangling.rs`; the
    /// value is judged.
    pub untangle_speed_m_per_s: f64,
    /// The most of a shortest edge that this may be in a step. Judged, as the pass of the guard.
    pub untangle_most_edges: f64,
    /// Sweeps over all pierced edges, which share vertices. Judged.
    pub untangle_sweeps: usize,
    /// The least slope of an edge on the face it pierces that counts, as a cosine. Judged.
    pub contour_least_slope: f64,
    /// What an edge's own way counts beside that of its contour. Judged.
    pub contour_own_share: f64,
    // Colliders.
    /// Distances from a collider below this share of one metre, and of the largest coordinate, are rounding.
    /// Arithmetic.
    pub collider_rounding: f64,
    /// Velocities are the same that differ by no more than this share of them. Rounding.
    pub approach_same_velocity: f64,
    /// Moves along normals to a surface at the most: one does it, but for the fillets of unions. Rests on
    /// `tests/contact.rs`.
    pub approach_most_moves: usize,
    /// Least way in a step by which the direction of a slide can be told, m. Rests on
    /// `tests/moving_colliders.rs`.
    pub friction_least_way_m: f64,
    /// A slide whose way in a step is shorter has ended, m: it would come nearer to its end for ever. As above.
    pub friction_ended_m: f64,
    /// Share by which a reaction must be outside the cone to let what sticks slide: slides end on the cone. As
    /// above.
    pub friction_outside: f64,
    /// Gaps below this share of the margin are closed within a step. Rests on the lab's `wrinkles`: what lies
    /// at rest would come and go for ever.
    pub forecast_nearly: f64,
}

/// The numbers in use.
pub const TUNING: Tuning = Tuning {
    stencil_stops: 100.0,
    edge_least_sine_squared: 0.01,
    border_least_cosine: 0.99,
    same_side_cosine: 0.5,
    slack_falls: 2.0,
    slack_edges: 0.1,
    certainly: 1.000_001,
    normal_nearest_variance: 1e-2,
    normal_least_variance: 1e-8,
    normal_least_cosine: 0.5,
    most_thickness_edges: 0.5,
    particles_near_edges: 0.75,
    boxes_along_edges: 0.5,
    f32_roundings: 4.0,
    least_kept: 0.25,
    most_stiffer: 16.0,
    active_same_friction: 0.05,
    active_bisections: 6,
    guess_sweeps: 8,
    most_approach_edges: 1.0,
    resolve_change_edges: 0.02,
    resolve_most_solves: 6,
    impulse_most_solves: 4,
    gentle_falls: 2.0,
    guard_pass_edges: 0.25,
    guard_max_passes: 16,
    guard_max_sweeps: 12,
    guard_max_rounds: 24,
    guard_max_widenings: 2,
    guard_least_edges: 5e-5,
    guard_least_roundings: 4.0,
    guard_overshoot: 1e-3,
    guard_kept_share: 0.1,
    guard_kept_tiny: 0.9999,
    guard_halvings: 3,
    zone_supported_mass: 100.0,
    zone_least_inertia: 1e-9,
    repulsion_sweeps: 4,
    impact_sweeps: 10,
    impact_zone_rounds: 10,
    repulsion_undone: 0.1,
    inelastic_sweeps: 100,
    inelastic_tolerance: 1e-12,
    inelastic_descent_share: 0.1,
    descent_directions: 60,
    descent_least_curvature: 1e-12,
    opposing_cosine: -0.5,
    squeeze_near: 4.0,
    squeeze_improvements: 4,
    pinch_near: 2.0,
    pinch_no_room: 0.25,
    pinch_most_layers: 8,
    untangle_speed_m_per_s: 0.3,
    untangle_most_edges: 0.25,
    untangle_sweeps: 4,
    contour_least_slope: 0.2,
    contour_own_share: 0.5,
    collider_rounding: 1e-12,
    approach_same_velocity: 1e-9,
    approach_most_moves: 16,
    friction_least_way_m: 1e-7,
    friction_ended_m: 1e-9,
    friction_outside: 1e-3,
    forecast_nearly: 0.1,
};
