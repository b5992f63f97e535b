//! The outer points of a box, stored without the inner ones: random velocities of the layers, and
//! the shell that boundary saving keeps of each level.

/// The points of a box within `thickness` of its faces, in the order of memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shell {
    n: [usize; 3],
    thickness: usize,
}

impl Shell {
    /// The shell of a box of `n` points, which must be more than twice the thickness along each
    /// axis.
    pub fn new(n: [usize; 3], thickness: usize) -> Self {
        assert!(n.iter().all(|&n| n > 2 * thickness), "{n:?} {thickness}");
        Shell { n, thickness }
    }

    /// Its thickness in points.
    pub fn thickness(&self) -> usize {
        self.thickness
    }

    /// The box's points along x, y, z.
    pub fn n(&self) -> [usize; 3] {
        self.n
    }

    fn is_outer(&self, axis: usize, i: usize) -> bool {
        i < self.thickness || i + self.thickness >= self.n[axis]
    }

    /// Its points in plane ix of the box.
    pub fn plane(&self, ix: usize) -> usize {
        let ([_, ny, nz], twice) = (self.n, 2 * self.thickness);
        if self.is_outer(0, ix) { ny * nz } else { twice * nz + (ny - twice) * twice }
    }

    /// All its points.
    pub fn len(&self) -> usize {
        let twice = 2 * self.thickness;
        twice * self.n[1] * self.n[2] + (self.n[0] - twice) * self.plane(self.thickness)
    }

    /// Whether it has no point.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where the values of row ix, iy start, and whether the whole row belongs to it (else its
    /// first and last `thickness` points).
    #[inline(always)]
    pub fn row(&self, ix: usize, iy: usize) -> (usize, bool) {
        let ([nx, ny, nz], t) = (self.n, self.thickness);
        let outer = ix.min(t) + (ix + t).saturating_sub(nx);
        let start = outer * ny * nz + (ix - outer) * self.plane(t);
        if self.is_outer(0, ix) {
            return (start + iy * nz, true);
        }
        let full = iy.min(t) + (iy + t).saturating_sub(ny);
        (start + full * nz + (iy - full) * 2 * t, self.is_outer(1, iy))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_point_once_in_order(t in 0usize..4, more in [1usize..5, 1usize..5, 1usize..5]) {
            let n = more.map(|m| m + 2 * t);
            let shell = Shell::new(n, t);
            let mut next = 0;
            for ix in 0..n[0] {
                let first = next;
                for iy in 0..n[1] {
                    let (start, whole) = shell.row(ix, iy);
                    prop_assert_eq!(start, next);
                    let outer = |axis: usize, i: usize| i < t || i >= n[axis] - t;
                    prop_assert_eq!(whole, outer(0, ix) || outer(1, iy));
                    next += if whole { n[2] } else { 2 * t };
                }
                prop_assert_eq!(shell.plane(ix), next - first);
            }
            prop_assert_eq!(shell.len(), next);
            let inner: usize = more.iter().product();
            prop_assert_eq!(shell.len(), n.iter().product::<usize>() - inner);
        }
    }

    #[test]
    fn the_thesis_shot_65_has_194670_points_at_order_6() {
        assert_eq!(Shell::new([109, 109, 103], 3).len(), 194_670);
        assert_eq!(Shell::new([141, 141, 135], 16).len(), 1_460_192);
    }
}
