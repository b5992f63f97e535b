//! `rtm agree`: one problem by every back end of this machine, and how far their results are apart.

use clap::Args;
use rtm::engine::Backend;
use rtm::propagate::Cpu;
use rtm::run::AnyBackend;
use rtm::verify::agreement::{Outcome, problem, run};
use rtm::verify::problem::Problem;
use rtm::{Error, Real, Result};

/// Run one problem on the CPU, with CUDA and on every OpenCL device; print how far their results
/// are apart. Fails if one differs by more than `--within`. Emulated devices stand in where there
/// are no real ones (`LAB_DEVICE=emulated` for CUDA)
#[derive(Args)]
pub struct AgreeArgs {
    /// Points along each side, layers included
    #[arg(long, default_value_t = 96)]
    n: usize,
    /// Absorbing layers on each face
    #[arg(long, default_value_t = 16)]
    layers: usize,
    /// Order of the differences
    #[arg(long, default_value_t = 8)]
    order: usize,
    /// Time steps
    #[arg(long, default_value_t = 1000)]
    steps: usize,
    /// Largest relative difference
    #[arg(long, default_value_t = 1e-5)]
    within: f64,
    /// A problem that emulated devices are done with soon: 20 points, 3 layers, order 4, 20 steps
    #[arg(long)]
    small: bool,
    /// A free surface at the top instead of an absorbing face
    #[arg(long)]
    free_surface: bool,
    /// In double precision
    #[arg(long)]
    double: bool,
    /// CUDA: kernels of the layers, as pml_stencil_kernel
    #[arg(long, default_value_t = 0)]
    layer_kernel: u32,
}

impl AgreeArgs {
    /// Runs and prints.
    pub fn run(&self) -> Result<()> {
        let (n, layers, order, steps) = match self.small {
            true => (20, 3, 4, 20),
            false => (self.n, self.layers, self.order, self.steps),
        };
        rtm::fd::check_order(order)?;
        if n < 2 * layers + 2 * order || steps < 2 {
            return Err(Error::refused(
                format!("--n {n} --steps {steps}"),
                format!(
                    "too small for {layers} layers on each face and differences of order {order}"
                ),
                format!("{} points and 2 steps or more", 2 * layers + 2 * order),
            ));
        }
        let problem = problem(n, layers, order, steps, self.free_surface);
        println!(
            "{n} x {n} x {n} points, {layers} layers on each face, order {order}, {steps} steps \
             with a source, {} receivers; then their image",
            problem.receivers.len()
        );
        let apart = match self.double {
            true => self.compare::<f64>(&problem, |backend| backend)?.1,
            false => {
                let (reference, apart) = self.compare::<f32>(&problem, |backend| backend)?;
                precision_costs(&reference, &problem)?;
                apart
            }
        };
        match apart[..] {
            [] => Ok(()),
            _ => Err(Error::Device(format!(
                "results differ by more than {:e}: {}",
                self.within,
                apart.join("; ")
            ))),
        }
    }

    /// A row for each back end; the CPU's outcome, and what is too far from it.
    fn compare<T: Real>(
        &self,
        problem: &Problem,
        of: impl Fn(&dyn AnyBackend) -> &dyn Backend<T>,
    ) -> Result<(Outcome<T>, Vec<String>)> {
        println!("relative L2 differences from the CPU, {}\n", T::NAME);
        println!("| back end | last level | traces | image | seconds |\n|---|---|---|---|---|");
        let reference = run(of(&Cpu::new()), problem)?;
        println!("| {} | 0 | 0 | 0 | {:.2} |", reference.name, reference.seconds);
        let mut apart = Vec::new();
        for backend in self.others()? {
            let found = run(of(backend.as_ref()), problem)?;
            let d = found.differences(&reference);
            println!(
                "| {} | {:.2e} | {:.2e} | {:.2e} | {:.2} |",
                found.name, d.field, d.traces, d.image, found.seconds
            );
            let largest = d.largest();
            if largest.is_nan() || largest > self.within {
                apart.push(format!("{} by {largest:.2e}", found.name));
            }
        }
        Ok((reference, apart))
    }

    /// CUDA's device, and the OpenCL devices: the emulated one only where there is no other.
    fn others(&self) -> Result<Vec<Box<dyn AnyBackend>>> {
        let mut all: Vec<Box<dyn AnyBackend>> = Vec::new();
        #[cfg(feature = "cuda")]
        {
            use rtm::cuda::{Cuda, Options};
            all.push(Box::new(Cuda::new(0, Options::of_numbers(0, self.layer_kernel)?)?));
        }
        #[cfg(feature = "opencl")]
        {
            use rtm::opencl::{OpenCl, device::Device};
            let (emulated, real): (Vec<_>, Vec<_>) =
                Device::all()?.into_iter().partition(Device::is_emulated);
            let devices = if real.is_empty() { emulated } else { real };
            all.extend(devices.into_iter().map(|d| Box::new(OpenCl::on(d)) as Box<dyn AnyBackend>));
        }
        Ok(all)
    }
}

/// The row of the CPU in double precision: how much single precision itself costs.
fn precision_costs(reference: &Outcome<f32>, problem: &Problem) -> Result<()> {
    let double = run::<f64>(&Cpu::new(), problem)?;
    let narrow = |values: &[f64]| values.iter().map(|v| *v as f32).collect::<Vec<_>>();
    let far = |a: &[f32], b: &[f64]| rtm::metrics::relative_l2(a, &narrow(b));
    println!(
        "| {} | {:.2e} | {:.2e} | {:.2e} | {:.2} |",
        double.name,
        far(&reference.field.values, &double.field.values),
        far(&reference.traces.samples, &double.traces.samples),
        far(&reference.image.values, &double.image.values),
        double.seconds
    );
    Ok(())
}
