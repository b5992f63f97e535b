//! FT made fast: two passes over memory for each transform, eight lines in each vector.
//!
//! Elements lie in groups of eight neighbours ([`Eight`]). In the spectrum, and along y and z, they
//! are neighbours in x, so eight lines of y or z are one piece of memory after another. For the
//! transform along x eight rows are turned: then they are neighbours in y, and stay so, because
//! only the checksum reads the field afterwards.
//!
//! The first pass of an iteration takes lines along z out of the spectrum, multiplies them by the
//! factors of the iteration, which come from three tables, one for each axis, and writes them to
//! the field. The second takes the planes of constant z one after the other, which fit a core's
//! caches: y, then x.

use multiversion::multiversion;
use npb::ft::lanes::{self, Buffer, Eight, LANES, Plan, Stage};
use npb::ft::{C64, axis_factors, by_plan, check, fill_rows, sequential, sum_of_1024};
use rayon::prelude::*;

/// Groups that are taken out of memory together: each place in memory is visited for eight lines of
/// the cache, and what was taken still fits a core's second cache.
const TOGETHER: usize = 4;

/// The memory of a run: field and spectrum.
#[derive(Debug)]
pub struct Workspace {
    size: [usize; 3],
    field: Buffer,
    spectrum: Buffer,
    forward: [Plan; 3],
    inverse: [Plan; 3],
}

/// Room of a task: lines that were taken out of memory, and as much for the transform.
struct Room {
    lines: Buffer,
    scratch: Buffer,
}

impl Room {
    fn new(longest: usize) -> Room {
        Room { lines: Buffer::new(TOGETHER * longest), scratch: Buffer::new(TOGETHER * longest) }
    }
}

impl Workspace {
    /// Memory for a grid of nx, ny, nz points, which all cores of rayon's pool have touched.
    ///
    /// # Errors
    /// A size that is not a power of two.
    pub fn new(size: [usize; 3]) -> Result<Workspace, String> {
        check(size)?;
        let [nx, ny, nz] = size;
        // Grids too small for groups are done line by line, in memory of its own.
        let groups = if nx < LANES || ny < LANES { 0 } else { nx * ny * nz / LANES };
        let touched = || {
            let mut buffer = Buffer::new(groups);
            buffer.elements_mut().par_chunks_mut(512).for_each(|part| part[0].re[0] = 0.0);
            buffer
        };
        Ok(Workspace {
            size,
            field: touched(),
            spectrum: touched(),
            forward: size.map(|n| Plan::new(n, true)),
            inverse: size.map(|n| Plan::new(n, false)),
        })
    }

    /// Bytes that a grid of so many points needs.
    pub fn bytes([nx, ny, nz]: [usize; 3]) -> u64 {
        2 * size_of::<C64>() as u64 * nx as u64 * ny as u64 * nz as u64
    }

    /// The benchmark: checksums of `iterations` iterations, on all cores of rayon's pool. They do
    /// not depend on the number of cores. `after` is called with the number (from 1) and the
    /// checksum of each iteration as soon as it is done.
    pub fn run(&mut self, iterations: usize, after: &mut dyn FnMut(usize, C64)) -> Vec<C64> {
        if self.field.elements().is_empty() {
            let sums = sequential(self.size, iterations, &mut by_plan).unwrap_or_default();
            sums.iter().enumerate().for_each(|(i, sum)| after(i + 1, *sum));
            return sums;
        }
        self.initial_transformed();
        (1..=iterations)
            .map(|t| {
                self.along_z(t);
                self.along_y_and_x();
                let sum = self.checksum();
                after(t, sum);
                sum
            })
            .collect()
    }

    /// The spectrum: planes of random numbers are made, and transformed along x and y, in the
    /// field's memory; then z.
    fn initial_transformed(&mut self) {
        let [nx, ny, _] = self.size;
        let [along_x, along_y, along_z] = &self.forward;
        let planes = self.field.elements_mut().par_chunks_mut(nx / LANES * ny).enumerate();
        planes.for_each_init(
            || (Room::new(nx.max(ny)), vec![C64::default(); nx]),
            |(room, numbers), (z, plane)| {
                for (i, rows) in plane.chunks_exact_mut(nx).enumerate() {
                    let lines = &mut room.lines.elements_mut()[..nx];
                    for l in 0..LANES {
                        fill_rows(z * ny + i * LANES + l, nx, numbers);
                        lines.iter_mut().zip(&*numbers).for_each(|(to, v)| to.set_lane(l, *v));
                    }
                    let scratch = &mut room.scratch.elements_mut()[..nx];
                    turn_rows(transform(along_x, lines, scratch), rows);
                }
                columns(along_y, nx, room, plane);
            },
        );
        let ones = self.size.map(|n| vec![1.0; n]);
        lines_of_z(self.size, along_z, &ones, &self.field, &mut self.spectrum);
    }

    /// From the spectrum to the field: the factors of iteration t, and the transform along z.
    fn along_z(&mut self, t: usize) {
        let factors = self.size.map(|n| axis_factors(n, t));
        let plan = &self.inverse[2];
        lines_of_z(self.size, plan, &factors, &self.spectrum, &mut self.field);
    }

    fn along_y_and_x(&mut self) {
        let [nx, ny, _] = self.size;
        let [along_x, along_y, _] = &self.inverse;
        self.field.elements_mut().par_chunks_mut(nx / LANES * ny).for_each_init(
            || Room::new(nx.max(ny)),
            |room, plane| {
                columns(along_y, nx, room, plane);
                for rows in plane.chunks_exact_mut(nx) {
                    let lines = &mut room.lines.elements_mut()[..nx];
                    turn_groups(rows, lines);
                    let scratch = &mut room.scratch.elements_mut()[..nx];
                    rows.copy_from_slice(transform(along_x, lines, scratch));
                }
            },
        );
    }

    /// Of the field after the transform along x: groups are neighbours in y.
    fn checksum(&self) -> C64 {
        let [nx, ny, _] = self.size;
        let field = self.field.elements();
        sum_of_1024(self.size, |x, y, z| field[x + nx * ((y + ny * z) / LANES)].lane(y % LANES))
    }
}

/// [`Plan::transform`], its stages compiled for the machine at hand.
fn transform<'a>(plan: &Plan, lines: &'a mut [Eight], room: &'a mut [Eight]) -> &'a mut [Eight] {
    plan.transform_by([forward, inverse], lines, room)
}

#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
fn forward(stage: &Stage, width: usize, from: &[Eight], to: &mut [Eight]) {
    lanes::forward(stage, width, from, to);
}

#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
fn inverse(stage: &Stage, width: usize, from: &[Eight], to: &mut [Eight]) {
    lanes::inverse(stage, width, from, to);
}

/// Transforms the columns of a plane, whose groups are neighbours in x.
fn columns(plan: &Plan, nx: usize, room: &mut Room, plane: &mut [Eight]) {
    let (wide, ny) = (nx / LANES, plane.len() / (nx / LANES));
    for first in (0..wide).step_by(TOGETHER) {
        let width = TOGETHER.min(wide - first);
        let lines = &mut room.lines.elements_mut()[..width * ny];
        for (y, row) in plane.chunks_exact(wide).enumerate() {
            for (k, v) in row[first..first + width].iter().enumerate() {
                lines[k * ny + y] = *v;
            }
        }
        let lines = transform(plan, lines, &mut room.scratch.elements_mut()[..width * ny]);
        for (y, row) in plane.chunks_exact_mut(wide).enumerate() {
            for k in 0..width {
                row[first + k] = lines[k * ny + y];
            }
        }
    }
}

/// Transforms the lines along z of `from`, times the factors, into `to`; groups are neighbours in
/// x.
fn lines_of_z(
    [nx, ny, nz]: [usize; 3],
    plan: &Plan,
    [fx, fy, fz]: &[Vec<f64>; 3],
    from: &Buffer,
    to: &mut Buffer,
) {
    let (from, wide) = (from.elements(), nx / LANES);
    // Row y of all planes, for each y: what one task writes.
    let mut rows: Vec<Vec<&mut [Eight]>> = (0..ny).map(|_| Vec::with_capacity(nz)).collect();
    for (i, row) in to.elements_mut().chunks_mut(wide).enumerate() {
        rows[i % ny].push(row);
    }
    rows.into_par_iter().enumerate().for_each_init(
        || Room::new(nz),
        |room, (y, mut rows)| {
            let from = &from[wide * y..];
            layer(plan, ny, (fx, fy[y], fz), from, room, &mut rows);
        },
    );
}

/// A layer of constant y: lines along z from one in `ny` of the rows of `from` to `rows`, times the
/// factors.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
fn layer(
    plan: &Plan,
    ny: usize,
    (fx, fy, fz): (&[f64], f64, &[f64]),
    from: &[Eight],
    room: &mut Room,
    rows: &mut [&mut [Eight]],
) {
    let (wide, nz) = (fx.len() / LANES, fz.len());
    for first in (0..wide).step_by(TOGETHER) {
        let width = TOGETHER.min(wide - first);
        let lines = &mut room.lines.elements_mut()[..width * nz];
        let fx = &fx[first * LANES..][..width * LANES];
        for z in 0..nz {
            let (row, factor) = (&from[wide * ny * z + first..][..width], fy * fz[z]);
            for k in 0..width {
                let to = &mut lines[k * nz + z];
                for l in 0..LANES {
                    let factor = factor * fx[k * LANES + l];
                    to.re[l] = row[k].re[l] * factor;
                    to.im[l] = row[k].im[l] * factor;
                }
            }
        }
        let lines = transform(plan, lines, &mut room.scratch.elements_mut()[..width * nz]);
        for (z, row) in rows.iter_mut().enumerate() {
            for k in 0..width {
                row[first + k] = lines[k * nz + z];
            }
        }
    }
}

/// From eight rows, one after the other, whose groups are neighbours in x, to groups of neighbours
/// in y.
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
fn turn_groups(rows: &[Eight], lines: &mut [Eight]) {
    let wide = rows.len() / LANES;
    for (i, lines) in lines.chunks_exact_mut(LANES).enumerate() {
        let square: [&Eight; LANES] = std::array::from_fn(|l| &rows[l * wide + i]);
        for (x, to) in lines.iter_mut().enumerate() {
            *to = turned(square, x);
        }
    }
}

/// The way back from [`turn_groups`].
#[multiversion(targets("x86_64+avx512f", "x86_64+avx2"))]
fn turn_rows(lines: &[Eight], rows: &mut [Eight]) {
    let wide = rows.len() / LANES;
    for (i, lines) in lines.chunks_exact(LANES).enumerate() {
        let square: [&Eight; LANES] = std::array::from_fn(|l| &lines[l]);
        for l in 0..LANES {
            rows[l * wide + i] = turned(square, l);
        }
    }
}

/// Lane l of eight groups.
#[inline(always)]
fn turned(square: [&Eight; LANES], l: usize) -> Eight {
    Eight { re: square.map(|v| v.re[l]), im: square.map(|v| v.im[l]) }
}

/// Checksums of `iterations` iterations on a grid of nx, ny, nz points, on all cores of rayon's
/// pool.
///
/// # Errors
/// A size that is not a power of two.
pub fn parallel(size: [usize; 3], iterations: usize) -> Result<Vec<C64>, String> {
    Ok(Workspace::new(size)?.run(iterations, &mut |_, _| ()))
}

#[cfg(test)]
mod tests {
    use npb::ft::Class;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn any_grid_has_the_checksums_of_the_plain_version(
            x in 0u32..6,
            y in 0u32..6,
            z in 0u32..6,
        ) {
            let size = [1 << x, 1 << y, 1 << z];
            let wanted = sequential(size, 2, &mut by_plan).unwrap();
            let mut told = Vec::new();
            let mut workspace = Workspace::new(size).unwrap();
            for _ in 0..2 {
                told.clear();
                let found = workspace.run(2, &mut |t, sum| told.push((t, sum)));
                for (found, wanted) in found.iter().zip(&wanted) {
                    prop_assert!((found - wanted).norm() < 1e-12 * wanted.norm(), "{size:?}");
                }
                prop_assert_eq!(&told, &[(1, found[0]), (2, found[1])]);
            }
        }
    }

    #[test]
    fn small_classes_are_verified() {
        for name in ["T1", "T2", "T3", "T4"] {
            let class = Class::by_name(name).unwrap();
            let found = parallel(class.size, class.iterations()).unwrap();
            assert_eq!(class.verify(&found), Ok(()), "{name}");
        }
        assert_eq!(parallel([48, 8, 8], 1).unwrap_err(), "NX = 48 is not a power of two");
    }

    #[test]
    fn the_number_of_cores_does_not_show() {
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| parallel([16, 32, 8], 3)).unwrap()
        };
        assert_eq!(on(1), on(3));
    }
}
