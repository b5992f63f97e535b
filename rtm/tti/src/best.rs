//! The best step on the CPU: tiles of rows, each of which a thread marches through
//! ([`march`](super::march)).

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use super::layout::{BLOCK, VolumeLayout};
use super::march::{self, March, Step, TILE, Tile, WIDTH, Weights, Window};
use super::media::Media;
use super::model::Model;

/// What a model needs, and the windows of the threads.
pub(super) struct Best {
    layout: VolumeLayout,
    weights: Weights,
    media: Media,
    windows: Vec<Window>,
    march: March,
}

impl Best {
    /// For so many threads.
    pub(super) fn new(model: &Model, dt_s: f64, threads: usize) -> Best {
        let layout = model.layout;
        Best {
            layout,
            weights: Weights::new(&layout, dt_s),
            media: Media::new(model),
            windows: (0..threads).map(|_| Window::new(layout.width().min(WIDTH))).collect(),
            march: march::march,
        }
    }

    /// In other registers.
    #[cfg(test)]
    pub(super) fn set_march(&mut self, march: March) {
        self.march = march;
    }

    /// Another time step.
    #[cfg(test)]
    pub(super) fn set_dt(&mut self, dt_s: f64) {
        self.weights = Weights::new(&self.layout, dt_s);
    }

    /// The next level of both fields in place of the one before.
    pub(super) fn step(&mut self, now: [&[f32]; 2], [old_p, old_q]: [&mut [f32]; 2]) {
        let Best { layout, weights, media, windows, march } = self;
        let VolumeLayout { n: [_, ny, nz], row, plane, first, .. } = *layout;
        // A part of the planes takes differences of eight more: no more parts than keep all busy.
        let across = ny.div_ceil(TILE);
        let parts = (4 * windows.len()).div_ceil(across).clamp(1, nz.div_ceil(32));
        let depth = nz.div_ceil(parts);
        let mut tiles: Vec<Tile<'_>> = (0..nz)
            .step_by(depth)
            .flat_map(|from| (0..ny).step_by(TILE).map(move |top| [top, from]))
            .map(|from| Tile { from, rows: TILE.min(ny - from[0]), old: Vec::new() })
            .collect();
        let planes = old_p[first..].chunks_mut(plane).zip(old_q[first..].chunks_mut(plane));
        for (iz, (p, q)) in planes.take(nz).enumerate() {
            let rows = p.chunks_mut(TILE * row).zip(q.chunks_mut(TILE * row));
            for (tile, (p, q)) in tiles[iz / depth * across..][..across].iter_mut().zip(rows) {
                tile.old.push([p, q]);
            }
        }
        let step = Step { layout, weights, media, now };
        let width = layout.width();
        let piece = width.div_ceil(width.div_ceil(WIDTH)).next_multiple_of(BLOCK);
        let tiles = Mutex::new(tiles.into_iter());
        windows.par_iter_mut().for_each(|window| {
            loop {
                let next = tiles.lock().unwrap_or_else(PoisonError::into_inner).next();
                let Some(mut tile) = next else { break };
                for left in (0..width).step_by(piece) {
                    let points = left..width.min(left + piece);
                    march(&step, &mut tile, &points, window);
                }
            }
        });
    }
}
