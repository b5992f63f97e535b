//! `rtm study NAME`: which studies there are, and running one.

use std::io::Write;

use rtm::Result;
use rtm::engine::Backend;
use rtm::run::AnyBackend;

use crate::tables::Panels;
use crate::{physics, tables};

/// A study.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Study {
    /// Steps and bytes of strategy 1 against ks_store, beside the thesis' (its shot 65); nothing is
    /// run
    Checkpoints,
    /// Steps and bytes of every strategy for shot 65; nothing is run
    Memory,
    /// What storing a whole shot would take, from 2 to 50 Hz; nothing is run
    Storage,
    /// Growth of energy within random boundaries against ks_rand and rand_mode
    Stability,
    /// Energy there and back within random boundaries, once bounded, once growing
    Energy,
    /// A wave within random boundaries at two moments, by rand_mode, ks_rand, layers and rdtype;
    /// --svg draws the fields
    Snapshots,
    /// The two fronts that random boundaries send back, against mode, thickness and envelope
    Fronts,
    /// Error of the field that saved boundaries give back
    Reconstruction,
    /// The field as it was, and as saved boundaries give it back; --svg draws both and their
    /// difference
    Wavefields,
    /// Every strategy on one shot: image error, steps, bytes, seconds
    Strategies,
    /// Phase velocity on the grid, by order, points per wavelength and step in time
    Dispersion,
    /// The free surface's ghost beside its formula
    Ghost,
    /// What absorbing layers send back, by angle
    Echoes,
    /// Waves read between the grid's points
    Between,
    /// A mirror below a hill, imaged with and without the heights of source and receivers
    Hill,
    /// A survey modelled by Devito: traces and image
    Devito,
}

/// Runs a study and writes its table. `full` takes the thesis' sizes instead of those for a laptop.
/// What it returns are pictures of its own, if it has some: else the table's columns can be drawn.
pub fn run(
    study: Study,
    full: bool,
    backend: &dyn AnyBackend,
    out: &mut dyn Write,
) -> Result<Option<Panels>> {
    let (backend32, backend64): (&dyn Backend<f32>, &dyn Backend<f64>) = (backend, backend);
    let drawn = |(text, panels): (String, Panels)| (text, Some(panels));
    let (text, panels) = match study {
        Study::Checkpoints => (tables::checkpoints(), None),
        Study::Memory => (tables::memory_table(), None),
        Study::Storage => (tables::storage(), None),
        Study::Stability => (tables::stability(full, backend32, out)?, None),
        Study::Energy => (tables::energy(full, backend32)?, None),
        Study::Snapshots => drawn(tables::snapshots(full, backend32)?),
        Study::Wavefields => drawn(tables::wavefields(full, backend32)?),
        Study::Fronts => (tables::fronts(backend32)?, None),
        Study::Reconstruction => (tables::reconstruction(full, backend32, backend64)?, None),
        Study::Strategies => (tables::strategies(backend32)?, None),
        Study::Dispersion => drawn(physics::dispersion()),
        Study::Ghost => drawn(physics::ghost(backend64)?),
        Study::Echoes => drawn(physics::echoes(backend32)?),
        Study::Between => drawn(physics::between()),
        Study::Hill => drawn(physics::hill(backend)?),
        Study::Devito => drawn(physics::devito(backend)?),
    };
    tables::put(out, &text)?;
    Ok(panels)
}
