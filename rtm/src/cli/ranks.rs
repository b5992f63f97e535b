//! `rtm` under `mpirun`: which process this is, and shots shared among all (feature `mpi`).

use rtm::run::cluster::Seat;
use rtm::run::{AnyBackend, Parameters, Watch};
use rtm::{Error, Result};

use super::run_args::RunArgs;

/// Number and count of the processes that a launcher of MPI started with this one, from its
/// environment.
pub fn launched() -> Option<(usize, usize)> {
    let number = |name| std::env::var(name).ok().and_then(|v| v.parse().ok());
    [("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMI_RANK", "PMI_SIZE")]
        .into_iter()
        .find_map(|(rank, size)| Some((number(rank)?, number(size)?)))
}

/// Why a command of which each process would do the whole is refused.
pub fn refusal(ranks: usize) -> Error {
    let fix = match cfg!(feature = "mpi") {
        true => "start it without mpirun; `rtm shoot` and `rtm migrate` share their shots",
        false => "build it with MPI: cargo build --release -p rtm --features mpi",
    };
    Error::refused(format!("mpirun -n {ranks}"), "each process would do the same work", fix)
}

/// Does a run together with the other processes, each on the back end that the second argument of
/// `run` opens; rank 0 gets what was made.
///
/// # Errors
/// On rank 0: what went wrong on any.
#[cfg(feature = "mpi")]
pub fn share<T>(
    args: &RunArgs,
    run: impl FnOnce(
        &Parameters,
        &(dyn Fn() -> Result<Box<dyn AnyBackend>> + Sync),
        Seat<'_>,
        &mut dyn Watch,
    ) -> Result<Option<T>>,
) -> Result<Option<T>> {
    use rtm::run::cluster;

    // Before the others are joined: nobody waits for a process that ends here.
    let mut terminal = super::Terminal::new()?;
    let world = rtm::run::mpi::World::join()?;
    let mut parameters = match (args.parameters(), world.seat()) {
        (Ok(parameters), _) => parameters,
        (Err(error), Seat::First(ranks)) => {
            cluster::dismiss(ranks);
            return Err(error);
        }
        // A run file that is missing on one host.
        (Err(error), Seat::Other(line)) => {
            cluster::refuse(line, &error);
            return Ok(None);
        }
    };
    let memory = parameters.memory;
    world.share(&mut parameters);
    if args.backend.backend != super::backend::Kind::Cpu {
        // A device has its own.
        parameters.memory = memory;
    }
    let local_rank = world.local_rank();
    let open = || open(args, &parameters, local_rank);
    let watch: &mut dyn Watch = if world.rank() == 0 { &mut terminal } else { &mut () };
    run(&parameters, &open, world.seat(), watch)
}

/// A program without MPI cannot.
#[cfg(not(feature = "mpi"))]
pub fn share<T>(
    _: &RunArgs,
    _: impl FnOnce(
        &Parameters,
        &(dyn Fn() -> Result<Box<dyn AnyBackend>> + Sync),
        Seat<'_>,
        &mut dyn Watch,
    ) -> Result<Option<T>>,
) -> Result<Option<T>> {
    Err(refusal(launched().map_or(1, |(_, ranks)| ranks)))
}

/// The back end of a rank: on a GPU, the one of its place on the host.
#[cfg(feature = "mpi")]
fn open(args: &RunArgs, parameters: &Parameters, local_rank: usize) -> Result<Box<dyn AnyBackend>> {
    if args.backend.gpus > 1 {
        return Err(Error::refused(
            format!("--gpus {}", args.backend.gpus),
            "each process drives one GPU",
            "start as many processes on each host as it has GPUs, and leave --gpus out",
        ));
    }
    if args.backend.at_once > 1 {
        return Err(Error::refused(
            format!("--at-once {}", args.backend.at_once),
            "each process computes one shot at a time",
            "start so many processes for each GPU, and leave --at-once out",
        ));
    }
    let mut parameters = parameters.clone();
    #[cfg(feature = "cuda")]
    if args.backend.backend == super::backend::Kind::Cuda {
        // More ranks than GPUs share them.
        let place = local_rank as u32 % rtm::cuda::device::Device::count()?.max(1);
        parameters.cuda_dev += place as i32;
    }
    args.backend(&parameters)
}
