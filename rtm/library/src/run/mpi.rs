//! The processes of `mpirun`, as [`cluster`](super::cluster) wants them: small messages in JSON,
//! looked for now and then.
//!
//! Nothing here waits inside of MPI: its waiting spins, and a core that spins computes nothing.

use mpi::environment::processor_name;
use mpi::point_to_point::{Destination, MatchedReceiveVec, Source};
use mpi::topology::{Communicator, SimpleCommunicator};
use mpi::{Threading, environment::Universe};

use super::cluster::{Line, Order, PAUSE, Ranks, Report, Seat};
use super::params::{Bytes, Parameters};
use crate::strategy::memory::spare_memory;
use crate::{Error, Result};

/// This process among the others; when it is dropped MPI ends.
pub struct World {
    world: SimpleCommunicator,
    /// Its place among the ranks of its host, and their count.
    local: (usize, usize),
    /// Dropped last.
    _universe: Universe,
}

impl World {
    /// Joins the others.
    ///
    /// # Errors
    /// MPI cannot be initialised.
    pub fn join() -> Result<World> {
        let refused = || Error::Device("MPI cannot be initialised".into());
        let (universe, _) =
            mpi::initialize_with_threading(Threading::Funneled).ok_or_else(refused)?;
        let world = universe.world();
        let host = world.split_shared(world.rank());
        let local = (host.rank() as usize, host.size() as usize);
        Ok(World { world, local, _universe: universe })
    }

    /// This process's number.
    pub fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    /// Its place among the ranks of its host, from 0: which of the host's GPUs it takes.
    pub fn local_rank(&self) -> usize {
        self.local.0
    }

    /// Which end of the lines it holds.
    pub fn seat(&self) -> Seat<'_> {
        if self.rank() == 0 { Seat::First(self) } else { Seat::Other(self) }
    }

    /// A rank's share of its host: cores and memory, where the user left them open.
    pub fn share(&self, params: &mut Parameters) {
        let ranks = self.local.1;
        if params.threads == 0 && ranks > 1 {
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            params.threads = (cores / ranks).max(1);
        }
        if params.memory.0 == 0 {
            params.memory = Bytes(spare_memory() / ranks as u64);
        }
    }

    fn post(&self, rank: usize, message: &impl serde::Serialize) {
        let bytes = serde_json::to_vec(message).expect("plain data");
        self.world.process_at_rank(rank as i32).send(&bytes[..]);
    }
}

/// The host's name, if MPI knows it.
fn host() -> String {
    processor_name().unwrap_or_else(|_| "a host without a name".into())
}

impl Ranks for World {
    fn count(&self) -> usize {
        self.world.size() as usize - 1
    }

    fn send(&self, rank: usize, order: Order) {
        self.post(rank, &order);
    }

    fn receive(&self) -> Option<(usize, Report)> {
        let (bytes, status) =
            self.world.any_process().immediate_matched_probe()?.matched_receive_vec::<u8>();
        let failed = |e| Report::Failed { code: 1, text: format!("sent what is no report: {e}") };
        let report = serde_json::from_slice(&bytes).unwrap_or_else(failed);
        Some((status.source_rank() as usize, report))
    }

    fn host(&self) -> String {
        host()
    }
}

impl Line for World {
    fn host(&self) -> String {
        host()
    }

    fn report(&self, report: &Report) {
        self.post(0, report);
    }

    fn next_order(&self) -> Order {
        loop {
            match self.world.process_at_rank(0).immediate_matched_probe() {
                Some(found) => {
                    let (bytes, _) = found.matched_receive_vec::<u8>();
                    // What cannot be understood ends this rank's work, and rank 0 learns of it by
                    // its silence.
                    return serde_json::from_slice(&bytes).unwrap_or(Order::Stop);
                }
                None => std::thread::sleep(PAUSE),
            }
        }
    }
}
