//! Numbers that theory does not give. Shares have no unit.

/// Share of the predicted decrease that a line search asks for (Armijo's condition). The customary value
/// (Nocedal and Wright, *Numerical Optimization*, section 3.1).
pub(super) const SUFFICIENT_DECREASE: f64 = 1e-4;
/// Halvings before a direction is given up: beyond, moves are below rounding. Interpolated shares would
/// save some, but they depend on how fast the system travels as a whole, and then a moving frame sees
/// another motion.
pub(super) const MAX_HALVINGS: u32 = 40;
/// How many times less exactly than asked for the first of several Newton directions is solved for: the
/// second one corrects its error together with that of the linearisation.
pub(super) const FIRST_SLACK: f64 = 10.0;
/// Updates of the active set after a single solve. A safeguard: what is left then, the next step settles.
pub(super) const MAX_ACTIVE_SET_UPDATES: u32 = 10;

/// Largest error of a linearisation that is trusted, as a share of the energy that the scheme
/// dissipates. Where nothing kinks the error is next to nothing, where something does it is as much or
/// many times more: the number hardly matters. Tested on strips that fall on a ball
/// (`crates/sim/tests/falling_on_a_ball.rs`).
pub(super) const TRUSTED_SHARE: f64 = 0.5;

/// Bounds of the share of the matrix-only stiffness that a checked single solve keeps. All of it holds
/// back folds that form, and those that come to rest creep for seconds; less has to be corrected more
/// often. Measured on the scenes `cape-walk` and `hand-grab`.
pub(super) const MATRIX_ONLY_OF_ONE_SOLVE: [f64; 2] = [0.01, 0.1];
/// That share for what flies as far as one Newton iteration may move it, before the bounds; in between
/// it is proportional. Measured on the same scenes.
pub(super) const MATRIX_ONLY_OF_LONGEST_MOVE: f64 = 5.0;
/// The share in Newton's next iteration, relative to the last, after a whole move was accepted.
/// Tested, with the rise and the least, by `tests/newton.rs`.
pub(super) const MATRIX_ONLY_FALL: f64 = 0.5;
/// The same after less than half of a move was.
pub(super) const MATRIX_ONLY_RISE: f64 = 4.0;
/// The share below which nothing is gained: the terms left out of the matrix then decide how fast
/// Newton converges, while a matrix all but singular costs iterations and digits.
pub(super) const LEAST_MATRIX_ONLY: f64 = 1e-3;
