//! Which kernel of a device makes the step, and in which shape: what CUDA and OpenCL have in
//! common.

use rtm::{Error, Result};

use super::{BORDER, Method, Model, Propagator, VolumeLayout};

/// Planes that a turn of the `shared-queue` kernel computes, as its source has it.
const TURN: usize = 2;

/// A method with the shape of its blocks (work-groups).
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// Which kernel.
    pub method: Method,
    /// Threads of a block along x and y.
    pub block: [u32; 2],
    /// Planes that a block computes; 0: all. Fewer make more blocks, of which each begins with 8
    /// planes of which nothing is computed yet (`shared-queue` and `best`).
    pub chunk: usize,
    /// CUDA: whether the distances between rows and planes are constants of the program, which is
    /// then compiled for each size of the grid. OpenCL's always are.
    pub strides: bool,
    /// Further options of the compiler, such as `-DMIN_BLOCKS=2`.
    pub options: Vec<String>,
}

impl Kernel {
    /// The shape that was fastest on an H200, see docs/measurements/tti.md.
    pub fn new(method: Method) -> Kernel {
        let (block, chunk, strides) = match method {
            Method::Base => ([32, 16], 64, false),
            Method::Shared => ([32, 16], 64, true),
            Method::SharedQueue => ([32, 16], 64, false),
            Method::Best => ([32, 4], 0, false),
        };
        Kernel { method, block, chunk, strides, options: Vec::new() }
    }

    /// The same through OpenCL, on a device with `local_bytes` of local memory for a group.
    pub fn opencl(method: Method, local_bytes: u64) -> Kernel {
        Kernel::new(method).within(local_bytes)
    }

    /// The same with blocks of another shape.
    #[must_use]
    pub fn with_block(self, x: u32, y: u32) -> Kernel {
        Kernel { block: [x, y], ..self }
    }

    /// The same with fewer rows in a block, until they fit `local_bytes` of shared memory.
    #[must_use]
    pub fn within(mut self, local_bytes: u64) -> Kernel {
        while self.local_bytes() > local_bytes && self.block[1] > 1 {
            self.block[1] /= 2;
        }
        self
    }

    /// The same with so many planes a block.
    #[must_use]
    pub fn with_chunk(self, chunk: usize) -> Kernel {
        Kernel { chunk, ..self }
    }

    /// The same with strides as constants, or not.
    #[must_use]
    pub fn with_strides(self, strides: bool) -> Kernel {
        Kernel { strides, ..self }
    }

    /// The same with these options of the compiler.
    #[must_use]
    pub fn with_options(self, options: &[&str]) -> Kernel {
        Kernel { options: options.iter().map(|&o| o.to_owned()).collect(), ..self }
    }

    /// For people: `best 32x8, chunk 64, -DMIN_BLOCKS=2`.
    pub fn label(&self) -> String {
        let [x, y] = self.block;
        let mut label = format!("{} {x}x{y}", self.method.name());
        if self.chunk > 0 {
            label += &format!(", chunk {}", self.chunk);
        }
        if self.strides {
            label += ", strides";
        }
        self.options.iter().for_each(|o| label += &format!(" {o}"));
        label
    }

    /// The kernel's name in its program.
    pub(super) fn symbol(&self) -> &'static str {
        match self.method {
            Method::Base => "tti_base",
            Method::Shared => "tti_shared",
            Method::SharedQueue => "tti_shared_queue",
            Method::Best => "tti_best",
        }
    }

    /// Planes that a block computes.
    pub(super) fn planes(&self, layout: &VolumeLayout) -> usize {
        if self.chunk == 0 { layout.n[2] } else { self.chunk.min(layout.n[2]) }
    }

    /// Blocks that cover the volume.
    pub(super) fn blocks(&self, layout: &VolumeLayout) -> [usize; 3] {
        let [nx, ny, nz] = layout.n;
        let [bx, by] = self.block.map(|n| n as usize);
        [nx.div_ceil(bx), ny.div_ceil(by), nz.div_ceil(self.planes(layout))]
    }

    /// Pairs (p, q) of shared memory whose number the launch says: the tiles of a ring.
    pub(super) fn ring(&self) -> usize {
        let [bx, by] = self.block.map(|n| n as usize);
        match self.method {
            Method::SharedQueue => 2 * (BORDER + TURN) * (bx + 2 * BORDER) * (by + 2 * BORDER),
            _ => 0,
        }
    }

    /// Bytes of them.
    pub(super) fn ring_bytes(&self) -> u64 {
        (self.ring() * 2 * size_of::<f32>()) as u64
    }

    /// Bytes of local memory of a group, where they can be many: the ring, or what `best`
    /// declares in OpenCL.
    pub(super) fn local_bytes(&self) -> u64 {
        let [bx, by] = self.block.map(u64::from);
        let halo = 2 * BORDER as u64;
        match self.method {
            Method::Best => {
                let tiles = 2 * (bx + halo) * (by + halo);
                let (slope, waiting) = (by * (bx + halo), 3 * BORDER as u64 * bx * by);
                (tiles + slope + waiting) * 2 * size_of::<f32>() as u64
            }
            _ => self.ring_bytes(),
        }
    }

    /// Whether both fields of a level lie side by side, as pairs (p, q).
    pub(super) fn pairs(&self) -> bool {
        self.method == Method::Best
    }

    /// The volumes of a level at rest, made by `zeros` of so many numbers.
    pub(super) fn level<T>(
        &self,
        layout: &VolumeLayout,
        zeros: impl Fn(usize) -> Result<T>,
    ) -> Result<Vec<T>> {
        let volumes: &[usize] = if self.pairs() { &[2] } else { &[1, 1] };
        volumes.iter().map(|numbers| zeros(numbers * layout.len())).collect()
    }

    /// The volumes of a level with these p and q.
    pub(super) fn join(&self, [p, q]: [&[f32]; 2]) -> Vec<Vec<f32>> {
        if self.pairs() {
            vec![p.iter().zip(q).flat_map(|(p, q)| [*p, *q]).collect()]
        } else {
            vec![p.to_vec(), q.to_vec()]
        }
    }

    /// p and q of a level's volumes.
    pub(super) fn split(level: Vec<Vec<f32>>) -> [Vec<f32>; 2] {
        <[Vec<f32>; 2]>::try_from(level).unwrap_or_else(|level| {
            [0, 1].map(|field| {
                let pairs = level.iter().flat_map(|volume| volume.as_chunks::<2>().0);
                pairs.map(|pair| pair[field]).collect()
            })
        })
    }

    /// The kernel that adds the source's sample.
    pub(super) fn inject(&self) -> &'static str {
        if self.pairs() { "tti_inject_pair" } else { "tti_inject" }
    }

    /// The arrays of coefficients that the kernel reads, in the order of its parameters.
    pub(super) fn coefficients(&self, model: &Model, dt_s: f64) -> Vec<Vec<f32>> {
        match self.method {
            Method::Best => model.compact(dt_s).into(),
            _ => model.coefficients().into(),
        }
    }

    /// How many numbers of a point they hold.
    pub(super) fn numbers(&self) -> usize {
        if self.method == Method::Best { 6 } else { 10 }
    }

    /// Refuses what does not fit a device: `free` bytes of memory, blocks of at most `threads`,
    /// indices of 31 bits.
    pub(super) fn check(&self, layout: &VolumeLayout, free: u64, threads: usize) -> Result<()> {
        let [x, y] = self.block.map(|n| n as usize);
        if x == 0 || y == 0 || x * y > threads {
            return Err(Error::refused(
                format!("blocks of {x} x {y} threads"),
                format!("the device has blocks of 1 to {threads}"),
                "a smaller block, such as 32 x 8",
            ));
        }
        if i32::try_from(layout.len()).is_err() {
            return Err(Error::Memory(format!(
                "{:?} points: a volume has {} elements, and kernels count to 2^31: make the model \
                 smaller",
                layout.n,
                layout.len()
            )));
        }
        let volumes = 4 + self.numbers();
        let needed = (volumes * layout.len() * size_of::<f32>()) as u64;
        if needed > free {
            let less = match self.method {
                Method::Best => "",
                _ => ", or take --method best, which needs four volumes less",
            };
            return Err(Error::Memory(format!(
                "{volumes} volumes of {:?} points need {} MiB, the device has {} MiB free: make \
                 the model smaller{less}",
                layout.n,
                needed >> 20,
                free >> 20
            )));
        }
        Ok(())
    }
}

/// A device that can change its kernel, to find the fastest.
pub trait Tunable: Propagator {
    /// Goes on with another kernel, fields at rest again. `model` must be the one that the shot
    /// began with.
    ///
    /// # Errors
    /// The kernel does not fit the device, or does not compile.
    fn change_kernel(&mut self, model: &Model, kernel: Kernel) -> Result<()>;
}
