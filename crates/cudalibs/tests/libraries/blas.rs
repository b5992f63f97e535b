//! All calls of BLAS against plain loops in `f64`, over random sizes, increments and leading
//! dimensions.

use approx::assert_relative_eq;
use cudalibs::blas::{
    Blas, Diag, Fill, Op, Scalar, Side, get_matrix, get_vector, set_matrix, set_vector,
};
use cust::memory::CopyDestination;
use rand::RngExt;
use rand::rngs::ChaCha8Rng;

use super::{on_device, random, rig, unwritten, values};

const CASES: u64 = 40;
const OPS: [Op; 3] = [Op::N, Op::T, Op::C];
const FILLS: [Fill; 2] = [Fill::Lower, Fill::Upper];

/// A vector in its slice: what lies between its elements is NaN, and must neither be used nor
/// changed.
struct Vector {
    n: usize,
    inc: i32,
    stored: Vec<f64>,
}

impl Vector {
    fn new(rng: &mut ChaCha8Rng, n: usize) -> Vector {
        let inc = [1, 1, 2, 5, -1, -3][rng.random_range(0..6)];
        let mut stored = vec![f64::NAN; n * 5 + rng.random_range(1..4)];
        let mut v = Vector { n, inc, stored: Vec::new() };
        let places: Vec<usize> = (0..n).map(|i| v.at(i)).collect();
        places.iter().for_each(|p| stored[*p] = value(rng));
        v.stored = stored;
        v
    }

    fn at(&self, i: usize) -> usize {
        let step = self.inc.unsigned_abs() as usize;
        if self.inc > 0 { i * step } else { (self.n - 1 - i) * step }
    }

    fn get(&self, i: usize) -> f64 {
        self.stored[self.at(i)]
    }

    fn set(&mut self, i: usize, v: f64) {
        let at = self.at(i);
        self.stored[at] = v;
    }
}

/// A value that `f32` holds exactly.
fn value(rng: &mut ChaCha8Rng) -> f64 {
    f64::from(rng.random_range(-1.0f32..1.0))
}

/// A matrix in its slice, with NaN in the gaps.
struct Matrix {
    rows: usize,
    ld: usize,
    stored: Vec<f64>,
}

impl Matrix {
    fn new(rng: &mut ChaCha8Rng, (rows, columns): (usize, usize)) -> Matrix {
        let ld = rows.max(1) + [0, 0, 1, 7][rng.random_range(0..4)];
        let mut stored = vec![f64::NAN; ld * columns + rng.random_range(0..3)];
        for j in 0..columns {
            for i in 0..rows {
                stored[i + j * ld] = value(rng);
            }
        }
        Matrix { rows, ld, stored }
    }

    fn get(&self, op: Op, i: usize, j: usize) -> f64 {
        let (i, j) = if op == Op::N { (i, j) } else { (j, i) };
        assert!(i < self.rows);
        self.stored[i + j * self.ld]
    }

    fn set(&mut self, i: usize, j: usize, v: f64) {
        self.stored[i + j * self.ld] = v;
    }

    /// NaN outside of a triangle, and a heavy diagonal, so that it can be solved with.
    fn only(mut self, fill: Fill, diag: Diag) -> Matrix {
        let n = self.rows;
        for j in 0..n {
            for i in 0..n {
                if !inside(fill, i, j) || (i == j && diag == Diag::Unit) {
                    self.set(i, j, f64::NAN);
                } else if i == j {
                    let v = self.get(Op::N, i, j);
                    self.set(i, j, v + 2.0_f64.copysign(v));
                } else {
                    let v = self.get(Op::N, i, j) / n.next_power_of_two() as f64;
                    self.set(i, j, v);
                }
            }
        }
        self
    }

    /// An element of the triangular matrix that is stored.
    fn triangular(&self, fill: Fill, op: Op, diag: Diag, i: usize, j: usize) -> f64 {
        let (i, j) = if op == Op::N { (i, j) } else { (j, i) };
        match (inside(fill, i, j), i == j && diag == Diag::Unit) {
            (_, true) => 1.0,
            (true, _) => self.stored[i + j * self.ld],
            _ => 0.0,
        }
    }

    /// An element of the symmetric matrix of which one triangle is stored.
    fn symmetric(&self, fill: Fill, i: usize, j: usize) -> f64 {
        let (i, j) = if inside(fill, i, j) { (i, j) } else { (j, i) };
        self.stored[i + j * self.ld]
    }
}

fn inside(fill: Fill, i: usize, j: usize) -> bool {
    if fill == Fill::Lower { i >= j } else { i <= j }
}

/// Equal up to rounding of `terms` additions; NaN where NaN is wanted.
fn close(what: &str, found: &[f64], wanted: &[f64], epsilon: f64, terms: usize) {
    assert_eq!(found.len(), wanted.len());
    for (i, (f, w)) in found.iter().zip(wanted).enumerate() {
        let bound = 4.0 * epsilon * (terms + 4) as f64 * (1.0 + w.abs());
        assert!((f.is_nan() && w.is_nan()) || (f - w).abs() <= bound, "{what}[{i}]: {f}, not {w}");
    }
}

/// A size: small ones often, 0 and 1 too.
fn size(rng: &mut ChaCha8Rng) -> usize {
    match rng.random_range(0..10) {
        0 => 0,
        1 => 1,
        2..8 => rng.random_range(1..12),
        _ => rng.random_range(12..150),
    }
}

/// 0, 1 or another scalar.
fn scalar(rng: &mut ChaCha8Rng) -> f64 {
    [0.0, 1.0, -0.75, 2.5][rng.random_range(0..4)]
}

macro_rules! suite {
    (
        $module:ident, $T:ident,
        $amax:ident $amin:ident $asum:ident $asum_into:ident $nrm2:ident $nrm2_into:ident
        $dot:ident $dot_into:ident $axpy:ident $scal:ident $copy:ident $swap:ident $rot:ident
        $gemv:ident $ger:ident $symv:ident $syr:ident $trmv:ident $trsv:ident
        $gemm:ident $batched:ident $syrk:ident $symm:ident $trsm:ident $geam:ident
    ) => {
        mod $module {
            use super::*;

            const EPSILON: f64 = $T::EPSILON as f64;

            fn up(values: &[f64]) -> cust::memory::DeviceBuffer<$T> {
                on_device(&values.iter().map(|v| *v as $T).collect::<Vec<$T>>())
            }

            fn down(buffer: &cust::memory::DeviceSlice<$T>) -> Vec<f64> {
                let mut out = vec![0.0 as $T; buffer.len()];
                buffer.copy_to(&mut out).unwrap();
                out.iter().map(|v| f64::from(*v)).collect()
            }

            #[test]
            fn reductions() {
                let rig = rig();
                let mut blas = Blas::new().unwrap();
                blas.set_stream(rig.lab.stream()).unwrap();
                for case in 0..CASES {
                    let rng = &mut random(case);
                    let n = size(rng);
                    let (x, y) = (Vector::new(rng, n), Vector::new(rng, n));
                    let (dx, dy) = (up(&x.stored), up(&y.stored));
                    // Reductions of one vector know no negative increments.
                    let all: Vec<f64> =
                        if x.inc < 0 { vec![] } else { (0..n).map(|i| x.get(i)).collect() };
                    let extreme = |largest: bool| {
                        let mut best = 0;
                        for (i, v) in all.iter().enumerate() {
                            let (v, b) = (v.abs(), all[best].abs());
                            if (largest && v > b) || (!largest && v < b) {
                                best = i;
                            }
                        }
                        if all.is_empty() { 0 } else { best + 1 }
                    };
                    assert_eq!(blas.$amax(n, &dx, x.inc).unwrap(), extreme(true));
                    assert_eq!(blas.$amin(n, &dx, x.inc).unwrap(), extreme(false));
                    let asum: f64 = all.iter().map(|v| v.abs()).sum();
                    let nrm2 = all.iter().map(|v| v * v).sum::<f64>().sqrt();
                    let dot: f64 = (0..n).map(|i| x.get(i) * y.get(i)).sum();
                    let found = [
                        blas.$asum(n, &dx, x.inc).unwrap(),
                        blas.$nrm2(n, &dx, x.inc).unwrap(),
                        blas.$dot(n, &dx, x.inc, &dy, y.inc).unwrap(),
                    ];
                    close("reductions", &found.map(f64::from), &[asum, nrm2, dot], EPSILON, n);
                    // The same into device memory.
                    let mut results = [up(&[7.0]), up(&[7.0]), up(&[7.0])];
                    blas.$asum_into(n, &dx, x.inc, &mut results[0]).unwrap();
                    blas.$nrm2_into(n, &dx, x.inc, &mut results[1]).unwrap();
                    blas.$dot_into(n, &dx, x.inc, &dy, y.inc, &mut results[2]).unwrap();
                    let there: Vec<f64> = results.iter().flat_map(|r| down(r)).collect();
                    assert_eq!(there, found.map(f64::from));
                }
                assert_eq!(rig.findings(), [""; 0]);
            }

            #[test]
            fn vectors() {
                let rig = rig();
                let blas = Blas::new().unwrap();
                for case in 0..CASES {
                    let rng = &mut random(100 + case);
                    let n = size(rng);
                    let (x, mut y) = (Vector::new(rng, n), Vector::new(rng, n));
                    let (dx, mut dy) = (up(&x.stored), up(&y.stored));
                    let alpha = scalar(rng);
                    let (c, s) = (0.6, 0.8);

                    blas.$axpy(n, alpha as $T, &dx, x.inc, &mut dy, y.inc).unwrap();
                    (0..n).for_each(|i| y.set(i, alpha * x.get(i) + y.get(i)));
                    close("axpy", &down(&dy), &y.stored, EPSILON, 1);

                    let mut z = Vector::new(rng, n);
                    let mut dz = up(&z.stored);
                    blas.$copy(n, &dx, x.inc, &mut dz, z.inc).unwrap();
                    (0..n).for_each(|i| z.set(i, x.get(i)));
                    close("copy", &down(&dz), &z.stored, 0.0, 0);

                    // A device scalar, and nothing at all for a negative increment.
                    let factor = up(&[alpha]);
                    blas.$scal(n, &*factor, &mut dz, z.inc).unwrap();
                    if z.inc > 0 {
                        (0..n).for_each(|i| z.set(i, alpha * z.get(i)));
                    }
                    close("scal", &down(&dz), &z.stored, EPSILON, 1);

                    blas.$swap(n, &mut dz, z.inc, &mut dy, y.inc).unwrap();
                    (0..n).for_each(|i| {
                        let v = z.get(i);
                        z.set(i, y.get(i));
                        y.set(i, v);
                    });
                    close("swap", &down(&dz), &z.stored, EPSILON, 1);
                    close("swap", &down(&dy), &y.stored, EPSILON, 1);

                    blas.$rot(n, &mut dz, z.inc, &mut dy, y.inc, c as $T, s as $T).unwrap();
                    (0..n).for_each(|i| {
                        let (a, b) = (z.get(i), y.get(i));
                        z.set(i, c * a + s * b);
                        y.set(i, c * b - s * a);
                    });
                    close("rot", &down(&dz), &z.stored, EPSILON, 2);
                    close("rot", &down(&dy), &y.stored, EPSILON, 2);
                }
                assert_eq!(rig.findings(), [""; 0]);
            }

            #[test]
            fn matrix_times_vector() {
                let rig = rig();
                let blas = Blas::new().unwrap();
                for case in 0..CASES {
                    let rng = &mut random(200 + case);
                    let (m, n) = (size(rng), size(rng));
                    let op = OPS[rng.random_range(0..3)];
                    let (rows, columns) = if op == Op::N { (m, n) } else { (n, m) };
                    let mut a = Matrix::new(rng, (m, n));
                    let (x, mut y) = (Vector::new(rng, columns), Vector::new(rng, rows));
                    let (alpha, beta) = (scalar(rng), scalar(rng));
                    if beta == 0.0 {
                        y.stored.fill(f64::NAN); // must not be read
                    }
                    let (da, dx, mut dy) = (up(&a.stored), up(&x.stored), up(&y.stored));
                    blas.$gemv(
                        op,
                        m,
                        n,
                        alpha as $T,
                        &da,
                        a.ld,
                        &dx,
                        x.inc,
                        beta as $T,
                        &mut dy,
                        y.inc,
                    )
                    .unwrap();
                    for i in 0..rows {
                        if columns == 0 {
                            break;
                        }
                        let sum: f64 = (0..columns).map(|j| a.get(op, i, j) * x.get(j)).sum();
                        let old = if beta == 0.0 { 0.0 } else { beta * y.get(i) };
                        y.set(i, alpha * sum + old);
                    }
                    close("gemv", &down(&dy), &y.stored, EPSILON, columns);

                    let (u, v) = (Vector::new(rng, m), Vector::new(rng, n));
                    let mut da = up(&a.stored);
                    blas.$ger(
                        m,
                        n,
                        alpha as $T,
                        &up(&u.stored),
                        u.inc,
                        &up(&v.stored),
                        v.inc,
                        &mut da,
                        a.ld,
                    )
                    .unwrap();
                    for j in 0..n {
                        for i in 0..m {
                            let new = a.get(Op::N, i, j) + alpha * u.get(i) * v.get(j);
                            a.set(i, j, new);
                        }
                    }
                    close("ger", &down(&da), &a.stored, EPSILON, 2);
                }
                assert_eq!(rig.findings(), [""; 0]);
            }

            #[test]
            fn triangles_times_vectors() {
                let rig = rig();
                let blas = Blas::new().unwrap();
                for case in 0..CASES {
                    let rng = &mut random(300 + case);
                    let n = size(rng);
                    let (fill, op) = (FILLS[rng.random_range(0..2)], OPS[rng.random_range(0..3)]);
                    let diag = [Diag::NonUnit, Diag::Unit][rng.random_range(0..2)];
                    let a = Matrix::new(rng, (n, n)).only(fill, diag);
                    let mut x = Vector::new(rng, n);
                    let da = up(&a.stored);
                    let mut dx = up(&x.stored);
                    let before = x.stored.clone();
                    blas.$trmv(fill, op, diag, n, &da, a.ld, &mut dx, x.inc).unwrap();
                    let product: Vec<f64> = (0..n)
                        .map(|i| {
                            (0..n).map(|j| a.triangular(fill, op, diag, i, j) * x.get(j)).sum()
                        })
                        .collect();
                    product.iter().enumerate().for_each(|(i, v)| x.set(i, *v));
                    close("trmv", &down(&dx), &x.stored, EPSILON, n);
                    // Solving undoes it.
                    blas.$trsv(fill, op, diag, n, &da, a.ld, &mut dx, x.inc).unwrap();
                    close("trsv", &down(&dx), &before, 8.0 * EPSILON, n);

                    let mut s = Matrix::new(rng, (n, n)).only(fill, Diag::NonUnit);
                    let (alpha, beta) = (scalar(rng), scalar(rng));
                    let (x, mut y) = (Vector::new(rng, n), Vector::new(rng, n));
                    let (dx, mut dy) = (up(&x.stored), up(&y.stored));
                    blas.$symv(
                        fill,
                        n,
                        alpha as $T,
                        &up(&s.stored),
                        s.ld,
                        &dx,
                        x.inc,
                        beta as $T,
                        &mut dy,
                        y.inc,
                    )
                    .unwrap();
                    for i in 0..n {
                        let sum: f64 = (0..n).map(|j| s.symmetric(fill, i, j) * x.get(j)).sum();
                        y.set(i, alpha * sum + beta * y.get(i));
                    }
                    close("symv", &down(&dy), &y.stored, EPSILON, n);
                    let mut ds = up(&s.stored);
                    blas.$syr(fill, n, alpha as $T, &dx, x.inc, &mut ds, s.ld).unwrap();
                    for j in 0..n {
                        for i in (0..n).filter(|i| inside(fill, *i, j)) {
                            let new = s.get(Op::N, i, j) + alpha * x.get(i) * x.get(j);
                            s.set(i, j, new);
                        }
                    }
                    close("syr", &down(&ds), &s.stored, EPSILON, 2);
                }
                assert_eq!(rig.findings(), [""; 0]);
            }

            #[test]
            fn matrix_times_matrix() {
                let rig = rig();
                let blas = Blas::new().unwrap();
                for case in 0..CASES {
                    let rng = &mut random(400 + case);
                    let (m, n, k) = (size(rng), size(rng), size(rng));
                    let (op_a, op_b) = (OPS[rng.random_range(0..3)], OPS[rng.random_range(0..3)]);
                    let a = Matrix::new(rng, if op_a == Op::N { (m, k) } else { (k, m) });
                    let b = Matrix::new(rng, if op_b == Op::N { (k, n) } else { (n, k) });
                    let mut c = Matrix::new(rng, (m, n));
                    let (alpha, beta) = (scalar(rng), scalar(rng));
                    if beta == 0.0 {
                        c.stored.fill(f64::NAN); // must not be read
                    }
                    let (da, db, mut dc) = (up(&a.stored), up(&b.stored), up(&c.stored));
                    blas.$gemm(
                        op_a,
                        op_b,
                        m,
                        n,
                        k,
                        alpha as $T,
                        &da,
                        a.ld,
                        &db,
                        b.ld,
                        beta as $T,
                        &mut dc,
                        c.ld,
                    )
                    .unwrap();
                    for j in 0..n {
                        for i in 0..m {
                            let sum: f64 =
                                (0..k).map(|p| a.get(op_a, i, p) * b.get(op_b, p, j)).sum();
                            let old = if beta == 0.0 { 0.0 } else { beta * c.get(Op::N, i, j) };
                            c.set(i, j, alpha * sum + old);
                        }
                    }
                    close("gemm", &down(&dc), &c.stored, EPSILON, k);

                    let (x, y) = (
                        Matrix::new(rng, if op_a == Op::N { (m, n) } else { (n, m) }),
                        Matrix::new(rng, if op_b == Op::N { (m, n) } else { (n, m) }),
                    );
                    blas.$geam(
                        op_a,
                        op_b,
                        m,
                        n,
                        alpha as $T,
                        &up(&x.stored),
                        x.ld,
                        beta as $T,
                        &up(&y.stored),
                        y.ld,
                        &mut dc,
                        c.ld,
                    )
                    .unwrap();
                    for j in 0..n {
                        for i in 0..m {
                            c.set(i, j, alpha * x.get(op_a, i, j) + beta * y.get(op_b, i, j));
                        }
                    }
                    close("geam", &down(&dc), &c.stored, EPSILON, 2);
                }
                assert_eq!(rig.findings(), [""; 0]);
            }

            #[test]
            fn special_matrices_times_matrices() {
                let rig = rig();
                let blas = Blas::new().unwrap();
                for case in 0..CASES {
                    let rng = &mut random(500 + case);
                    let (m, n) = (size(rng), size(rng));
                    let (fill, op) = (FILLS[rng.random_range(0..2)], OPS[rng.random_range(0..3)]);
                    let side = [Side::Left, Side::Right][rng.random_range(0..2)];
                    let diag = [Diag::NonUnit, Diag::Unit][rng.random_range(0..2)];
                    let (alpha, beta) = (scalar(rng), scalar(rng));
                    let order = if side == Side::Left { m } else { n };

                    let a = Matrix::new(rng, if op == Op::N { (m, n) } else { (n, m) });
                    let mut c = Matrix::new(rng, (m, m)).only(fill, Diag::NonUnit);
                    let mut dc = up(&c.stored);
                    blas.$syrk(
                        fill,
                        op,
                        m,
                        n,
                        alpha as $T,
                        &up(&a.stored),
                        a.ld,
                        beta as $T,
                        &mut dc,
                        c.ld,
                    )
                    .unwrap();
                    for j in 0..m {
                        for i in (0..m).filter(|i| inside(fill, *i, j)) {
                            let sum: f64 = (0..n).map(|p| a.get(op, i, p) * a.get(op, j, p)).sum();
                            let new = alpha * sum + beta * c.get(Op::N, i, j);
                            c.set(i, j, new);
                        }
                    }
                    close("syrk", &down(&dc), &c.stored, EPSILON, n);

                    let s = Matrix::new(rng, (order, order)).only(fill, Diag::NonUnit);
                    let (b, mut c) = (Matrix::new(rng, (m, n)), Matrix::new(rng, (m, n)));
                    let mut dc = up(&c.stored);
                    blas.$symm(
                        side,
                        fill,
                        m,
                        n,
                        alpha as $T,
                        &up(&s.stored),
                        s.ld,
                        &up(&b.stored),
                        b.ld,
                        beta as $T,
                        &mut dc,
                        c.ld,
                    )
                    .unwrap();
                    for j in 0..n {
                        for i in 0..m {
                            let sum: f64 = match side {
                                Side::Left => (0..m)
                                    .map(|p| s.symmetric(fill, i, p) * b.get(Op::N, p, j))
                                    .sum(),
                                Side::Right => (0..n)
                                    .map(|p| b.get(Op::N, i, p) * s.symmetric(fill, p, j))
                                    .sum(),
                            };
                            let new = alpha * sum + beta * c.get(Op::N, i, j);
                            c.set(i, j, new);
                        }
                    }
                    close("symm", &down(&dc), &c.stored, EPSILON, 3 * order);

                    // The solution, multiplied out, is the right-hand side again.
                    let t = Matrix::new(rng, (order, order)).only(fill, diag);
                    let mut dx = up(&b.stored);
                    blas.$trsm(
                        side,
                        fill,
                        op,
                        diag,
                        m,
                        n,
                        alpha as $T,
                        &up(&t.stored),
                        t.ld,
                        &mut dx,
                        b.ld,
                    )
                    .unwrap();
                    let x = Matrix { rows: b.rows, ld: b.ld, stored: down(&dx) };
                    let (mut back, mut wanted) = (b.stored.clone(), b.stored.clone());
                    for j in 0..n {
                        for i in 0..m {
                            let at = i + j * b.ld;
                            back[at] = match side {
                                Side::Left => (0..m)
                                    .map(|p| {
                                        t.triangular(fill, op, diag, i, p) * x.get(Op::N, p, j)
                                    })
                                    .sum(),
                                Side::Right => (0..n)
                                    .map(|p| {
                                        x.get(Op::N, i, p) * t.triangular(fill, op, diag, p, j)
                                    })
                                    .sum(),
                            };
                            wanted[at] *= alpha;
                        }
                    }
                    close("trsm", &back, &wanted, 8.0 * EPSILON, order);
                }
                assert_eq!(rig.findings(), [""; 0]);
            }

            #[test]
            fn batches_are_single_products() {
                let _rig = rig();
                let blas = Blas::new().unwrap();
                let rng = &mut random(600);
                let (m, n, k, batch) = (5, 4, 3, 6);
                // One factor for all of them, and gaps between the others.
                let (a, b, c) =
                    (values(rng, m * k), values(rng, 20 * batch), values(rng, 30 * batch));
                let (da, db, mut dc) = (up(&a), up(&b), up(&c));
                blas.$batched(
                    Op::N,
                    Op::T,
                    m,
                    n,
                    k,
                    1.5,
                    &da,
                    m,
                    0,
                    &db,
                    n,
                    20,
                    0.5,
                    &mut dc,
                    m,
                    30,
                    batch,
                )
                .unwrap();
                let mut wanted = Vec::new();
                for i in 0..batch {
                    let mut one = up(&c[30 * i..][..30]);
                    blas.$gemm(
                        Op::N,
                        Op::T,
                        m,
                        n,
                        k,
                        1.5,
                        &da,
                        m,
                        &up(&b[20 * i..][..20]),
                        n,
                        0.5,
                        &mut one,
                        m,
                    )
                    .unwrap();
                    wanted.extend(down(&one));
                }
                assert_eq!(down(&dc), wanted);
                let error = blas
                    .$batched(
                        Op::N,
                        Op::T,
                        m,
                        n,
                        k,
                        1.5,
                        &da,
                        m,
                        0,
                        &db,
                        n,
                        20,
                        0.5,
                        &mut dc,
                        m,
                        19,
                        batch,
                    )
                    .unwrap_err();
                assert!(error.to_string().contains("the matrices of C overlap"), "{error}");
                let error = blas
                    .$batched(
                        Op::N,
                        Op::T,
                        m,
                        n,
                        k,
                        1.5,
                        &da,
                        m,
                        0,
                        &db,
                        n,
                        20,
                        0.5,
                        &mut dc,
                        m,
                        33,
                        batch,
                    )
                    .unwrap_err();
                assert!(error.to_string().contains("C has 15 elements"), "{error}");
            }
        }
    };
}

suite!(
    single, f32,
    isamax isamin sasum sasum_into snrm2 snrm2_into sdot sdot_into saxpy sscal scopy sswap srot
    sgemv sger ssymv ssyr strmv strsv sgemm sgemm_strided_batched ssyrk ssymm strsm sgeam
);
suite!(
    double, f64,
    idamax idamin dasum dasum_into dnrm2 dnrm2_into ddot ddot_into daxpy dscal dcopy dswap drot
    dgemv dger dsymv dsyr dtrmv dtrsv dgemm dgemm_strided_batched dsyrk dsymm dtrsm dgeam
);

#[test]
fn vectors_and_matrices_travel_with_their_strides() {
    let rig = rig();
    let rng = &mut random(1);
    let mut device = on_device(&[0.0f64; 40]);
    let host = values(rng, 40);
    set_vector(5, &host, 3, &mut device, 2).unwrap();
    let mut back = [9.0; 11];
    get_vector(5, &device, 2, &mut back, 2).unwrap();
    let wanted: Vec<f64> =
        (0..11).map(|i| if i % 2 == 0 && i < 10 { host[i / 2 * 3] } else { 9.0 }).collect();
    assert_eq!(back.to_vec(), wanted);
    // 3 x 4, from ld 5 to ld 7 and back to ld 3.
    let mut device = unwritten::<f64>(28);
    set_matrix(3, 4, &host, 5, &mut device, 7).unwrap();
    let mut back = [0.0; 12];
    get_matrix(3, 4, &device, 7, &mut back, 3).unwrap();
    for j in 0..4 {
        assert_eq!(back[3 * j..][..3], host[5 * j..][..3]);
    }
    assert_eq!(rig.findings(), [""; 0]);
    // The gaps were never written, and are reported when they are read.
    get_matrix(7, 4, &device, 7, &mut [0.0; 28], 7).unwrap();
    let found = rig.findings();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(
        found[0].contains("[3], A of cublasGetMatrix, is read but was never written"),
        "{found:?}"
    );
}

#[test]
fn extremes_follow_the_vendor() {
    let _rig = rig();
    let blas = Blas::new().unwrap();
    // Each was seen on cuBLAS 13.
    let nan = f32::NAN;
    for (x, wanted) in [
        (vec![1.0, -3.0, 3.0, 2.0], 2),
        (vec![1.0, nan, 3.0, 2.0], 3),
        (vec![nan, 1.0, 3.0], 3),
        (vec![0.0; 3], 1),
        (vec![1.0, 5.0, f32::INFINITY, nan], 3),
    ] {
        assert_eq!(blas.isamax(x.len(), &on_device(&x), 1).unwrap(), wanted, "{x:?}");
    }
    let x = on_device(&[3e30f32, 4e30]);
    assert_relative_eq!(blas.snrm2(2, &x, 1).unwrap(), 5e30, max_relative = 1e-6);
    let x = on_device(&[3e300f64, 4e300]);
    assert_relative_eq!(blas.dnrm2(2, &x, 1).unwrap(), 5e300, max_relative = 1e-15);
    let x = on_device(&[3e-300f64, 4e-300]);
    let norm = blas.dnrm2(2, &x, 1).unwrap();
    assert_relative_eq!(norm, 5e-300, epsilon = 0.0, max_relative = 1e-15);
}

#[test]
fn a_chain_of_calls_needs_no_result_on_the_host() {
    let rig = rig();
    let mut blas = Blas::new().unwrap();
    blas.set_stream(rig.lab.stream()).unwrap();
    // x = x / |x|^2 . (x . y), all in device memory.
    let x = on_device(&[1.0f64, 2.0, 2.0]);
    let mut y = on_device(&[1.0f64, 1.0, 1.0]);
    let mut s = unwritten::<f64>(1);
    blas.ddot_into(3, &x, 1, &y, 1, &mut s).unwrap();
    blas.daxpy(3, &*s, &x, 1, &mut y, 1).unwrap();
    let mut out = [0.0; 3];
    get_vector(3, &y, 1, &mut out, 1).unwrap();
    assert_eq!(out, [6.0, 11.0, 11.0]);
    let error = blas.dgemv(Op::N, 1, 1, 1.0, &x, 1, &x, 1, Scalar::Device(&s), &mut y, 1);
    let error = error.unwrap_err().to_string();
    assert!(
        error.ends_with("alpha and beta must both be numbers, or both be in device memory"),
        "{error}"
    );
}
