//! The angle of a hinge, its derivatives, and what a hinge does through full folds.

mod support;

use glam::{DMat3, DQuat, DVec3};
use nalgebra::DMatrix;
use std::f64::consts::PI;
use support::*;
use toile_sim::Jacobian;
use toile_sim::assembly::elements::{Element, Local};
use toile_sim::forces::hinge::{Angle, Form, Hinge};

/// Two irregular triangles folded by `theta` about their common edge.
fn folded(theta: f64) -> [DVec3; 4] {
    let (start, end) = (DVec3::new(0.1, 0.0, 0.0), DVec3::new(1.1, 0.0, 0.0));
    let across = DQuat::from_rotation_x(theta);
    [
        DVec3::new(0.4, 0.8, 0.0),
        across * DVec3::new(0.7, -0.6, 0.0),
        start,
        end,
    ]
}

fn hinge(form: Form, rest_angle_rad: f64, jacobian: Jacobian) -> Hinge {
    Hinge {
        stiffness_n_m: 0.7,
        damping_n_m_s: 0.3,
        rest_angle_rad,
        form,
        jacobian,
    }
}

fn local(x: [DVec3; 4], v: [DVec3; 4], memory: &[f64]) -> Local<'_, 4> {
    Local {
        x,
        v,
        memory,
        weights: toile_numerics::integrate::Weights::uniform(1.0).keeping(0.0),
    }
}

fn at(x: &[DVec3]) -> [DVec3; 4] {
    [x[0], x[1], x[2], x[3]]
}

/// A flat pair has an angle of 0 (not the π of two normals formed from the same triangle), and the
/// angle grows as the fold does.
#[test]
fn the_angle_is_signed_and_zero_when_flat() {
    assert!(Angle::of(folded(0.0)).unwrap().theta.abs() < 1e-15);
    let theta = |fold: f64| Angle::of(folded(fold)).unwrap().theta;
    for fold in [-3.0, -1.5, -0.3, 0.3, 1.5, 3.0] {
        assert!((theta(fold).abs() - f64::abs(fold)).abs() < 1e-12);
        assert_eq!(
            theta(fold).signum(),
            theta(0.3).signum() * f64::signum(fold)
        );
    }
}

#[test]
fn the_gradient_is_that_of_the_angle_with_this_sign() {
    for fold in [-2.6, -0.4, 0.0, 0.9, 2.9] {
        let x = folded(fold);
        let measured = differences(&x, 1e-4, |x| vec![Angle::of(at(x)).unwrap().theta]);
        let gradient = Angle::of(x).unwrap().gradient;
        let gradient = DMatrix::from_row_slice(1, 12, &flat(&gradient));
        assert!((gradient - measured).amax() < 1e-9, "{fold}");
    }
}

#[test]
fn the_second_derivative_is_that_of_the_gradient() {
    for fold in [-2.6, -0.4, 0.0, 0.9, 2.9] {
        let x = folded(fold);
        let measured = differences(&x, 1e-4, |x| flat(&Angle::of(at(x)).unwrap().gradient));
        let angle = Angle::of(x).unwrap();
        let hessian = DMatrix::from_fn(12, 12, |i, j| {
            angle.hessian(&x, i / 3, j / 3).col(j % 3)[i % 3]
        });
        assert!((&hessian - measured).amax() < 1e-7, "{fold}");
        assert!((&hessian - hessian.transpose()).amax() < 1e-12, "{fold}");
    }
}

/// Six rigid motions and five that deform the triangles in their own planes: none of them changes
/// the angle.
#[test]
fn the_mode_is_orthogonal_to_the_eleven_others() {
    for fold in [-2.0, 0.0, 0.7] {
        let x = folded(fold);
        let g = Angle::of(x).unwrap().gradient;
        let mut modes: Vec<[DVec3; 4]> = Vec::new();
        for axis in DVec3::AXES {
            modes.push([axis; 4]);
            modes.push(x.map(|x| axis.cross(x)));
        }
        let along = x[3] - x[2];
        for corner in 0..2 {
            for direction in [along, x[corner] - x[2]] {
                let mut mode = [DVec3::ZERO; 4];
                mode[corner] = direction;
                modes.push(mode);
            }
        }
        modes.push([DVec3::ZERO, DVec3::ZERO, along, DVec3::ZERO]);
        assert_eq!(modes.len(), 11);
        let norm = |mode: &[DVec3; 4]| mode.iter().map(|m| m.length_squared()).sum::<f64>().sqrt();
        for mode in modes {
            let product: f64 = mode.iter().zip(g).map(|(m, g)| m.dot(g)).sum();
            let cosine = product / (norm(&mode) * norm(&g));
            assert!(cosine.abs() < 1e-12, "{cosine:e}");
        }
    }
}

#[test]
fn force_and_matrix_are_derivatives_of_the_energy_with_angles_at_rest() {
    for form in [Form::Sine, Form::Quadratic] {
        for (fold, rest) in [(0.4, 0.0), (-0.9, 0.8), (2.8, -0.5), (1.2, 1.2)] {
            let hinge = Hinge {
                damping_n_m_s: 0.0,
                ..hinge(form, rest, Jacobian::Exact)
            };
            let x = folded(fold);
            let memory = [Angle::of(x).unwrap().theta];
            let still = [DVec3::ZERO; 4];
            let slope = differences(&x, 1e-4, |x| vec![hinge.energy(at(x), &memory)]);
            let here = hinge.linearise(&local(x, still, &memory));
            let force = DMatrix::from_row_slice(1, 12, &flat(&here.forces));
            assert!((&force + slope).amax() < 1e-9, "{form:?} {fold}");
            let measured = -differences(&x, 1e-4, |x| {
                flat(&hinge.linearise(&local(at(x), still, &memory)).forces)
            });
            for (k, (a, b)) in [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
                .into_iter()
                .enumerate()
            {
                for i in 0..3 {
                    for j in 0..3 {
                        let kept = here.pairs[k].col(j)[i];
                        let error = kept - measured[(3 * a + i, 3 * b + j)];
                        assert!(error.abs() < 1e-7, "{form:?} {fold} {a}{b}: {error:e}");
                    }
                }
            }
        }
    }
}

/// Both forms rest at their rest angle with the same stiffness there, and push back from both
/// sides.
#[test]
fn forms_agree_near_flat_and_restore() {
    let sine = hinge(Form::Sine, 0.0, Jacobian::DropOrthogonal);
    let quadratic = hinge(Form::Quadratic, 0.0, Jacobian::DropOrthogonal);
    let (a, b) = (sine.respond(1e-4), quadratic.respond(1e-4));
    assert!((a.0 / b.0 - 1.0).abs() < 1e-7 && (a.1 / b.1 - 1.0).abs() < 1e-7);
    for form in [Form::Sine, Form::Quadratic] {
        let hinge = hinge(form, 0.6, Jacobian::DropOrthogonal);
        assert!(hinge.respond(0.6).1.abs() < 1e-15 && hinge.respond(0.6).0.abs() < 1e-15);
        assert!(hinge.respond(0.8).1 > 0.0 && hinge.respond(0.4).1 < 0.0);
        assert!(hinge.respond(0.8).0 > 0.0 && hinge.respond(0.4).0 > 0.0);
    }
}

#[test]
fn dampers_take_energy_out() {
    let hinge = hinge(Form::Sine, 0.0, Jacobian::DropOrthogonal);
    let x = folded(0.3);
    let v = random_vectors(4, 1.0, 11);
    let v = at(&v);
    let moving = hinge.linearise(&local(x, v, &[]));
    let still = hinge.linearise(&local(x, [DVec3::ZERO; 4], &[]));
    let power: f64 = (0..4)
        .map(|k| (moving.forces[k] - still.forces[k]).dot(v[k]))
        .sum();
    assert!(power < 0.0);
    assert!((power + 2.0 * moving.dissipation_w).abs() < 1e-14);
}

/// A fold that closes and goes on through itself keeps its sense: the angle does not jump by 2π,
/// and the energy has no jump either.
#[test]
fn angles_are_followed_through_full_folds() {
    let hinge = hinge(Form::Quadratic, 0.0, Jacobian::DropOrthogonal);
    let mut memory = [0.0];
    hinge.forget(&mut memory);
    let sign = Angle::of(folded(0.3)).unwrap().theta.signum();
    let mut before = 0.0;
    for k in 0..=40 {
        let fold = f64::from(k) * 1.5 * PI / 40.0;
        let energy = hinge.energy(folded(fold), &memory);
        assert!((energy - 0.25 * 0.7 * fold * fold).abs() < 1e-12, "{fold}");
        assert!(energy >= before);
        before = energy;
        hinge.remember(folded(fold), &mut memory);
        assert!((memory[0] - sign * fold).abs() < 1e-12);
    }
}

#[test]
fn a_triangle_without_area_is_left_out() {
    let hinge = hinge(Form::Sine, 0.0, Jacobian::Exact);
    let mut x = folded(0.3);
    x[0] = 0.5 * (x[2] + x[3]);
    let term = hinge.linearise(&local(x, [DVec3::ONE; 4], &[]));
    assert_eq!(term.forces, [DVec3::ZERO; 4]);
    assert_eq!(term.energy_j, 0.0);
    assert_eq!(term.pairs, [DMat3::ZERO; 6]);
}
