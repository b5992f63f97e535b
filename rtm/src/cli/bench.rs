//! `rtm bench`: time steps per second on this machine.

use clap::Args;
use rtm::Result;
use rtm::run::speed;

/// Time the propagator: bare update, and with absorbing layers
#[derive(Args)]
pub struct BenchArgs {
    /// Points along each side
    #[arg(long, default_value = "128,200", value_delimiter = ',')]
    n: Vec<usize>,
    /// Orders of the differences
    #[arg(long, default_value = "4,8,12", value_delimiter = ',')]
    order: Vec<usize>,
    /// Absorbing layers (0: only the bare update)
    #[arg(long, default_value_t = 16)]
    layers: usize,
    /// Time steps of one measurement
    #[arg(long, default_value_t = 10)]
    steps: usize,
    /// Measurements, of which the best counts
    #[arg(long, default_value_t = 3)]
    repeats: usize,
    /// CPU threads; 0: all
    #[arg(long, default_value_t = 0)]
    threads: usize,
    /// In double precision
    #[arg(long)]
    double: bool,
}

impl BenchArgs {
    /// Measures and prints a table.
    pub fn run(&self) -> Result<()> {
        let backend = super::backend(self.threads)?;
        let name = rtm::engine::Backend::<f32>::name(&backend);
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
                                &backend,
                                n,
                                order,
                                layers,
                                self.steps,
                                self.repeats,
                            )?,
                            16.0,
                        ),
                        true => (
                            speed::measure::<f64>(
                                &backend,
                                n,
                                order,
                                layers,
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
            "GB/s: at 4 numbers per point and step (two levels and the velocity read, one level written)"
        );
        Ok(())
    }
}
