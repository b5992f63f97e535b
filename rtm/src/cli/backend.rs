//! Which back end runs a command: `--backend` and what belongs to it.

use clap::{Args, ValueEnum};
use rtm::propagate::Cpu;
use rtm::run::{AnyBackend, Parameters};
use rtm::{Error, Result};

/// Back ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// The native CPU
    Cpu,
    /// An NVIDIA GPU, or the emulated one if there is none
    Cuda,
    /// An OpenCL device
    Opencl,
}

/// Where the time steps are computed
#[derive(Args, Clone, Debug)]
pub struct BackendArgs {
    /// Back end
    #[arg(long, value_enum, default_value = "cpu")]
    pub backend: Kind,
    /// Kernel of the time step, by name or number (GPU); the fastest if left out.
    /// `rtm bench --backend cuda --kernel all` lists them
    #[arg(long)]
    pub kernel: Option<String>,
    /// Threads of the kernel's block: along z, and along y (or x)
    #[arg(long, value_name = "X,Y[,Z]", value_delimiter = ',')]
    pub block: Vec<u32>,
    /// GPUs that share the shots of a migration, from CUDA_dev on
    #[arg(long, default_value_t = 1)]
    pub gpus: usize,
    /// Shots of a migration that each GPU computes at the same time, in equal parts of its memory:
    /// more than one where a shot is too small to fill it
    #[arg(long, default_value_t = 1)]
    pub at_once: usize,
    /// OpenCL device: its index P:D, cpu, gpu, pocl, or part of a name (`rtm opencl devices`)
    #[arg(long, default_value = "")]
    pub opencl_device: String,
}

impl BackendArgs {
    /// The back ends that share the shots: as many GPUs as `--gpus` says, else one, each as often
    /// as `--at-once` says.
    pub fn open_all(
        &self,
        threads: usize,
        parameters: &Parameters,
    ) -> Result<Vec<Box<dyn AnyBackend>>> {
        let mut parameters = parameters.clone();
        let mut all = Vec::new();
        for _ in 0..self.gpus.max(1) {
            match self.backend {
                Kind::Cuda => all.extend(self.cuda(Some(&parameters), self.at_once.max(1))?),
                _ => all.push(self.open(threads, Some(&parameters))?),
            }
            parameters.cuda_dev += 1;
        }
        Ok(all)
    }

    /// The back end. `parameters` may choose kernels and device, too; `threads` are the CPU's, 0
    /// for all.
    pub fn open(
        &self,
        threads: usize,
        parameters: Option<&Parameters>,
    ) -> Result<Box<dyn AnyBackend>> {
        if self.backend != Kind::Cuda && (self.kernel.is_some() || !self.block.is_empty()) {
            return Err(Error::refused(
                "--kernel, --block",
                "only CUDA has a choice of kernels here",
                "add --backend cuda, or leave them out",
            ));
        }
        if self.backend != Kind::Cuda && self.at_once > 1 {
            return Err(Error::refused(
                format!("--at-once {}", self.at_once),
                "only a GPU by CUDA computes several shots at the same time",
                "add --backend cuda, or leave it out",
            ));
        }
        match self.backend {
            Kind::Cpu => Ok(Box::new(match threads {
                0 => Cpu::new(),
                n => Cpu::with_threads(n)?,
            })),
            Kind::Cuda => Ok(self.cuda(parameters, self.at_once.max(1))?.swap_remove(0)),
            Kind::Opencl => self.opencl(),
        }
    }

    #[cfg(feature = "opencl")]
    fn opencl(&self) -> Result<Box<dyn AnyBackend>> {
        Ok(Box::new(rtm::opencl::OpenCl::new(&self.opencl_device)?))
    }

    #[cfg(not(feature = "opencl"))]
    fn opencl(&self) -> Result<Box<dyn AnyBackend>> {
        Err(Error::input(format!(
            "this program was built without OpenCL and cannot look for the device '{}': build it \
             with the feature `opencl`",
            self.opencl_device
        )))
    }

    #[cfg(not(feature = "cuda"))]
    fn cuda(&self, _: Option<&Parameters>, _: usize) -> Result<Vec<Box<dyn AnyBackend>>> {
        Err(Error::input(
            "this program was built without CUDA: build it with the feature `cuda`, which is on \
             unless left out",
        ))
    }

    #[cfg(feature = "cuda")]
    fn cuda(
        &self,
        parameters: Option<&Parameters>,
        at_once: usize,
    ) -> Result<Vec<Box<dyn AnyBackend>>> {
        let (stencil, layers, device) = parameters
            .map_or((0, 0, 0), |p| (p.prop_stencil_kernel, p.pml_stencil_kernel, p.cuda_dev));
        let device = u32::try_from(device).map_err(|_| {
            Error::refused(
                format!("CUDA_dev = {device}"),
                "there is no such device",
                "0 is the first",
            )
        })?;
        let options = self.cuda_options(stencil, layers)?;
        let shared = rtm::cuda::Cuda::shared(device, options, at_once)?;
        Ok(shared.into_iter().map(|cuda| Box::new(cuda) as Box<dyn AnyBackend>).collect())
    }

    /// The kernels that `--kernel` and `--block` or, without them, the numbers of the parameters
    /// choose.
    #[cfg(feature = "cuda")]
    pub fn cuda_options(&self, stencil: u32, layers: u32) -> Result<rtm::cuda::Options> {
        use rtm::cuda::{Options, variants::Variant};
        let mut options = Options::of_numbers(stencil, layers)?;
        if let Some(kernel) = &self.kernel {
            options = Options::of(Variant::find(kernel)?);
        }
        options.threads = self.threads();
        Ok(options)
    }

    /// Threads of the block, if they are given.
    #[cfg(feature = "cuda")]
    pub fn threads(&self) -> Option<[u32; 3]> {
        match self.block[..] {
            [] => None,
            [x] => Some([x, 1, 1]),
            [x, y] => Some([x, y, 1]),
            [x, y, z, ..] => Some([x, y, z]),
        }
    }
}
