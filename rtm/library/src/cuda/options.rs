//! Which kernels a shot runs, and how they are launched.

use super::layout::Points;
use super::variants::{self, Form, Variant};
use crate::{Error, Result};

/// Kernels of the absorbing layers (`pml_stencil_kernel`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LayerKernel {
    /// 1: a launch per face and pass, neighbouring threads along x.
    Naive,
    /// 2: neighbouring threads along z, a launch per axis and pass.
    Improved,
    /// 3: psi of all faces in one launch, the rest within the step; for the vector kernels, else 2.
    Fused,
    /// 4: a launch per axis, whose blocks own whole lines across a layer; for up to 128 layers,
    /// else 2.
    Lines,
    /// 5: as 4, but the x and y faces' launches make the step of their points, too; for the vector
    /// kernels, else 4.
    Slabs,
    /// 4 or 5: 5 where levels are too large for the second-level cache, so that it is their way
    /// through memory that counts.
    LinesOrSlabs,
}

impl LayerKernel {
    /// Whether its blocks own whole lines across a layer.
    pub(super) fn owns_lines(self) -> bool {
        matches!(self, LayerKernel::Lines | LayerKernel::Slabs | LayerKernel::LinesOrSlabs)
    }
}

/// Kernels of the imaging condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageKernel {
    /// `imgcond` 0: neighbouring threads along x.
    Naive,
    /// `imgcond` 7: neighbouring threads along z.
    Improved,
    /// 16 bytes a thread.
    Vector,
}

/// Which kernels, and how they are launched.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// The kernel of a time step.
    pub variant: &'static Variant,
    /// Threads of its block instead of the variant's own.
    pub threads: Option<[u32; 3]>,
    /// Kernels of the layers.
    pub layers: LayerKernel,
    /// Block of the naive layer kernels.
    pub layer_block: [u32; 3],
    /// Kernel of the imaging condition.
    pub image: ImageKernel,
    /// Block of the naive and the improved one.
    pub image_block: [u32; 3],
    /// Fuse multiplications and additions: another rounding than the CPU's.
    pub contract: bool,
    /// Blocks of the vector kernels that a multiprocessor should hold, which limits their
    /// registers; 0: the back end's choice.
    pub min_blocks: u32,
    /// Planes that the vector kernels compute without moving their queue; 1 is the shortest code.
    pub unroll: u32,
    /// Blocks of the step's kernel that the device runs at a time, for which marches are cut into
    /// pieces; 0: as the driver says.
    pub resident: usize,
    /// Let what does not wait for the layers' kernels run beside them, on a second stream.
    pub overlap: bool,
    /// Issue what a shot repeats as graphs of launches, where the driver makes them.
    pub graphs: bool,
    /// On the way back do the source's step, the receivers' and the image in one launch, where
    /// these kernels can.
    pub pairs: bool,
    /// Threads of a block of the kernels that own lines, at most; more where there are more layers.
    pub line_threads: u32,
    /// Blocks of theirs that a multiprocessor should hold; 0: no limit to their registers.
    pub line_blocks: u32,
}

impl Options {
    /// The fastest kernels.
    pub fn best() -> Options {
        Options::of(&variants::VARIANTS[10])
    }

    /// A kernel of a time step with the fastest kernels beside it.
    pub fn of(variant: &'static Variant) -> Options {
        Options {
            variant,
            threads: None,
            layers: LayerKernel::LinesOrSlabs,
            layer_block: [8, 8, 4],
            image: ImageKernel::Vector,
            image_block: [32, 4, 2],
            contract: false,
            min_blocks: 0,
            unroll: 1,
            resident: 0,
            overlap: true,
            graphs: true,
            pairs: true,
            line_threads: 256,
            line_blocks: 0,
        }
    }

    /// Everything as the thesis' first version has it.
    pub fn naive() -> Options {
        Options {
            layers: LayerKernel::Naive,
            image: ImageKernel::Naive,
            overlap: false,
            graphs: false,
            pairs: false,
            ..Options::of(&variants::VARIANTS[0])
        }
    }

    /// `prop_stencil_kernel` and `pml_stencil_kernel`; a number of 0 leaves the choice.
    ///
    /// # Errors
    /// There is no kernel of that number.
    pub fn of_numbers(stencil: u32, layers: u32) -> Result<Options> {
        let mut options = match stencil {
            0 => Options::best(),
            n => Options::of(Variant::find(&n.to_string())?),
        };
        match layers {
            0 => {}
            1 => options.layers = LayerKernel::Naive,
            2 => options.layers = LayerKernel::Improved,
            3 => options.layers = LayerKernel::Fused,
            4 => options.layers = LayerKernel::Lines,
            5 => options.layers = LayerKernel::Slabs,
            n => {
                return Err(Error::refused(
                    format!("pml_stencil_kernel = {n}"),
                    "there is no such kernel",
                    "1 naive, 2 improved, 3 fused with the step, 4 lines, 5 slabs, 0 the fastest",
                ));
            }
        }
        Ok(options)
    }

    /// Threads of the step's block, if nothing better is known of the points.
    pub fn block(&self) -> [u32; 3] {
        self.threads.unwrap_or(self.variant.block)
    }

    /// Whether two steps and an image may be one launch.
    pub(super) fn makes_pairs(&self) -> bool {
        self.pairs
            && self.variant.form == Form::Vector { tile: true }
            && self.layers.owns_lines()
            && self.image == ImageKernel::Vector
    }

    /// Threads along z and y of the block of a pair of steps, where a block can have so many bytes
    /// of shared memory.
    pub(super) fn pair_block(&self, order: usize, real_bytes: usize, shared: usize) -> [u32; 3] {
        let one = Points { ends: [0, 1, 0, 1, 0, 1] };
        let best = [32, 8, 1];
        let (extent, _) = self.variant.extent(&one, best, order / 2, real_bytes, 1);
        let fits = extent.shared as usize <= shared;
        self.threads.unwrap_or(if fits { best } else { [16, 8, 1] })
    }

    /// Threads of a step's block, and how many such blocks a multiprocessor should hold. Those of
    /// `vector` are 640 threads together, with 96 registers each, up to order 10, and 512 beyond.
    /// Up to order 8 two blocks of 20 rows load fewer rows of halo than five of eight do: they are
    /// taken where there are `rows` along y that fill them, and two find the `shared` memory, in
    /// bytes.
    pub(super) fn step_blocks(
        &self,
        order: usize,
        real_bytes: usize,
        rows: usize,
        shared: usize,
    ) -> ([u32; 3], u32) {
        let own = self.variant.form == Form::Vector { tile: true } && self.threads.is_none();
        if !own || self.min_blocks > 0 {
            return (self.block(), self.min_blocks.max(1));
        }
        let tall = [16, 20, 1];
        let one = Points { ends: [0, 1, 0, 1, 0, 1] };
        let (extent, _) = self.variant.extent(&one, tall, order / 2, real_bytes, 1);
        let filled = |by: usize| rows.next_multiple_of(by);
        let fits = 2 * extent.shared as usize <= shared;
        if order <= 8 && fits && rows >= 200 && 100 * filled(20) <= 103 * filled(8) {
            return (tall, 2);
        }
        (self.block(), 4 + u32::from(order <= 10))
    }

    /// How many blocks of a pair's kernel a multiprocessor should hold. Three of its own leave each
    /// thread 80 registers, which is enough up to order 8 in single precision.
    pub(super) fn pair_min_blocks(&self, order: usize, real_bytes: usize) -> u32 {
        match self.min_blocks {
            0 if self.threads.is_none() && real_bytes == 4 && order <= 8 => 3,
            n => n.max(1),
        }
    }

    pub(super) fn check(&self) -> Result<()> {
        let [x, y, z] = self.block();
        let threads = u64::from(x) * u64::from(y) * u64::from(z);
        if !(1..=1024).contains(&threads) || z > 64 {
            return Err(Error::refused(
                format!("--block {x},{y},{z}"),
                format!("{threads} threads"),
                "a block has 1 to 1024 threads, at most 64 along its third axis",
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_has_tall_blocks_where_rows_fill_them() {
        let best = Options::best();
        let rows_of = |options: &Options, order, rows, shared| {
            let ([_, by, _], blocks) = options.step_blocks(order, 4, rows, shared);
            (by, blocks)
        };
        // The faster one on an H200 each time: 256 without and with 16 layers, 512, 768.
        for (rows, tall) in [(256, true), (224, false), (512, true), (480, true), (736, true)] {
            let wanted = if tall { (20, 2) } else { (8, 5) };
            assert_eq!(rows_of(&best, 8, rows, 227 << 10), wanted, "{rows} rows");
        }
        assert_eq!(rows_of(&best, 8, 480, 48 << 10), (8, 5), "one block finds the memory");
        assert_eq!(rows_of(&best, 8, 60, 227 << 10), (8, 5), "few rows");
        assert_eq!(rows_of(&best, 10, 480, 227 << 10), (8, 5));
        assert_eq!(rows_of(&best, 12, 480, 227 << 10), (8, 4));
        let chosen = Options { threads: Some([16, 4, 1]), min_blocks: 3, ..best };
        assert_eq!(rows_of(&chosen, 8, 480, 227 << 10), (4, 3));
        let other = Options::of(Variant::find("improved").expect("known"));
        assert_eq!(other.step_blocks(8, 4, 480, 227 << 10), (other.block(), 1));
    }
}
