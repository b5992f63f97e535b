//! The step on the CPU: rayon over planes, vectors along x.
// Several arrays are indexed alike in every loop here.
#![allow(clippy::needless_range_loop)]

use std::array;
use std::time::Instant;

use multiversion::multiversion;
use rayon::prelude::*;
use rtm::{Error, Result, fd};

use super::best::Best;
use super::layout::{BLOCK, BORDER, ORDER, VolumeLayout};
use super::lines::Lines;
#[cfg(test)]
use super::march::March;
use super::march::next;
use super::{Method, Model, Propagator};

const H: usize = BORDER;

/// Points that are computed together.
type Block = [f32; BLOCK];

/// A shot in a model on the CPU.
pub struct Cpu {
    layout: VolumeLayout,
    coefficients: Coefficients,
    weights: Weights,
    source: usize,
    p: Lines,
    q: Lines,
    /// The level before, which becomes the next.
    old_p: Lines,
    old_q: Lines,
    pool: Option<rayon::ThreadPool>,
}

enum Coefficients {
    /// As the mini-app has them.
    Ten(Box<[Vec<f32>; 10]>),
    Best(Box<Best>),
}

/// Weights of the differences for spacing 1, and what the spacings make of them.
struct Weights {
    /// Second difference at distances 0 and 1 to 4.
    centre: f32,
    second: [f32; H],
    /// First difference at distances 1 to 4.
    first: [f32; H],
    /// `1 / (da db)` for xx, yy, zz, xy, yz, xz.
    inverse: [f32; 6],
    dt2: f32,
}

impl Weights {
    fn new(layout: &VolumeLayout, dt_s: f64) -> Weights {
        let (c, d) = (fd::second(ORDER), fd::first(ORDER));
        Weights {
            centre: c[0] as f32,
            second: array::from_fn(|l| c[l + 1] as f32),
            first: array::from_fn(|l| d[l + 1] as f32),
            inverse: layout.inverse_spacings(),
            dt2: (dt_s * dt_s) as f32,
        }
    }
}

impl Cpu {
    /// The fields at rest. `source` is the computed point that emits; 0 threads: all cores.
    ///
    /// # Errors
    /// The time step is not stable in the model, or a medium cannot be; the source lies outside;
    /// the method is for GPUs only; the operating system refuses the threads.
    pub fn new(
        model: &Model,
        method: Method,
        dt_s: f64,
        source: [usize; 3],
        threads: usize,
    ) -> Result<Cpu> {
        model.check(dt_s)?;
        let layout = model.layout;
        let coefficients = match method {
            Method::Base => Coefficients::Ten(Box::new(model.coefficients())),
            Method::Best => {
                let threads = if threads == 0 { rayon::current_num_threads() } else { threads };
                Coefficients::Best(Box::new(Best::new(model, dt_s, threads)))
            }
            Method::Shared | Method::SharedQueue => {
                return Err(Error::refused(
                    format!("method '{}'", method.name()),
                    "a CPU has no shared memory",
                    "base or best here, or --device cuda or opencl",
                ));
            }
        };
        let pool = match threads {
            0 => None,
            n => Some(
                rayon::ThreadPoolBuilder::new()
                    .num_threads(n)
                    .build()
                    .map_err(|e| Error::Device(format!("cannot start {n} threads: {e}")))?,
            ),
        };
        let zeros = || Lines::zeros(layout.len());
        Ok(Cpu {
            source: check_source(&layout, source)?,
            weights: Weights::new(&layout, dt_s),
            coefficients,
            p: zeros(),
            q: zeros(),
            old_p: zeros(),
            old_q: zeros(),
            pool,
            layout,
        })
    }

    /// Another time step, stable or not: what the bound is worth can only be seen beyond it.
    #[cfg(test)]
    pub(super) fn set_dt_unchecked(&mut self, dt_s: f64) {
        self.weights = Weights::new(&self.layout, dt_s);
        if let Coefficients::Best(best) = &mut self.coefficients {
            best.set_dt(dt_s);
        }
    }

    /// The best step in other registers.
    #[cfg(test)]
    pub(super) fn set_march(&mut self, march: March) {
        if let Coefficients::Best(best) = &mut self.coefficients {
            best.set_march(march);
        }
    }

    fn threads(&self) -> usize {
        self.pool.as_ref().map_or_else(rayon::current_num_threads, |p| p.current_num_threads())
    }

    fn step(&mut self) {
        let VolumeLayout { n: [_, _, nz], plane, first, .. } = self.layout;
        let Cpu { layout, coefficients, weights, p, q, old_p, old_q, pool, .. } = self;
        let mut work = || match coefficients {
            Coefficients::Ten(c) => {
                let shared = Shared { layout, weights, p, q };
                let (new_p, new_q) = (&mut old_p[first..], &mut old_q[first..]);
                let planes = new_p.par_chunks_mut(plane).zip(new_q.par_chunks_mut(plane));
                planes
                    .take(nz)
                    .enumerate()
                    .for_each(|(iz, (p, q))| base_plane(&shared, c, iz, p, q));
            }
            Coefficients::Best(best) => best.step([p, q], [old_p, old_q]),
        };
        match pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
        std::mem::swap(&mut self.p, &mut self.old_p);
        std::mem::swap(&mut self.q, &mut self.old_q);
    }
}

/// Where the source lies.
pub(super) fn check_source(layout: &VolumeLayout, source: [usize; 3]) -> Result<usize> {
    if (0..3).any(|axis| source[axis] >= layout.n[axis]) {
        return Err(Error::refused(
            format!("source at point {source:?}"),
            format!("the model has {:?} points", layout.n),
            "put it inside",
        ));
    }
    Ok(layout.index(source))
}

impl Propagator for Cpu {
    fn name(&self) -> String {
        let method = match self.coefficients {
            Coefficients::Ten(_) => Method::Base,
            Coefficients::Best(_) => Method::Best,
        };
        format!("cpu ({} threads), {}", self.threads(), method.name())
    }

    fn advance(&mut self, samples: &[f32]) -> Result<f64> {
        let start = Instant::now();
        for sample in samples {
            self.p[self.source] += sample;
            self.q[self.source] += sample;
            self.step();
        }
        Ok(start.elapsed().as_secs_f64())
    }

    fn fields(&mut self) -> Result<[Vec<f32>; 2]> {
        Ok([self.p.to_vec(), self.q.to_vec()])
    }

    fn set_fields(&mut self, now: [&[f32]; 2], before: [&[f32]; 2]) -> Result<()> {
        self.p.copy_from_slice(now[0]);
        self.q.copy_from_slice(now[1]);
        self.old_p.copy_from_slice(before[0]);
        self.old_q.copy_from_slice(before[1]);
        Ok(())
    }
}

/// What all parts of a step read.
struct Shared<'a> {
    layout: &'a VolumeLayout,
    weights: &'a Weights,
    p: &'a [f32],
    q: &'a [f32],
}

/// H1 and H2 of one field.
#[derive(Clone, Copy)]
struct Split {
    h1: Block,
    h2: Block,
}

/// The equations: the next level of p and q from the present, the one before, and both fields' H1
/// and H2.
#[inline(always)]
fn advance(
    [now_p, now_q]: [&Block; 2],
    [old_p, old_q]: [&mut Block; 2],
    [p, q]: [Split; 2],
    [v2px, v2pz, v2sz, v2pn]: [&Block; 4],
    dt2: f32,
) {
    for i in 0..BLOCK {
        let p_tt = v2px[i] * p.h2[i] + v2pz[i] * q.h1[i] + v2sz[i] * (p.h1[i] - q.h1[i]);
        let q_tt = v2pn[i] * p.h2[i] + v2pz[i] * q.h1[i] - v2sz[i] * (p.h2[i] - q.h2[i]);
        old_p[i] = next(now_p[i], old_p[i], p_tt * dt2);
        old_q[i] = next(now_q[i], old_q[i], q_tt * dt2);
    }
}

#[inline(always)]
fn load(f: &[f32], at: usize) -> &Block {
    f[at..].first_chunk().expect("volumes are padded by a block")
}

#[inline(always)]
fn load_mut(f: &mut [f32], at: usize) -> &mut Block {
    f[at..].first_chunk_mut().expect("volumes are padded by a block")
}

/// Second difference at `at` along the axis on which neighbours are `s` elements apart.
#[inline(always)]
fn second(f: &[f32], at: usize, s: usize, w: &Weights, inverse: f32) -> Block {
    let mut sum = load(f, at).map(|f| w.centre * f);
    for l in 1..=H {
        let (minus, plus) = (load(f, at - l * s), load(f, at + l * s));
        for i in 0..BLOCK {
            sum[i] += w.second[l - 1] * (minus[i] + plus[i]);
        }
    }
    sum.map(|v| v * inverse)
}

/// Mixed second difference at `at`, over all its 64 points.
#[inline(always)]
fn mixed(f: &[f32], at: usize, s: usize, t: usize, w: &Weights, inverse: f32) -> Block {
    let mut sum = [0f32; BLOCK];
    for i in 1..=H {
        for j in 1..=H {
            let weight = w.first[i - 1] * w.first[j - 1];
            let (ahead, behind) = (at + i * s, at - i * s);
            let corners = [load(f, ahead + j * t), load(f, ahead - j * t)];
            let others = [load(f, behind + j * t), load(f, behind - j * t)];
            for k in 0..BLOCK {
                sum[k] += weight * (corners[0][k] - corners[1][k] - others[0][k] + others[1][k]);
            }
        }
    }
    sum.map(|v| v * inverse)
}

/// One plane of the base version: `new_p` and `new_q` start at the plane's first computed point.
#[multiversion(targets("x86_64+avx512f+avx512vl+avx512dq+avx512bw", "x86_64+avx2"))]
fn base_plane(
    shared: &Shared<'_>,
    c: &[Vec<f32>; 10],
    iz: usize,
    new_p: &mut [f32],
    new_q: &mut [f32],
) {
    let Shared { layout, weights: w, .. } = shared;
    let [xx, yy, zz, xy, yz, xz] = w.inverse;
    let (row, plane) = (layout.row, layout.plane);
    for iy in 0..layout.n[1] {
        for ix in (0..layout.width()).step_by(BLOCK) {
            let at = layout.index([ix, iy, iz]);
            let [cxx, cyy, czz, cxy, cyz, cxz, v2px, v2pz, v2sz, v2pn] =
                c.each_ref().map(|c| load(c, at));
            let split = |f: &[f32]| {
                let (d_xx, d_yy) = (second(f, at, 1, w, xx), second(f, at, row, w, yy));
                let d_zz = second(f, at, plane, w, zz);
                let d_xy = mixed(f, at, 1, row, w, xy);
                let d_yz = mixed(f, at, row, plane, w, yz);
                let d_xz = mixed(f, at, 1, plane, w, xz);
                let mut split = Split { h1: [0.0; BLOCK], h2: [0.0; BLOCK] };
                for i in 0..BLOCK {
                    split.h1[i] = cxx[i] * d_xx[i]
                        + cyy[i] * d_yy[i]
                        + czz[i] * d_zz[i]
                        + cxy[i] * d_xy[i]
                        + cxz[i] * d_xz[i]
                        + cyz[i] * d_yz[i];
                    split.h2[i] = d_xx[i] + d_yy[i] + d_zz[i] - split.h1[i];
                }
                split
            };
            let splits = [split(shared.p), split(shared.q)];
            let local = iy * row + ix;
            advance(
                [load(shared.p, at), load(shared.q, at)],
                [load_mut(new_p, local), load_mut(new_q, local)],
                splits,
                [v2px, v2pz, v2sz, v2pn],
                w.dt2,
            );
        }
    }
}
