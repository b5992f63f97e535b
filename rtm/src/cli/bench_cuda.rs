//! `rtm bench --backend cuda`: every kernel against what the same device's memory can copy; whole
//! shots against their traffic.

use rtm::cuda::bench::{
    copy_bandwidth, level_bytes, problem, shot_time, shots_time, split_rate, step_rate,
};
use rtm::cuda::variants::{VARIANTS, Variant};
use rtm::cuda::{Cuda, Options};
use rtm::plan::{RandomBoundary, Replay, Strategy};
use rtm::run::amounts::bytes;
use rtm::{Error, Result};

use super::bench::BenchArgs;

/// Absorbing points on each face of a shot.
const LAYERS: usize = 16;

impl BenchArgs {
    /// Measures and prints the tables.
    pub(super) fn cuda(&self) -> Result<()> {
        let mut cuda = Cuda::new(self.device, self.options(Options::best())?)?;
        let largest = self.n.iter().copied().max().unwrap_or(128);
        // Arrays that no cache holds; the emulator has none.
        let least = if cuda.device().is_emulated() { 0 } else { 1 << 29 };
        let copied = level_bytes::<f32>([largest; 3], 8).max(least);
        let bandwidth = copy_bandwidth(cuda.device(), copied, 2 * self.repeats)?;
        println!(
            "{}: copies {:.0} GB/s (reads and writes together, arrays of {})",
            cuda.device().name(),
            bandwidth / 1e9,
            bytes(copied as f64)
        );
        if cuda.device().is_emulated() {
            println!("times are those that the emulator's model predicts from its counts");
        }
        match (self.shot, self.split, self.shots) {
            (_, Some(n), _) => self.split_table(n),
            (n, None, Some(shots)) => self.shots_table(n.unwrap_or(256), shots),
            (Some(n), None, None) => self.one_shot(&mut cuda, n, bandwidth),
            (None, None, None) => self.steps_table(&mut cuda, bandwidth),
        }
    }

    /// A choice of kernels with what the command line says about their launches.
    fn options(&self, of: Options) -> Result<Options> {
        Ok(Options {
            layers: Options::of_numbers(0, self.layer_kernel)?.layers,
            unroll: self.unroll,
            resident: self.resident,
            threads: self.backend.threads(),
            contract: self.contract,
            min_blocks: self.min_blocks,
            overlap: of.overlap && !self.one_stream,
            graphs: of.graphs && !self.no_graphs,
            pairs: of.pairs && !self.no_pairs,
            line_threads: self.line_threads,
            line_blocks: self.line_blocks,
            ..of
        })
    }

    /// The devices that share the work, from `--device` on, each so many times.
    fn devices(&self, gpus: usize, at_once: usize) -> Result<Vec<Cuda>> {
        let options = self.options(Options::best())?;
        let of_each = (0..gpus).map(|i| Cuda::shared(self.device + i as u32, options, at_once));
        Ok(of_each.collect::<Result<Vec<_>>>()?.into_iter().flatten().collect())
    }

    fn variants(&self) -> Result<Vec<&'static Variant>> {
        match self.backend.kernel.as_deref() {
            None => Ok(vec![Options::best().variant]),
            Some("all") => Ok(VARIANTS.iter().collect()),
            Some(list) => list.split(',').map(Variant::find).collect(),
        }
    }

    fn steps_table(&self, cuda: &mut Cuda, bandwidth: f64) -> Result<()> {
        println!(
            "{} steps, best of {}; GB/s at 4 numbers a point and step; of copy: share of the \
             copy's GB/s",
            self.steps, self.repeats
        );
        println!(
            "{:>5} {:>5} {:>6} {:<14} {:<10} {:>10} {:>10} {:>8} {:>8}",
            "n", "order", "layers", "kernel", "block", "ms/step", "Gpoints/s", "GB/s", "of copy"
        );
        for &n in &self.n {
            for &order in &self.order {
                rtm::fd::check_order(order)?;
                for variant in self.variants()? {
                    let mut layers = vec![0];
                    layers.extend((self.layers > 0).then_some(self.layers));
                    for layers in layers {
                        let options = self.options(Options::of(variant))?;
                        cuda.set_options(options)?;
                        let (rate, [x, y, z]) = match self.double {
                            false => step_rate::<f32>(
                                cuda,
                                [n; 3],
                                order,
                                layers,
                                self.steps,
                                self.repeats,
                            )?,
                            true => step_rate::<f64>(
                                cuda,
                                [n; 3],
                                order,
                                layers,
                                self.steps,
                                self.repeats,
                            )?,
                        };
                        println!(
                            "{n:>5} {order:>5} {layers:>6} {:<14} {:<10} {:>10.4} {:>10.1} {:>8.0} \
                             {:>7.1}%",
                            variant.name,
                            format!("{x}x{y}x{z}"),
                            rate.ms,
                            rate.gpoints_per_s(),
                            rate.gb_per_s(),
                            100.0 * rate.gb_per_s() * 1e9 / bandwidth
                        );
                    }
                }
            }
        }
        Ok(())
    }

    fn split_table(&self, n: usize) -> Result<()> {
        let order = self.order[0];
        println!("one field of {n} x {n} x {n} points, order {order}, {} layers", self.layers);
        println!("{:>5} {:>10} {:>10} {:>9}", "GPUs", "ms/step", "Gpoints/s", "speed-up");
        let mut first = None;
        for gpus in 1..=self.backend.gpus.max(1) {
            let devices = self.devices(gpus, 1)?;
            let rate = split_rate(&devices, [n; 3], order, self.layers, self.steps, self.repeats)?;
            let one = *first.get_or_insert(rate.ms);
            println!(
                "{gpus:>5} {:>10.4} {:>10.1} {:>9.2}",
                rate.ms,
                rate.gpoints_per_s(),
                one / rate.ms
            );
        }
        Ok(())
    }

    fn shots_table(&self, n: usize, shots: usize) -> Result<()> {
        let order = self.shot_order(n)?;
        let problem = problem([n; 3], LAYERS, order, self.levels, Strategy::SaveBoundaries);
        println!(
            "{shots} shots of {n} x {n} x {n} points, order {order}, {} levels, saved boundaries",
            self.levels
        );
        println!(
            "{:>5} {:>8} {:>10} {:>10} {:>9}",
            "GPUs", "at once", "seconds", "shots/s", "speed-up"
        );
        let mut first = None;
        for gpus in 1..=self.backend.gpus.max(1) {
            for at_once in 1..=self.backend.at_once.max(1) {
                let devices = self.devices(gpus, at_once)?;
                // The first shots compile.
                let mut short = problem.clone();
                short.plan.nt = 3;
                shots_time(&devices, &short, 2 * devices.len())?;
                let seconds = shots_time(&devices, &problem, shots)?;
                let one = *first.get_or_insert(seconds);
                println!(
                    "{gpus:>5} {at_once:>8} {seconds:>10.3} {:>10.3} {:>9.2}",
                    shots as f64 / seconds,
                    one / seconds
                );
            }
        }
        Ok(())
    }

    /// The order of a shot, if its grid is large enough for it.
    fn shot_order(&self, n: usize) -> Result<usize> {
        let order = self.order[0];
        rtm::fd::check_order(order)?;
        if n < 2 * LAYERS + 8 + order {
            return Err(Error::refused(
                format!("--shot {n}"),
                format!("too small for {LAYERS} layers on each face and a shell"),
                format!("{} or more", 2 * LAYERS + 8 + order),
            ));
        }
        Ok(order)
    }

    fn one_shot(&self, cuda: &mut Cuda, n: usize, bandwidth: f64) -> Result<()> {
        let order = self.shot_order(n)?;
        println!(
            "one shot of {n} x {n} x {n} points ({LAYERS} layers on each face), order {order}, {} \
             levels",
            self.levels
        );
        println!(
            "{:<24} {:>9} {:>10} {:>10} {:>9} {:>10}",
            "strategy", "steps", "ms", "bound ms", "of bound", "memory"
        );
        for (name, strategy) in [
            ("boundaries", Strategy::SaveBoundaries),
            ("random", Strategy::RandomBoundaries(RandomBoundary::default())),
            (
                "checkpoints, segments",
                Strategy::Checkpoints { ks_store: 45, replay: Replay::Segment },
            ),
        ] {
            let problem = problem([n; 3], LAYERS, order, self.levels, strategy);
            // The first run compiles.
            let warm = rtm::verify::problem::Problem {
                plan: rtm::Plan { nt: 3, ..problem.plan.clone() },
                ..problem.clone()
            };
            shot_time::<f32>(cuda, &warm, false)?;
            // The better of two: the second has the first one's memory, as in a survey.
            let first = shot_time::<f32>(cuda, &problem, false)?;
            let second = shot_time::<f32>(cuda, &problem, false)?;
            let time = if second.seconds < first.seconds { second } else { first };
            let bound = time.bound_bytes / bandwidth;
            println!(
                "{name:<24} {:>9} {:>10.3} {:>10.3} {:>8.1}% {:>10}",
                time.steps,
                1e3 * time.seconds,
                1e3 * bound,
                100.0 * bound / time.seconds,
                bytes(time.allocated as f64)
            );
            if !cuda.device().is_emulated() {
                println!(
                    "  {:.1} ms before the first step; the last is asked for after {:.1} ms",
                    1e3 * time.start_s,
                    1e3 * time.asked_s
                );
            }
            if self.profile {
                let time = shot_time::<f32>(cuda, &problem, true)?;
                let all: f64 = time.kernels.values().map(|k| k.ms).sum();
                for (kernel, k) in &time.kernels {
                    println!(
                        "  {kernel:<22} {:>9} calls {:>9.4} ms each {:>9.1} ms {:>6.1}%",
                        k.launches,
                        k.ms / k.launches as f64,
                        k.ms,
                        100.0 * k.ms / all
                    );
                }
                println!(
                    "  kernels together {:.1} ms of {:.1} ms of the shot ({:.1}%)",
                    all,
                    time.seconds * 1e3,
                    0.1 * all / time.seconds
                );
            }
        }
        Ok(())
    }
}
