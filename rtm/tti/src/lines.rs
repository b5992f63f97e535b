//! Numbers that start on a line of the cache, so that no vector of theirs lies on two, and large
//! arrays on a huge page.

use std::ops::{Deref, DerefMut};

use rtm::grid::want_huge_pages;

/// Bytes of a line, and of a huge page.
const LINE: usize = 64;
const PAGE: usize = 2 << 20;

/// So many numbers from the start of a line on.
pub(super) struct Lines {
    /// Longer than asked for, and never moved.
    all: Vec<f32>,
    from: usize,
    len: usize,
}

impl Lines {
    /// Zeros.
    pub(super) fn zeros(len: usize) -> Lines {
        let bytes = len * size_of::<f32>();
        let align = if bytes > PAGE / 8 { PAGE } else { LINE };
        let spare = align / size_of::<f32>();
        let mut all: Vec<f32> = Vec::with_capacity(len + spare);
        want_huge_pages(&all);
        let from = all.as_ptr().align_offset(align).min(spare);
        all.resize(from + len, 0f32);
        Lines { all, from, len }
    }
}

impl Deref for Lines {
    type Target = [f32];
    fn deref(&self) -> &[f32] {
        &self.all[self.from..][..self.len]
    }
}

impl DerefMut for Lines {
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.all[self.from..][..self.len]
    }
}
