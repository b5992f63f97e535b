//! The wave kernels: which there are, how they are compiled, which device each fits.

use rtm::opencl::device::{Kind, Limits};
use rtm::{Error, Result};
use serde::{Deserialize, Serialize};

use super::wave::{Block, RADIUS};

/// A form of the wave kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Variant {
    /// V0b: a work-item for each cell, nothing else.
    Plain,
    /// V1: the thesis' GPU code: local memory, a march along z.
    Local,
    /// V1s: V1 with several cells for each work-item, as vectors.
    Lanes,
    /// V2: the thesis' FPGA code: one work-item, a shift register.
    Task,
    /// V2r: V2 with a ring instead of a shift.
    Ring,
    /// V2m: V2r with a work-item for each of several tiles.
    Replicated,
    /// V3: V2r with neighbours added before they are multiplied.
    Factored,
    /// V4: reader, stencil, writer, joined by FIFOs.
    Fifo,
    /// V5: V0b in fixed point.
    Fixed,
    /// V6: several time steps in one pass.
    Temporal,
}

impl Variant {
    /// All, in the order of their numbers.
    pub const ALL: [Variant; 10] = [
        Variant::Plain,
        Variant::Local,
        Variant::Lanes,
        Variant::Task,
        Variant::Ring,
        Variant::Replicated,
        Variant::Factored,
        Variant::Fifo,
        Variant::Fixed,
        Variant::Temporal,
    ];

    /// Its number: `V0b` to `V6`.
    pub fn id(self) -> &'static str {
        ["V0b", "V1", "V1s", "V2", "V2r", "V2m", "V3", "V4", "V5", "V6"][self as usize]
    }

    /// What it is, in a few words.
    pub fn what(self) -> &'static str {
        match self {
            Variant::Plain => "one work-item per cell, global memory only",
            Variant::Local => "NDRange, local memory, march along z (the thesis' GPU code)",
            Variant::Lanes => "V1 with vectors along x",
            Variant::Task => "single work-item, shift register (the thesis' FPGA code)",
            Variant::Ring => "single work-item, ring",
            Variant::Replicated => "ring, one work-item per tile at a time",
            Variant::Factored => "ring, factored stencil, coefficients baked in",
            Variant::Fifo => "reader, stencil and writer joined by FIFOs",
            Variant::Fixed => "fixed point, 32 bits, sums in 64",
            Variant::Temporal => "several time steps in one pass over memory",
        }
    }

    /// The variant of a number, in any case.
    ///
    /// # Errors
    /// There is no such variant.
    pub fn parse(text: &str) -> Result<Variant> {
        let found = Variant::ALL.into_iter().find(|v| v.id().eq_ignore_ascii_case(text));
        found.ok_or_else(|| {
            let known: Vec<_> = Variant::ALL.iter().map(|v| v.id()).collect();
            Error::input(format!("there is no variant '{text}'; known are {}", known.join(", ")))
        })
    }

    /// Whether it slides a window over tiles with single work-items.
    pub fn has_window(self) -> bool {
        !matches!(self, Variant::Plain | Variant::Local | Variant::Lanes | Variant::Fixed)
    }

    /// Volumes that it keeps: three if it writes over the level before, four if not, five if it
    /// writes two levels.
    pub fn volumes(self) -> usize {
        match self {
            Variant::Temporal => 5,
            v if v.has_window() => 4,
            _ => 3,
        }
    }
}

/// A variant with all its switches.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Config {
    /// Which kernel.
    pub variant: Variant,
    /// Cells of a group along x and y (V1, V1s).
    pub group: [usize; 2],
    /// Cells of a work-item along x (V1s): 1, 2, 4 or 8.
    pub lanes: usize,
    /// Cells of a tile along x and y, overlap included (V2 and its kin).
    pub tile: [usize; 2],
    /// Cells computed at a time (`PAR_POINTS`).
    pub par: usize,
    /// Work-items that share the tiles (V2m).
    pub workers: usize,
    /// Tokens that fit a FIFO (V4).
    pub depth: usize,
    /// Fractional bits of the pressure (V5).
    pub fraction: u32,
    /// Time steps of a pass (V6).
    pub steps: usize,
    /// Unroll factor of the loops over radius and points.
    pub unroll: usize,
    /// Coefficients as constants of the program; else an argument in constant memory.
    pub baked: bool,
    /// Floats before each volume (V0b, V1, V1s): 30 puts the first interior cell on 128 bytes.
    pub padding: usize,
    /// Shift and clear the whole window at once, as an FPGA would (V2). Compilers for CPUs take
    /// very long over it.
    pub fpga_emu: bool,
    /// Count and check every access to global memory. Slow.
    pub count: bool,
}

impl Config {
    /// The variant with its usual switches.
    pub fn new(variant: Variant) -> Config {
        Config {
            variant,
            group: [32, 8],
            lanes: 4,
            tile: [36, 36],
            par: 6,
            workers: 2,
            depth: 16,
            fraction: 24,
            steps: 2,
            unroll: 2,
            baked: matches!(
                variant,
                Variant::Plain | Variant::Local | Variant::Lanes | Variant::Factored
            ),
            padding: 0,
            fpga_emu: false,
            count: false,
        }
    }

    /// The variant as it suits a device and a volume: groups no larger than it allows, a worker for
    /// each unit and tile.
    pub fn suited(variant: Variant, limits: &Limits, block: Block) -> Config {
        let mut config = Config::new(variant);
        if limits.kind == Kind::Gpu {
            config.lanes = 1;
        }
        // On a CPU the window may be large: fewer cells are computed twice.
        if limits.kind == Kind::Cpu && variant.has_window() && variant != Variant::Task {
            config.tile = if block.n[0].min(block.n[1]) >= 176 { [180, 180] } else { [36, 36] };
        }
        config.workers = limits.units.clamp(1, config.tiles(block).max(1));
        config
    }

    /// Time steps of one launch.
    pub fn stride(&self) -> usize {
        if self.variant == Variant::Temporal { self.steps } else { 1 }
    }

    /// Floats of one window: `2 R Dx Dy + P`, a power of two where it is a ring.
    pub fn window(&self) -> usize {
        let exact = 2 * RADIUS * self.tile[0] * self.tile[1] + self.par;
        if self.variant == Variant::Task { exact } else { exact.next_power_of_two() }
    }

    /// Floats of the window of velocities of V6.
    pub fn velocity_window(&self) -> usize {
        ((self.steps - 1) * RADIUS * self.tile[0] * self.tile[1] + self.par).next_power_of_two()
    }

    /// Bytes of private memory of one work-item for windows.
    pub fn private_bytes(&self) -> usize {
        let floats = match self.variant {
            Variant::Temporal => self.steps * self.window() + self.velocity_window(),
            v if v.has_window() => self.window(),
            _ => 0,
        };
        floats * size_of::<f32>()
    }

    /// Tiles along x and y.
    pub fn tiles_along(&self, block: Block) -> [usize; 2] {
        let overlap = 2 * RADIUS * self.stride();
        std::array::from_fn(|axis| {
            let (dim, size) = (block.full()[axis], self.tile[axis]);
            if dim <= size {
                1
            } else {
                1 + (dim - size).div_ceil(size.saturating_sub(overlap).max(1))
            }
        })
    }

    /// Tiles of a step (V2 and its kin).
    pub fn tiles(&self, block: Block) -> usize {
        self.tiles_along(block).iter().product()
    }

    /// Iterations of the window's loop for one launch: `tiles (Dx Dy / P) (Nz + R)`, with `R steps`
    /// for V6.
    pub fn iterations(&self, block: Block) -> usize {
        let deep = block.full()[2] + RADIUS * self.stride();
        self.tiles(block) * (self.tile[0] * self.tile[1] / self.par) * deep
    }

    /// Refuses switches that make no kernel, whatever the device.
    ///
    /// # Errors
    /// Each with its reason.
    pub fn check(&self) -> Result<()> {
        let bad = |text: String| Err(Error::input(format!("{}: {text}", self.variant.id())));
        let [wx, wy] = self.group;
        let [dx, dy] = self.tile;
        if wx == 0 || wy == 0 || self.unroll == 0 || self.par == 0 || self.workers == 0 {
            return bad(
                "sizes of groups, unroll factor, PAR_POINTS and workers must be positive".into()
            );
        }
        if !matches!(self.variant, Variant::Plain | Variant::Local | Variant::Lanes)
            && self.padding > 0
        {
            return bad("padding is a switch of V0b, V1 and V1s".into());
        }
        if self.count && matches!(self.variant, Variant::Lanes | Variant::Fixed) {
            return bad("its loads are not counted; V1 and V0b have the same".into());
        }
        if self.fpga_emu && self.variant != Variant::Task {
            return bad("only V2 has a shift register to unroll".into());
        }
        match self.variant {
            Variant::Local | Variant::Lanes if wx < RADIUS || wy < RADIUS => {
                return bad(format!("a group of {wx} x {wy} cells is smaller than its halo"));
            }
            Variant::Lanes if ![1, 2, 4, 8].contains(&self.lanes) => {
                return bad(format!("{} lanes: 1, 2, 4 or 8", self.lanes));
            }
            Variant::Lanes if !wx.is_multiple_of(self.lanes) => {
                return bad(format!(
                    "a group {wx} cells wide is no multiple of {} lanes",
                    self.lanes
                ));
            }
            Variant::Fixed if !(8..=30).contains(&self.fraction) => {
                return bad(format!("{} fractional bits: 8 to 30", self.fraction));
            }
            Variant::Temporal if self.steps == 0 => return bad("0 time steps in a pass".into()),
            Variant::Fifo if self.depth == 0 => {
                return bad("a FIFO holds one token at least".into());
            }
            _ => {}
        }
        if self.variant.has_window() {
            if !dx.is_multiple_of(self.par) {
                return bad(format!("a tile {dx} cells wide is no multiple of P = {}", self.par));
            }
            let overlap = 2 * RADIUS * self.stride();
            if dx <= overlap || dy <= overlap {
                return bad(format!("a tile of {dx} x {dy} cells is all overlap ({overlap})"));
            }
        }
        Ok(())
    }

    /// Why this does not fit a device, if it does not.
    pub fn misfit(&self, limits: &Limits, block: Block) -> Option<String> {
        if let Err(error) = self.check() {
            return Some(error.to_string());
        }
        let [wx, wy] = self.group;
        let items = match self.variant {
            Variant::Local => wx * wy,
            Variant::Lanes => wx / self.lanes * wy,
            _ => 1,
        };
        if items > limits.group {
            return Some(format!(
                "a group of {items} work-items does not fit: the device allows {}",
                limits.group
            ));
        }
        let local = (wx + 2 * RADIUS) * (wy + 2 * RADIUS) * size_of::<f32>();
        if matches!(self.variant, Variant::Local | Variant::Lanes)
            && local as u64 > limits.local_bytes
        {
            return Some(format!(
                "{local} bytes of local memory do not fit: the device has {}",
                limits.local_bytes
            ));
        }
        // A GPU reserves private memory for every thread that it could run at once.
        const PRIVATE_ON_GPU: usize = 64 << 10;
        let private = self.private_bytes();
        if limits.kind == Kind::Gpu && private > PRIVATE_ON_GPU {
            return Some(format!(
                "a window of {private} bytes per work-item does not fit: a GPU keeps it in global \
                 memory for each thread that it could run; up to {PRIVATE_ON_GPU} are tried"
            ));
        }
        let bytes = block.bytes(self.variant.volumes()) as u64;
        if limits.global_bytes > 0 && bytes > limits.global_bytes {
            return Some(format!(
                "{bytes} bytes of volumes do not fit: the device has {}",
                limits.global_bytes
            ));
        }
        None
    }

    /// The kernel's name and the texts of its program.
    pub(super) fn program(&self) -> (&'static str, Vec<&'static str>) {
        const WAVE: &str = include_str!("../../kernels/opencl/wave.cl");
        const WINDOW: &str = include_str!("../../kernels/opencl/swi_window.cl");
        const SWI: &str = include_str!("../../kernels/opencl/swi.cl");
        match self.variant {
            Variant::Plain => {
                ("ndrange_plain", vec![WAVE, include_str!("../../kernels/opencl/ndrange_plain.cl")])
            }
            Variant::Local => {
                ("ndrange_local", vec![WAVE, include_str!("../../kernels/opencl/ndrange_local.cl")])
            }
            Variant::Lanes => {
                ("ndrange_lanes", vec![WAVE, include_str!("../../kernels/opencl/ndrange_lanes.cl")])
            }
            Variant::Fixed => {
                ("ndrange_fixed", vec![WAVE, include_str!("../../kernels/opencl/ndrange_fixed.cl")])
            }
            Variant::Task | Variant::Ring | Variant::Replicated | Variant::Factored => {
                ("swi", vec![WAVE, WINDOW, SWI])
            }
            Variant::Fifo => {
                ("swi_fifo", vec![WAVE, WINDOW, include_str!("../../kernels/opencl/swi_fifo.cl")])
            }
            Variant::Temporal => (
                "swi_temporal",
                vec![WAVE, WINDOW, include_str!("../../kernels/opencl/swi_temporal.cl")],
            ),
        }
    }

    /// `-D` of the program.
    pub(super) fn defines(&self) -> Vec<String> {
        let mut defines = vec![format!("UNROLL={}", self.unroll)];
        if self.baked {
            defines.push("BAKED".into());
        }
        if self.count {
            defines.push("COUNT".into());
        }
        if matches!(self.variant, Variant::Local | Variant::Lanes) {
            defines.extend([format!("WX={}", self.group[0]), format!("WY={}", self.group[1])]);
        }
        if self.variant == Variant::Lanes {
            defines.push(format!("LANES={}", self.lanes));
        }
        if self.variant.has_window() {
            defines.extend([
                format!("DX={}", self.tile[0]),
                format!("DY={}", self.tile[1]),
                format!("P={}", self.par),
                format!("TAPS={}", self.window()),
            ]);
            if self.variant != Variant::Task {
                defines.push("RING".into());
            }
        }
        match self.variant {
            Variant::Factored => defines.push("FACTORED".into()),
            Variant::Fifo => defines.extend([format!("DEPTH={}", self.depth), "BURST=4".into()]),
            Variant::Temporal => defines.extend([
                format!("STEPS={}", self.steps),
                format!("VEL_TAPS={}", self.velocity_window()),
            ]),
            Variant::Task if self.fpga_emu => defines.push("FPGA_EMU".into()),
            _ => {}
        }
        defines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CPU: Limits = Limits {
        kind: Kind::Cpu,
        units: 2,
        group: 4096,
        local_bytes: 2 << 20,
        global_bytes: 8 << 30,
        buffer_bytes: 2 << 30,
        double: true,
    };
    const GPU: Limits = Limits { kind: Kind::Gpu, group: 1024, local_bytes: 48 << 10, ..CPU };

    #[test]
    fn numbers_are_read_and_unknown_ones_refused() {
        for variant in Variant::ALL {
            assert_eq!(Variant::parse(&variant.id().to_lowercase()).unwrap(), variant);
        }
        assert!(Variant::parse("V7").unwrap_err().to_string().contains("V0b, V1, V1s"));
    }

    /// C17: the window of the thesis.
    #[test]
    fn the_window_of_the_thesis_has_129606_floats() {
        let config = Config { tile: [180, 180], par: 6, ..Config::new(Variant::Task) };
        assert_eq!(config.window(), 129_606);
        assert_eq!(Config { variant: Variant::Ring, ..config }.window(), 131_072);
    }

    /// C14, C15, C18, C49: what does not fit says why.
    #[test]
    fn misfits_say_why() {
        let block = Block::cube(32).unwrap();
        let why =
            |config: Config, limits: &Limits| config.misfit(limits, block).unwrap_or_default();
        let wide = Config { group: [64, 64], ..Config::new(Variant::Local) };
        assert!(
            why(wide.clone(), &GPU)
                .contains("4096 work-items does not fit: the device allows 1024")
        );
        assert_eq!(why(wide, &CPU), "");
        let odd = Config { tile: [14, 12], ..Config::new(Variant::Ring) };
        assert!(why(odd, &CPU).contains("no multiple of P = 6"));
        let lanes = Config { group: [12, 8], lanes: 8, ..Config::new(Variant::Lanes) };
        assert!(why(lanes, &CPU).contains("no multiple of 8 lanes"));
        let thesis = Config { tile: [180, 180], ..Config::new(Variant::Ring) };
        assert!(why(thesis.clone(), &GPU).contains("window of 524288 bytes"));
        assert_eq!(why(thesis, &CPU), "");
        let padded = Config { padding: 30, ..Config::new(Variant::Task) };
        assert!(why(padded, &CPU).contains("padding"));
        let small = Config { steps: 4, tile: [12, 12], ..Config::new(Variant::Temporal) };
        assert!(why(small, &CPU).contains("all overlap"));
        let none = Config { depth: 0, ..Config::new(Variant::Fifo) };
        assert!(why(none, &CPU).contains("one token"));
        assert!(
            why(Config::new(Variant::Plain), &Limits { global_bytes: 1000, ..CPU })
                .contains("do not fit")
        );
    }

    /// C19: the thesis' count.
    #[test]
    fn iterations_are_those_of_the_thesis() {
        let config = Config { tile: [180, 180], par: 6, ..Config::new(Variant::Task) };
        let standard = Block::cube(352).unwrap();
        assert_eq!(config.tiles(standard), 4);
        assert_eq!(config.iterations(standard), 7_732_800);
        // ceil((N - 2R) / (D - 2R)) tiles along each axis, for any size.
        for n in 1..400 {
            let tiles = config.tiles_along(Block::cube(n).unwrap())[0];
            assert_eq!(tiles, n.div_ceil(176), "{n}");
        }
    }
}
