//! Where the elements of a batch of arrays lie, as `cufftPlanMany` describes it.

use crate::device::{Elements, Place};

/// The layout of one side of a plan. Element (i, j, k) of array b, with the last index counting
/// fastest, is at `b * dist + ((i * embed[1] + j) * embed[2] + k) * stride`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchLayout {
    /// Sizes of the storage in each dimension; the first one is not used.
    pub embed: Vec<usize>,
    /// Elements between neighbours of the last dimension.
    pub stride: usize,
    /// Elements between the first elements of neighbouring arrays.
    pub dist: usize,
}

impl BatchLayout {
    /// Arrays without gaps, one after the other.
    pub(super) fn packed(shape: &[usize]) -> BatchLayout {
        BatchLayout { embed: shape.to_vec(), stride: 1, dist: shape.iter().product() }
    }

    /// The rows of neighbours (or single elements, if they are apart) that `batch` arrays of
    /// `shape` have.
    fn rows(&self, shape: &[usize], batch: usize) -> impl Iterator<Item = (usize, usize)> {
        let (&last, outer) = shape.split_last().unwrap_or((&1, &[]));
        let lines: usize = outer.iter().product();
        let outer = outer.to_vec();
        let layout = self.clone();
        let line = move |b: usize, mut index: usize| {
            let mut at = 0;
            let mut scale = 1;
            for d in (0..outer.len()).rev() {
                scale *= layout.embed[d + 1];
                at += (index % outer[d]) * scale;
                index /= outer[d];
            }
            b * layout.dist + at * layout.stride
        };
        let (width, count) = if self.stride == 1 { (last, 1) } else { (1, last) };
        let stride = self.stride;
        let starts = (0..batch * lines).map(move |i| line(i / lines, i % lines));
        starts.flat_map(move |start| (0..count).map(move |k| (start + k * stride, width)))
    }

    /// The elements of `batch` arrays of `shape`, in the order of the arrays.
    pub(super) fn elements(&self, place: Place, shape: &[usize], batch: usize) -> Elements {
        Elements::rows(place, self.rows(shape, batch))
    }

    /// Elements that a slice must have; `None` if that overflows.
    pub(super) fn need(&self, shape: &[usize], batch: usize) -> Option<usize> {
        if batch == 0 {
            return Some(0);
        }
        let mut last = shape[0] - 1;
        for (&n, &embed) in shape.iter().zip(&self.embed).skip(1) {
            last = last.checked_mul(embed)?.checked_add(n - 1)?;
        }
        let last = last.checked_mul(self.stride)?;
        (batch - 1).checked_mul(self.dist)?.checked_add(last)?.checked_add(1)
    }
}
