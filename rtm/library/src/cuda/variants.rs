//! The kernels there are for a time step, by the numbers of the thesis (`prop_stencil_kernel`) and
//! by name, and how each is launched.

use labkit::{KernelFile, kernel_file};

use super::device::Extent;
use super::layout::Points;
use crate::{Error, Result};

/// How a kernel divides the points among threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A thread per point, threadIdx.x along x.
    Against,
    /// A thread per point, threadIdx.x along z.
    Along,
    /// The same, the block one plane of x with its tile in shared memory.
    Plane,
    /// A thread per line along z, threadIdx.x along y.
    Lines,
    /// A thread marches along y, the block covers z and x.
    MarchY {
        /// Tiles of `(bx + 2 h) (by + 2 h)` numbers in shared memory.
        tiles: u32,
    },
    /// A thread marches along x, the block covers z and y.
    MarchX,
    /// The same with 16 bytes a thread.
    Vector {
        /// Whether neighbours come from shared memory.
        tile: bool,
    },
}

/// A kernel for a time step.
#[derive(Debug, Clone, Copy)]
pub struct Variant {
    /// `prop_stencil_kernel`; 1 to 9 are the thesis' numbers.
    pub number: u32,
    /// Its name for `--kernel`.
    pub name: &'static str,
    /// Its idea.
    pub about: &'static str,
    /// Where it is.
    pub file: KernelFile,
    /// The kernel's name in the file.
    pub function: &'static str,
    /// How it is launched.
    pub form: Form,
    /// Threads of a block unless `--block` says otherwise; z is used by kernels of a thread per
    /// point only.
    pub block: [u32; 3],
}

const fn variant(
    number: u32,
    name: &'static str,
    about: &'static str,
    file: KernelFile,
    function: &'static str,
    form: Form,
    block: [u32; 3],
) -> Variant {
    Variant { number, name, about, file, function, form, block }
}

const POINT: KernelFile = kernel_file!("cuda/stencil_point.cu");
const MARCH: KernelFile = kernel_file!("cuda/stencil_march.cu");
const VECTOR: KernelFile = kernel_file!("cuda/stencil_vector.cu");

/// All of them, from the first idea to the fastest.
pub const VARIANTS: [Variant; 12] = [
    variant(
        5,
        "naive",
        "a thread per point, neighbouring threads a plane apart",
        POINT,
        "stencil_naive",
        Form::Against,
        [16, 4, 4],
    ),
    variant(
        1,
        "march-z",
        "a thread per line along z, queue in registers, neighbouring threads a row apart",
        POINT,
        "stencil_march_z",
        Form::Lines,
        [32, 4, 1],
    ),
    variant(
        3,
        "aligned",
        "a thread per point, neighbouring threads along z",
        POINT,
        "stencil_aligned",
        Form::Along,
        [32, 4, 2],
    ),
    variant(
        6,
        "constant",
        "aligned, weights in constant memory",
        POINT,
        "stencil_constant",
        Form::Along,
        [32, 4, 2],
    ),
    variant(
        4,
        "shared",
        "constant, a plane's tile in shared memory",
        POINT,
        "stencil_shared",
        Form::Plane,
        [32, 8, 1],
    ),
    variant(
        7,
        "march-y-queue",
        "marches along y with a queue in registers",
        MARCH,
        "stencil_march_y_queue",
        Form::MarchY { tiles: 0 },
        [32, 8, 1],
    ),
    variant(
        8,
        "march-y-tile",
        "marches along y with a tile in shared memory",
        MARCH,
        "stencil_march_y_tile",
        Form::MarchY { tiles: 2 },
        [32, 8, 1],
    ),
    variant(
        9,
        "improved",
        "the thesis' best: marches along y with both",
        MARCH,
        "stencil_improved",
        Form::MarchY { tiles: 2 },
        [32, 8, 1],
    ),
    variant(
        2,
        "in-plane",
        "marches along y, unfinished sums in the queue (Tang et al.)",
        MARCH,
        "stencil_in_plane",
        Form::MarchY { tiles: 2 },
        [32, 8, 1],
    ),
    variant(10, "march-x", "improved, along x", MARCH, "stencil_march_x", Form::MarchX, [32, 8, 1]),
    variant(
        11,
        "vector",
        "march-x with 16 bytes a thread and loads ahead of time",
        VECTOR,
        "stencil_vector",
        Form::Vector { tile: true },
        [16, 8, 1],
    ),
    variant(
        12,
        "vector-cache",
        "vector, neighbours from the first-level cache",
        VECTOR,
        "stencil_vector",
        Form::Vector { tile: false },
        [32, 8, 1],
    ),
];

impl Variant {
    /// The variant of a number or name.
    ///
    /// # Errors
    /// There is none; the text lists all.
    pub fn find(word: &str) -> Result<&'static Variant> {
        let word = word.trim();
        VARIANTS.iter().find(|v| v.name == word || v.number.to_string() == word).ok_or_else(|| {
            let all: Vec<String> =
                VARIANTS.iter().map(|v| format!("{} ({})", v.name, v.number)).collect();
            Error::refused(
                format!("--kernel {word}"),
                "there is no such kernel",
                format!("known are {}", all.join(", ")),
            )
        })
    }

    /// Grid, block, shared memory for the points to compute, and how many planes a thread marches,
    /// on a device that runs `resident` of the blocks at a time.
    pub(super) fn extent(
        &self,
        points: &Points,
        block: [u32; 3],
        half: usize,
        real_bytes: usize,
        resident: usize,
    ) -> (Extent, usize) {
        let [x, y, z] = [points.n(0), points.n(1), points.n(2)];
        let tile = (block[0] as usize + 2 * half) * (block[1] as usize + 2 * half) * real_bytes;
        let flat = [block[0], block[1], 1];
        let cut = |march: usize, across: [u32; 3], tiles: u32| {
            let columns = across[0] as usize * across[1] as usize;
            let chunk = march.div_ceil(pieces(march, columns, resident, 2 * half));
            let grid = [across[0], across[1], march.div_ceil(chunk) as u32];
            (Extent { grid, block: flat, shared: tiles * tile as u32 }, chunk)
        };
        match self.form {
            Form::Against => (Extent::cover([x, y, z], block), 0),
            Form::Along => (Extent::cover([z, y, x], block), 0),
            Form::Plane => (Extent { shared: tile as u32, ..Extent::cover([z, y, x], flat) }, 0),
            Form::Lines => (Extent::cover([y, x, 1], flat), 0),
            Form::MarchY { tiles } => cut(y, Extent::cover([z, x, 1], flat).grid, tiles),
            Form::MarchX => cut(x, Extent::cover([z, y, 1], flat).grid, 2),
            Form::Vector { tile } => {
                let per_vector = 16 / real_bytes;
                let (extent, chunk) =
                    cut(x, Extent::cover([z.div_ceil(per_vector), y, 1], flat).grid, 0);
                // Three of `Part`, in vectors.
                let [bz, by] = [block[0] as usize, block[1] as usize];
                let tile_of = (by + 2 * half) * (bz + 2 * half.div_ceil(per_vector));
                let part = 2 * bz * by + if tile { tile_of } else { 0 };
                (Extent { shared: (3 * 16 * part) as u32, ..extent }, chunk)
            }
        }
    }
}

/// What a piece of a march costs besides its planes, in planes: until its first ones have arrived.
const START: usize = 3;

/// Into how many pieces, of `least` planes or more, the marches of so many columns are cut. Blocks
/// run in turns, as many at a time as the device holds, and a turn takes as long as one block: the
/// planes of a piece, and its start. Among what costs hardly more than the least, the shortest
/// pieces: they even out what blocks differ in.
fn pieces(march: usize, columns: usize, resident: usize, least: usize) -> usize {
    let cost = |pieces: usize| {
        (columns * pieces).div_ceil(resident.max(1)) * (march.div_ceil(pieces) + START)
    };
    let most = (march / least).max(1);
    let cheapest = (1..=most).map(cost).min().unwrap_or(0);
    (1..=most).rev().find(|n| 1000 * cost(*n) <= 1028 * cheapest).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_thesis_numbers_are_all_there_and_found_by_number_and_name() {
        for number in 1..=12u32 {
            let of_number = Variant::find(&number.to_string()).unwrap();
            assert_eq!(of_number.number, number);
            assert_eq!(Variant::find(of_number.name).unwrap().number, number);
        }
        let text = Variant::find("fastest").unwrap_err().to_string();
        assert!(text.contains("improved (9)"), "{text}");
    }

    #[test]
    fn marches_are_cut_so_that_turns_are_full() {
        // What took least among what was tried on an H200, which holds 264 of these blocks.
        for (march, columns, best) in [(256, 64, 4), (224, 42, 6), (480, 210, 5)] {
            let found = pieces(march, columns, 264, 8);
            let turns = |n: usize| (columns * n).div_ceil(264) * (march.div_ceil(n) + START);
            assert!(turns(found) <= turns(best) * 103 / 100, "{march} {columns}: {found}");
        }
        assert_eq!([pieces(7, 1, 264, 8), pieces(9, 1000, 0, 2)], [1, 1]);
        // With five blocks to a multiprocessor; 15 pieces, whose turns cost 3 % more, took longer.
        assert_eq!(pieces(224, 84, 660, 8), 7);
    }

    #[test]
    fn all_points_are_covered() {
        for v in VARIANTS {
            for n in [[5, 6, 7], [64, 33, 70], [300, 200, 100]] {
                let ends = [0, n[0], 0, n[1], 0, n[2]];
                let (e, chunk) = v.extent(&Points { ends }, v.block, 4, 4, 132);
                let threads: Vec<usize> =
                    (0..3).map(|a| (e.grid[a] * e.block[a]) as usize).collect();
                let [x, y, z] = n.map(|n| n as usize);
                let covered = match v.form {
                    Form::Against => threads[0] >= x && threads[1] >= y && threads[2] >= z,
                    Form::Along | Form::Plane => {
                        threads[0] >= z && threads[1] >= y && threads[2] >= x
                    }
                    Form::Lines => threads[0] >= y && threads[1] >= x,
                    Form::MarchY { .. } => {
                        threads[0] >= z && threads[1] >= x && threads[2] * chunk >= y
                    }
                    Form::MarchX => threads[0] >= z && threads[1] >= y && threads[2] * chunk >= x,
                    Form::Vector { .. } => {
                        4 * threads[0] >= z && threads[1] >= y && threads[2] * chunk >= x
                    }
                };
                assert!(covered, "{} {n:?} {e:?}", v.name);
            }
        }
    }
}
