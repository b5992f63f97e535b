//! Two steps and an image in one launch.
//!
//! On the way back in time the source's step, the receivers' step and the image read the same
//! arrays: v2, and the levels from which the steps are made, which the image still lacks. One after
//! the other each fetches them from memory again. In one launch, in which the blocks that do one or
//! the other for the same part of the grid follow one another, only the first of them does; the
//! others find them in the second-level cache.

use cust::memory::DeviceCopy;

use super::super::device::Argument;
use super::super::lanes::Lane;
use super::super::layout::{Pair, Points, Shape};
use super::super::repeats::Waiting;
use super::{CudaEngine, address};
use crate::engine::{Field, Step};
use crate::{Real, Result};

/// How many times of the image a pair of steps takes along: those that wait, if they are the levels
/// from which the steps are made, and if they do not better wait for the next pair, with one more.
fn images(waiting: Waiting, first: &Step, second: &Step) -> usize {
    let [prev, cur] = [[first.prev, second.prev], [first.cur, second.cur]];
    match waiting {
        [Some(levels), None] if levels == prev => 1,
        [Some(levels), Some(later)] if levels == prev && later == cur => 2,
        _ => 0,
    }
}

/// Planes of a piece of a march: fewer than in a single step, for blocks of several kinds end less
/// evenly, and find in the cache what the others read as long as they are not far apart.
const PLANES: usize = 12;

impl<T: Real + DeviceCopy> CudaEngine<'_, T> {
    /// The points whose vectors have points of the interior.
    fn image_points(&self) -> Points {
        let mut points = self.layout.points(self.plan.layers);
        points.ends[4] -= points.ends[4] % (16 / T::BYTES) as i32;
        points
    }

    /// Both steps, of which the first one has no layers.
    pub(super) fn run_pair(&self, first: &Step, second: &Step) -> Result<()> {
        let Some((kernels, block)) = &self.pairs else {
            return [first, second].into_iter().try_for_each(|step| self.run_step(step));
        };
        let images = images(self.waiting.get(), first, second);
        if images > 0 {
            self.waiting.take();
        }
        let steps = [first, second];
        for step in steps {
            self.image_waiting(Some(step.next))?;
        }
        let layers = second.boundary.layers().filter(|_| self.plan.layers > 0);
        let mut points = steps.map(|step| self.points_of(step.region));
        if let (Some(_), Some((slabs, _))) = (layers, &self.slabs) {
            points[1] = slabs.others(&self.plan);
        }
        let image = self.image_points();
        let roles = &[points[0], points[1], image][..if images > 0 { 3 } else { 2 }];
        let mut tiles = roles.iter().fold(points[0], |tiles, role| tiles.with(role));
        // Along z each begins with the line of its own first points.
        let line = 128 / T::BYTES as i32;
        let along_z = roles.iter().map(|role| role.ends[5] - role.ends[4] / line * line);
        (tiles.ends[4], tiles.ends[5]) = (0, along_z.max().unwrap_or(0));
        let (options, half) = (&self.options, self.plan.order / 2);
        let (mut extent, _) = options.variant.extent(&tiles, *block, half, T::BYTES, 1);
        let chunk = PLANES.max(2 * half);
        extent.grid[2] = tiles.n(0).div_ceil(chunk) as u32;
        extent.grid[0] *= roles.len() as u32;
        let surface = [self.surface(first, false), self.surface(second, layers.is_some())];
        let (chunk, images) = (chunk as i32, images as i32);
        let pair = Pair { tiles, steps: points, image, chunk, images, surface };
        let sums = self.sums.each_ref().map(|s| address(s.as_ref()));
        let field = |field: Field| self.field(field);
        let [a, b] = steps.map(|s| [field(s.next), field(s.cur), field(s.prev)]);
        let v2 = [self.v2(first.boundary)?, self.v2(second.boundary)?];
        let arguments: [&dyn Argument; 14] = [
            &a[0],
            &a[1],
            &a[2],
            &v2[0],
            &b[0],
            &b[1],
            &b[2],
            &v2[1],
            &sums[0],
            &sums[1],
            &sums[2],
            &self.shape,
            &pair,
            &self.weights,
        ];
        let uses = |field: Field| &self.fields[field.0].uses;
        let mut reads: Vec<_> = steps.iter().flat_map(|s| [uses(s.cur), uses(s.prev)]).collect();
        reads.extend(self.random.as_ref().map(|r| &r.uses));
        let mut writes = vec![uses(first.next), uses(second.next)];
        writes.extend((images > 0).then_some(&self.of_sums));
        self.on(Lane::Main, &reads, &writes, |place| {
            self.launch_behind(place, kernels, "stencil_pair", extent, &arguments)
        })?;
        // What the source's field still lacks is done beside the receivers' layers.
        uses(first.next).hand_to(Lane::Side);
        let Some(layers) = layers else { return Ok(()) };
        let shape = Shape { surface: surface[1], ..self.shape };
        let pointers = self.layer_pointers(layers);
        let writes = [uses(second.next), &self.states[layers.0].uses];
        self.on(Lane::Main, &[uses(second.cur)], &writes, |place| {
            self.layer_lines(place, second, &shape, pointers, v2[1])
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Boundary, Region};

    #[test]
    fn a_pair_takes_what_waits_for_its_levels() {
        let step = |[prev, cur, next]: [usize; 3]| {
            let [prev, cur, next] = [prev, cur, next].map(Field);
            Step { prev, cur, next, boundary: Boundary::Reflecting, region: Region::All }
        };
        let (first, second) = (step([0, 1, 2]), step([3, 4, 5]));
        let [prev, cur, next] = [[0, 3], [1, 4], [2, 5]].map(|pair| Some(pair.map(Field)));
        for (waiting, want) in [
            ([None, None], 0),
            ([prev, None], 1),
            ([prev, cur], 2),
            // The next pair does both of two times.
            ([cur, None], 0),
            ([cur, prev], 0),
            ([next, None], 0),
            ([next, prev], 0),
            ([Some([3, 0].map(Field)), None], 0),
        ] {
            assert_eq!(images(waiting, &first, &second), want, "{waiting:?}");
        }
    }
}
