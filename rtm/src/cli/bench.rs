//! `rtm bench`: time steps per second on this machine.

use clap::Args;
use rtm::Result;
use rtm::engine::Backend;
use rtm::run::speed::{self, Top};

use super::backend::BackendArgs;
#[cfg(feature = "cuda")]
use super::backend::Kind;

/// Time the propagator: bare update, and with absorbing layers
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct BenchArgs {
    #[cfg(feature = "opencl")]
    #[command(subcommand)]
    table: Option<super::opencl::Tables>,
    /// Points along each side
    #[arg(long, default_value = "128,200", value_delimiter = ',')]
    pub n: Vec<usize>,
    /// Orders of the differences
    #[arg(long, default_value = "4,8,12", value_delimiter = ',')]
    pub order: Vec<usize>,
    /// Absorbing layers (0: only the bare update)
    #[arg(long, default_value_t = 16)]
    pub layers: usize,
    /// Time steps of one measurement
    #[arg(long, default_value_t = 10)]
    pub steps: usize,
    /// Measurements, of which the best counts
    #[arg(long, default_value_t = 3)]
    pub repeats: usize,
    /// CPU threads; 0: all
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// In double precision
    #[arg(long)]
    pub double: bool,
    /// Where, and (GPU) with which kernels: a list of names, or `all`
    #[command(flatten)]
    pub backend: BackendArgs,
    /// GPU: its number
    #[arg(long, default_value_t = 0)]
    pub device: u32,
    /// GPU: fuse multiplications and additions (another rounding than the CPU's)
    #[arg(long)]
    pub contract: bool,
    /// GPU: blocks that a multiprocessor should hold; more of them have fewer registers each; 0:
    /// the back end's choice
    #[arg(long, default_value_t = 0)]
    pub min_blocks: u32,
    /// GPU: planes that the vector kernels compute without moving their queue of registers
    #[arg(long, default_value_t = 1)]
    pub unroll: u32,
    /// GPU: blocks that run at a time, for which marches are cut into pieces; 0: as the driver says
    #[arg(long, default_value_t = 0)]
    pub resident: usize,
    /// GPU: kernels of the layers, as pml_stencil_kernel
    #[arg(long, default_value_t = 0)]
    pub layer_kernel: u32,
    /// Instead: what a free surface costs beside a top that reflects without one
    #[arg(long)]
    pub free_surface: bool,
    /// GPU: instead of single steps, migrate one shot of so many points on each side by several
    /// strategies
    #[arg(long)]
    pub shot: Option<usize>,
    /// GPU: time levels of the shot
    #[arg(long, default_value_t = 2000)]
    pub levels: usize,
    /// GPU: instead of single steps, one field of so many points on each side over 1 to `--gpus`
    /// devices
    #[arg(long)]
    pub split: Option<usize>,
    /// GPU: instead of single steps, so many shots (of `--shot` points on each side) shared by 1 to
    /// `--gpus` devices, 1 to `--at-once` on each at the same time
    #[arg(long)]
    pub shots: Option<usize>,
    /// GPU: all kernels of a shot on one stream, nothing beside the layers' kernels
    #[arg(long)]
    pub one_stream: bool,
    /// GPU: each launch of a shot by itself, no graphs of those that come again
    #[arg(long)]
    pub no_graphs: bool,
    /// GPU: each step of a shot by itself, none together with the other field's or the image
    #[arg(long)]
    pub no_pairs: bool,
    /// GPU: threads of a block of the layers' kernels
    #[arg(long, default_value_t = 256)]
    pub line_threads: u32,
    /// GPU: blocks of the layers' kernels that a multiprocessor should hold; 0: the back end's
    /// choice
    #[arg(long, default_value_t = 0)]
    pub line_blocks: u32,
    /// GPU: times of each kernel of the shot
    #[arg(long)]
    pub profile: bool,
}

impl BenchArgs {
    /// Steps with and without a free surface, in turn: the machine may become slower meanwhile.
    fn free_surface(&self) -> Result<()> {
        let backend = self.backend.open(self.threads, None)?;
        let backend: &dyn Backend<f32> = backend.as_ref();
        println!("{}; {} steps, best of {}", backend.name(), self.steps, self.repeats);
        println!("{:>6} {:>6} {:>16} {:>16} {:>8}", "n", "order", "wall, s", "free, s", "more");
        for (&n, &order) in self.n.iter().flat_map(|n| self.order.iter().map(move |o| (n, o))) {
            rtm::fd::check_order(order)?;
            let layers = self.layers.max(1);
            let mut best = [f64::INFINITY; 2];
            for _ in 0..self.repeats {
                for (best, top) in best.iter_mut().zip([Top::Wall, Top::Free]) {
                    let found = speed::measure(backend, n, order, layers, top, self.steps, 1)?;
                    *best = best.min(found.seconds);
                }
            }
            let [wall, free] = best;
            let more = format!("{:.2} %", 100.0 * (free / wall - 1.0));
            println!("{n:>6} {order:>6} {wall:>16.6} {free:>16.6} {more:>8}");
        }
        Ok(())
    }

    /// Measures and prints a table.
    pub fn run(&self) -> Result<()> {
        #[cfg(feature = "opencl")]
        if let Some(table) = &self.table {
            return table.run();
        }
        if self.free_surface {
            return self.free_surface();
        }
        #[cfg(feature = "cuda")]
        if self.backend.backend == Kind::Cuda {
            return self.cuda();
        }
        let backend = self.backend.open(self.threads, None)?;
        let name = Backend::<f32>::name(backend.as_ref());
        println!(
            "{name}; {} steps, best of {}; million points per second",
            self.steps, self.repeats
        );
        println!("{:>6} {:>6} {:>8} {:>14} {:>10}", "n", "order", "layers", "Mpoints/s", "GB/s");
        for &n in &self.n {
            for &order in &self.order {
                rtm::fd::check_order(order)?;
                let layers: &[usize] = if self.layers > 0 { &[0, self.layers] } else { &[0] };
                for &layers in layers {
                    let (speed, bytes) = match self.double {
                        false => (
                            speed::measure::<f32>(
                                backend.as_ref(),
                                n,
                                order,
                                layers,
                                Top::Alike,
                                self.steps,
                                self.repeats,
                            )?,
                            16.0,
                        ),
                        true => (
                            speed::measure::<f64>(
                                backend.as_ref(),
                                n,
                                order,
                                layers,
                                Top::Alike,
                                self.steps,
                                self.repeats,
                            )?,
                            32.0,
                        ),
                    };
                    let rate = speed.points_per_s();
                    let traffic = format!("{:.1}", rate * bytes / 1e9);
                    println!("{n:>6} {order:>6} {layers:>8} {:>14.0} {traffic:>10}", rate / 1e6);
                }
            }
        }
        println!(
            "GB/s: at 4 numbers per point and step (two levels and the velocity read, one level \
             written)"
        );
        Ok(())
    }
}
