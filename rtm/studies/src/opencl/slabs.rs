//! One wave on several devices: slabs along z, each with R planes of its neighbours, exchanged
//! after every step.

use rtm::opencl::device::Device;
use rtm::{Error, Result};

use super::simulation::Simulation;
use super::variant::{Config, Variant};
use super::wave::{Block, Medium, RADIUS, Sponge, Wave};

/// A volume cut along z.
pub struct Slabs {
    block: Block,
    parts: Vec<Simulation>,
    /// The first plane of each part's volume, and at the end that of one more: interior planes `R`
    /// further on.
    first: Vec<usize>,
}

impl Slabs {
    /// Cuts a medium into a slab for each device (one may be given twice) and starts from two
    /// levels, the newest first.
    ///
    /// # Errors
    /// There are fewer than R planes for each device; the variant makes several steps at once; as
    /// [`Simulation::new`].
    pub fn new(
        devices: &[Device],
        config: &Config,
        medium: &Medium,
        [cur, prev]: [&[f32]; 2],
    ) -> Result<Slabs> {
        let block = medium.block;
        let [nx, ny, nz] = block.n;
        let count = devices.len();
        if count == 0 || nz < RADIUS * count {
            return Err(Error::input(format!("{nz} planes cannot be cut for {count} devices")));
        }
        if config.stride() != 1 || config.variant == Variant::Fixed {
            return Err(Error::input(format!(
                "{} cannot be cut: neighbours must meet after each step, as floats",
                config.variant.id()
            )));
        }
        let first: Vec<usize> = (0..=count).map(|i| i * nz / count).collect();
        let [fx, fy, _] = block.full();
        let parts = devices
            .iter()
            .zip(first.windows(2))
            .map(|(device, ends)| {
                let cells = ends[0] * fx * fy..(ends[1] + 2 * RADIUS) * fx * fy;
                let part = Block::new([nx, ny, ends[1] - ends[0]])?;
                let levels = [&medium.vel[cells.clone()], &cur[cells.clone()], &prev[cells]];
                Simulation::from_levels(device, config, part, levels, false)
            })
            .collect::<Result<_>>()?;
        Ok(Slabs { block, parts, first })
    }

    /// The part whose interior holds a plane of the whole volume; the outer ones hold the borders.
    fn owner(&self, z: usize) -> usize {
        let plane = z.saturating_sub(RADIUS);
        (self.first.partition_point(|first| *first <= plane) - 1).min(self.parts.len() - 1)
    }

    fn local(&self, part: usize, index: usize) -> usize {
        let [nx, ny, _] = self.block.full();
        index - self.first[part] * nx * ny
    }
}

impl Wave for Slabs {
    fn block(&self) -> Block {
        self.block
    }

    fn step(&mut self) -> Result<()> {
        for part in &mut self.parts {
            part.step()?;
        }
        for i in 1..self.parts.len() {
            let below = self.first[i] - self.first[i - 1];
            let down = self.parts[i - 1].planes(below, RADIUS)?;
            let up = self.parts[i].planes(RADIUS, RADIUS)?;
            self.parts[i].set_planes(0, &down)?;
            self.parts[i - 1].set_planes(below + RADIUS, &up)?;
        }
        Ok(())
    }

    fn add(&mut self, index: usize, amount: f64) -> Result<()> {
        let z = self.block.cell(index)[2];
        for i in 0..self.parts.len() {
            if (self.first[i]..self.first[i + 1] + 2 * RADIUS).contains(&z) {
                let local = self.local(i, index);
                self.parts[i].add(local, amount)?;
            }
        }
        Ok(())
    }

    fn damp(&mut self, _: Sponge) -> Result<()> {
        Err(Error::input("a wave on several devices has no sponge"))
    }

    fn reverse(&mut self) {
        self.parts.iter_mut().for_each(Simulation::reverse);
    }

    fn sample(&mut self, cells: &[usize]) -> Result<Vec<f32>> {
        cells
            .iter()
            .map(|index| {
                let part = self.owner(self.block.cell(*index)[2]);
                let local = self.local(part, *index);
                Ok(self.parts[part].sample(&[local])?[0])
            })
            .collect()
    }

    fn levels(&mut self) -> Result<[Vec<f64>; 2]> {
        let [nx, ny, nz] = self.block.full();
        let mut whole = [Vec::new(), Vec::new()];
        for (i, part) in self.parts.iter_mut().enumerate() {
            let levels = part.levels()?;
            // Its interior; the first part also has the first border, the last one the last.
            let from = if i == 0 { 0 } else { RADIUS };
            let to = if i + 2 == self.first.len() { nz } else { self.first[i + 1] + RADIUS };
            let cells = from * nx * ny..(to - self.first[i]) * nx * ny;
            for (whole, level) in whole.iter_mut().zip(levels) {
                whole.extend_from_slice(&level[cells.clone()]);
            }
        }
        Ok(whole)
    }
}
