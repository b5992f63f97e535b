//! The exact transpose of modelling, absorbing layers included: for the dot-product test, and to
//! see how far the migration's back-propagation, whose layers are those of the forward run, is from
//! it.
//!
//! Plain loops over dense arrays, one line of the derivation after the other:
//!
//! ```text
//! forward    psi'  = a psi + b D p
//!            zeta' = a zeta + b (D2 p + D psi')
//!            p'    = 2 p - q + v^2 dt^2 (lap p + D psi' + zeta') + w
//!
//! backward   t     = v^2 dt^2 p'
//!            zeta  = zeta' + t                                      (in the layer)
//!            psi   = psi' - D (t + b zeta)
//!            p     = 2 p' - p'' + lap t + D2 (b zeta) - D (b psi)
//! ```
//!
//! where the backward variables are the adjoint ones, `psi' = a psi` and `zeta' = a zeta`
//! afterwards, and D is antisymmetric.

use crate::engine::Backend;
use crate::grid::{Point, Velocity};
use crate::plan::{Face, Plan};
use crate::propagate::cpml;
use crate::strategy::random::counter;
use crate::{Grid, Real, Result, Traces, fd, strategy};

/// `sum_l c_l (f(i + l) + sign f(i - l))` along an axis, 0 beyond the grid.
fn difference<T: Real>(f: &[T], grid: &Grid, axis: usize, c: &[T], sign: T) -> Vec<T> {
    let step = [grid.n[1] * grid.n[2], grid.n[2], 1][axis];
    (0..f.len())
        .map(|i| {
            let at = grid.point(i)[axis];
            let mut sum = c[0] * f[i];
            for (l, c) in c.iter().enumerate().skip(1) {
                if at + l < grid.n[axis] {
                    sum += *c * f[i + l * step];
                }
                if at >= l {
                    sum += *c * sign * f[i - l * step];
                }
            }
            sum
        })
        .collect()
}

/// One face: `a` and `b` at each point of the grid, 0 outside its layer.
struct Layer<T> {
    axis: usize,
    a: Vec<T>,
    b: Vec<T>,
    psi: Vec<T>,
    zeta: Vec<T>,
}

fn layers<T: Real>(plan: &Plan, v_max: f64) -> Vec<Layer<T>> {
    let grid = plan.grid;
    Face::ALL
        .into_iter()
        .filter(|face| plan.absorbs(*face))
        .map(|face| {
            let profile = cpml::profile::<T>(plan, face, v_max);
            let axis = face.axis();
            let first = if face.is_max() { grid.n[axis] - plan.layers } else { 0 };
            let spread = |values: &[T]| -> Vec<T> {
                (0..grid.len())
                    .map(|i| grid.point(i)[axis].checked_sub(first).and_then(|l| values.get(l)))
                    .map(|v| v.copied().unwrap_or(T::ZERO))
                    .collect()
            };
            let zeros = vec![T::ZERO; grid.len()];
            Layer {
                axis,
                a: spread(&profile.a),
                b: spread(&profile.b),
                psi: zeros.clone(),
                zeta: zeros,
            }
        })
        .collect()
}

/// `F' y`: from traces at the receivers to a time series at each source point, for the modelling
/// `F` of [`strategy::model`].
pub fn transpose<T: Real>(
    plan: &Plan,
    velocity: &Velocity,
    traces: &Traces<T>,
    sources: &[Point],
) -> Traces<T> {
    let grid = plan.grid;
    let (_, v_max) = velocity.range();
    let mut layers = layers::<T>(plan, v_max);
    let v2dt2: Vec<T> =
        velocity.values.iter().map(|v| T::of((f64::from(*v) * plan.dt_s).powi(2))).collect();
    let per = |c: &[f64], axis: usize, power: i32| -> Vec<T> {
        c.iter().map(|c| T::of(c / grid.d_m[axis].powi(power))).collect()
    };
    let (c, d) = (fd::second(plan.order), fd::first(plan.order));
    let second: [Vec<T>; 3] = std::array::from_fn(|axis| per(&c, axis, 2));
    let first: [Vec<T>; 3] = std::array::from_fn(|axis| per(&d, axis, 1));
    let (one, two) = (T::of(1.0), T::of(2.0));
    let d2 = |f: &[T], axis: usize| difference(f, &grid, axis, &second[axis], one);
    let d1 = |f: &[T], axis: usize| difference(f, &grid, axis, &first[axis], -one);
    let mut result = Traces::zeros(plan.nt, plan.dt_s, sources.to_vec());
    // Adjoint of p at level n + 1, and of p at level n + 2.
    let (mut now, mut later) = (vec![T::ZERO; grid.len()], vec![T::ZERO; grid.len()]);
    for n in (0..plan.nt - 1).rev() {
        for (i, point) in traces.points.iter().enumerate() {
            now[grid.index(*point)] += traces.trace(i)[n + 1];
        }
        for (i, point) in sources.iter().enumerate() {
            result.trace_mut(i)[n] = now[grid.index(*point)];
        }
        let t: Vec<T> = now.iter().zip(&v2dt2).map(|(p, v)| *p * *v).collect();
        let mut before: Vec<T> = now.iter().zip(&later).map(|(p, q)| two * *p - *q).collect();
        for axis in 0..3 {
            before.iter_mut().zip(d2(&t, axis)).for_each(|(p, l)| *p += l);
        }
        for layer in &mut layers {
            // Where b is 0 for a point of the layer, so is what it adds; a tells the layer from the
            // rest.
            let inside = |i: usize| layer.a[i] != T::ZERO;
            let (mut source, mut b_zeta) = (t.clone(), vec![T::ZERO; t.len()]);
            for i in 0..t.len() {
                if inside(i) {
                    layer.zeta[i] += t[i];
                    b_zeta[i] = layer.b[i] * layer.zeta[i];
                    source[i] += b_zeta[i];
                } else {
                    source[i] = T::ZERO;
                }
            }
            let d_source = d1(&source, layer.axis);
            let mut b_psi = vec![T::ZERO; t.len()];
            for i in 0..t.len() {
                if inside(i) {
                    layer.psi[i] -= d_source[i];
                    b_psi[i] = layer.b[i] * layer.psi[i];
                }
                layer.psi[i] = layer.a[i] * layer.psi[i];
                layer.zeta[i] = layer.a[i] * layer.zeta[i];
            }
            let (spread, back) = (d2(&b_zeta, layer.axis), d1(&b_psi, layer.axis));
            for (p, (s, b)) in before.iter_mut().zip(spread.iter().zip(&back)) {
                *p += *s - *b;
            }
        }
        later = now;
        now = before;
    }
    result
}

/// `|<F x, y> - <x, F' y>| / |<F x, y>|` for random x at two source points and random y at some
/// receivers, in a small model with a lens and absorbing layers, against the exact transpose.
pub fn dot_product_error<T: Real>(backend: &dyn Backend<T>, order: usize) -> Result<f64> {
    let problem = super::problem::Problem::lens([14, 12, 13], 4, order, 70);
    let plan = &problem.plan;
    let noise = |points: Vec<Point>, stream: u64| {
        let mut traces = Traces::zeros(plan.nt, plan.dt_s, points);
        for (i, v) in traces.samples.iter_mut().enumerate() {
            *v = T::of(counter(5, i as u64, stream) - 0.5);
        }
        traces
    };
    let sources = vec![problem.source, [6, 9, 11]];
    let (x, y) = (noise(sources.clone(), 1), noise(problem.receivers.clone(), 2));
    let fx = strategy::model(backend, plan, &problem.velocity, &x, &problem.receivers, &mut ())?;
    let fty = transpose(plan, &problem.velocity, &y, &sources);
    let dot = |a: &Traces<T>, b: &Traces<T>| -> f64 {
        a.samples.iter().zip(&b.samples).map(|(a, b)| a.f64() * b.f64()).sum()
    };
    let (left, right) = (dot(&fx, &y), dot(&x, &fty));
    Ok((left - right).abs() / left.abs())
}
