//! Where the points of a volume lie in memory: the same on the host and on a device.

use rtm::fd;

/// Points of border on each face, half a stencil: they hold zeros and are never computed.
pub const BORDER: usize = 4;

/// Order of the differences in space; the only one there is here.
pub const ORDER: usize = 2 * BORDER;

/// Rows are computed in pieces of this many points, see [`VolumeLayout::width`].
pub(super) const BLOCK: usize = 16;

/// A regular grid of computed points with a border of zeros. Here, as in the mini-app and unlike in
/// the rest of the crate, x is the fastest index, then y, then z.
///
/// The first computed point of each row lies on a multiple of 128 bytes from the volume's start,
/// which is what a warp wants to read at once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VolumeLayout {
    /// Computed points along x, y, z.
    pub n: [usize; 3],
    /// Spacing along x, y, z, metres.
    pub d_m: [f64; 3],
    /// Elements from a point to its neighbour along y.
    pub row: usize,
    /// Elements from a point to its neighbour along z.
    pub plane: usize,
    /// Where computed point 0, 0, 0 lies.
    pub first: usize,
}

impl VolumeLayout {
    /// A volume of `n` computed points.
    pub fn new(n: [usize; 3], d_m: [f64; 3]) -> VolumeLayout {
        const LINE: usize = 32;
        let row = (n[0].next_multiple_of(BLOCK) + 2 * BORDER).next_multiple_of(LINE);
        let plane = row * (n[1] + 2 * BORDER);
        let first = LINE + BORDER * (plane + row);
        VolumeLayout { n, d_m, row, plane, first }
    }

    /// Elements of a volume, borders and padding included.
    pub fn len(&self) -> usize {
        self.first + self.plane * (self.n[2] + BORDER) + BLOCK
    }

    /// Whether no point is computed.
    pub fn is_empty(&self) -> bool {
        self.points() == 0
    }

    /// Number of computed points.
    pub fn points(&self) -> usize {
        self.n.iter().product()
    }

    /// Where a computed point lies.
    pub fn index(&self, [ix, iy, iz]: [usize; 3]) -> usize {
        self.first + iz * self.plane + iy * self.row + ix
    }

    /// Points of a row rounded up to whole pieces of 16: what is computed beyond the row has zero
    /// velocity and stays zero.
    pub fn width(&self) -> usize {
        self.n[0].next_multiple_of(BLOCK)
    }

    /// The computed points in the order of memory, each as x, y, z.
    pub fn each_point(&self) -> impl Iterator<Item = [usize; 3]> {
        let [nx, ny, nz] = self.n;
        (0..nz).flat_map(move |iz| (0..ny).flat_map(move |iy| (0..nx).map(move |ix| [ix, iy, iz])))
    }

    /// `1 / (da db)` for xx, yy, zz, xy, yz, xz.
    pub fn inverse_spacings(&self) -> [f32; 6] {
        let [x, y, z] = self.d_m;
        [x * x, y * y, z * z, x * y, y * z, x * z].map(|d| (1.0 / d) as f32)
    }

    /// The values of the computed points alone, x fastest.
    pub fn inner(&self, volume: &[f32]) -> Vec<f32> {
        self.each_point().map(|point| volume[self.index(point)]).collect()
    }

    /// `sum 1 / d^2` times the largest value of minus the second difference for spacing 1: minus
    /// the Laplacian of the fastest wave that the grid can hold, 1/m^2.
    pub fn largest_laplacian(&self) -> f64 {
        fd::stability_sum(ORDER) * self.d_m.iter().map(|d| 1.0 / (d * d)).sum::<f64>()
    }
}
