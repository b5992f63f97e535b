//! The medium as the best step on the CPU reads it.

use std::ops::Range;

use rayon::prelude::*;
use rtm::propagate::fetch_line;

use super::layout::{BLOCK, VolumeLayout};
use super::lines::Lines;
use super::model::{Medium, Model};

/// One number for each computed point; a row that is like the one before it, or like its own of the
/// plane before, is not stored again.
struct Rows {
    /// Which of the stored rows is that of `iz * ny + iy`.
    which: Vec<u32>,
    values: Lines,
}

impl Rows {
    /// Of the values at all points.
    fn new(of: &dyn Fn(usize) -> f32, layout: &VolumeLayout) -> Rows {
        let ([nx, ny, nz], width) = (layout.n, layout.width());
        let same = |a: usize, b: usize| {
            (0..nx).all(|i| of(a * nx + i).to_bits() == of(b * nx + i).to_bits())
        };
        let (mut which, mut stored) = (Vec::<u32>::new(), Vec::<usize>::new());
        for row in 0..ny * nz {
            let known = [1, ny].into_iter().filter_map(|back| which.get(row.wrapping_sub(back)));
            let known = known.copied().find(|&known| same(row, stored[known as usize]));
            which.push(known.unwrap_or_else(|| {
                stored.push(row);
                (stored.len() - 1) as u32
            }));
        }
        let mut values = Lines::zeros(stored.len() * width);
        for (to, row) in values.chunks_mut(width).zip(stored) {
            to.iter_mut().zip(row * nx..(row + 1) * nx).for_each(|(to, i)| *to = of(i));
        }
        Rows { which, values }
    }
}

/// The medium as the step reads it: the axis of symmetry (x, y, z), `vpz^2`, `vsz^2`, and the
/// factors `vpx^2 / vpz^2` and `vpn^2 / vpz^2`: axis and factors are often those of whole layers.
pub(super) struct Media {
    nz: usize,
    width: usize,
    /// Which of the stored rows are those of `iy * nz + iz`: a step goes along z.
    which: Vec<[u32; 8]>,
    values: [Lines; 7],
}

impl Media {
    /// Of all points of a model.
    pub(super) fn new(model: &Model) -> Media {
        let VolumeLayout { n: [_, ny, nz], .. } = model.layout;
        let width = model.layout.width();
        // The axis' sines take their time.
        let axes: Vec<[f32; 3]> = model.points.par_iter().map(Medium::axis).collect();
        let rows = |of: &dyn Fn(usize) -> f32| Rows::new(of, &model.layout);
        let medium = |i: usize| &model.points[i];
        let rows = [
            rows(&|i| axes[i][0]),
            rows(&|i| axes[i][1]),
            rows(&|i| axes[i][2]),
            rows(&|i| medium(i).squares()[1]),
            rows(&|i| medium(i).squares()[2]),
            rows(&|i| medium(i).factors()[0]),
            rows(&|i| medium(i).factors()[1]),
        ];
        let mut which = vec![[0; 8]; ny * nz];
        for (i, rows) in rows.iter().enumerate() {
            for (at, row) in rows.which.iter().enumerate() {
                which[at % ny * nz + at / ny][i] = *row;
            }
        }
        Media { nz, width, which, values: rows.map(|rows| rows.values) }
    }

    /// Asks for what `rows` of this row will look up.
    #[inline(always)]
    pub(super) fn fetch(&self, iz: usize, iy: usize) {
        fetch_line(self.which.as_ptr().wrapping_add(iy * self.nz + iz).cast());
    }

    /// The blocks of `points` in row `iz`, `iy` of the value `which`.
    #[inline(always)]
    pub(super) fn row(
        &self,
        which: usize,
        [iz, iy]: [usize; 2],
        points: &Range<usize>,
    ) -> &[[f32; BLOCK]] {
        let from = self.which[iy * self.nz + iz][which] as usize * self.width;
        self.values[which][from + points.start..from + points.end].as_chunks().0
    }
}
