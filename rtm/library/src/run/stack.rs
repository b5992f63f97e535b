//! The sum of all shots on the grid of the whole model, and the image made of it (spec 2.9).

use crate::grid::Cube;
use crate::plan::ImagingCondition;
use crate::{Grid, Real, ShotImage, imaging};

/// What of each shot is summed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summands {
    condition: ImagingCondition,
    eps: f64,
    source: bool,
    receivers: bool,
}

impl Summands {
    /// For an imaging condition; `illumination` keeps the source's energy whatever the condition.
    pub fn new(condition: ImagingCondition, eps: f64, illumination: bool) -> Summands {
        let (source, receivers) = match condition {
            ImagingCondition::SourceNormalised => (true, false),
            ImagingCondition::ReceiverNormalised => (false, true),
            ImagingCondition::BothNormalised => (true, true),
            _ => (false, false),
        };
        Summands { condition, eps, source: source || illumination, receivers }
    }

    /// How many cubes.
    pub fn count(&self) -> usize {
        1 + usize::from(self.source) + usize::from(self.receivers)
    }

    /// The image of one shot: divided, where the condition divides per shot.
    pub fn image<T: Real>(&self, shot: &ShotImage<T>) -> Cube<T> {
        let by = match self.condition {
            ImagingCondition::SourceNormalisedPerShot => shot.source_energy.as_ref(),
            ImagingCondition::ReceiverNormalisedPerShot => shot.receiver_energy.as_ref(),
            _ => None,
        };
        match by {
            Some(energy) => imaging::divide(&shot.correlation, energy, self.eps),
            None => shot.correlation.clone(),
        }
    }

    /// What a shot adds, in the order of [`Stack::cubes`]: its image as [`Summands::image`] gave it
    /// (and as it was filtered), and its energies.
    pub fn of_shot<T: Real>(&self, image: Cube<T>, shot: ShotImage<T>) -> Vec<Cube<T>> {
        let source = shot.source_energy.filter(|_| self.source);
        let receivers = shot.receiver_energy.filter(|_| self.receivers);
        [Some(image), source, receivers].into_iter().flatten().collect()
    }
}

/// What is summed over shots.
pub struct Stack<T> {
    /// Sum of the shots' images (or correlations, where the division comes after the stack).
    pub image: Cube<T>,
    /// Sum of `sum_t p_s^2`, if the condition divides by it after the stack or if it is wanted as
    /// illumination.
    pub source_energy: Option<Cube<T>>,
    /// Sum of `sum_t p_r^2`, likewise.
    pub receiver_energy: Option<Cube<T>>,
    summands: Summands,
}

impl<T: Real> Stack<T> {
    /// Zeros on a grid.
    pub fn new(grid: Grid, summands: Summands) -> Stack<T> {
        let zeros = || Cube::constant(grid, T::ZERO);
        Stack {
            image: zeros(),
            source_energy: summands.source.then(zeros),
            receiver_energy: summands.receivers.then(zeros),
            summands,
        }
    }

    /// The sums, in a fixed order: what a restart file holds.
    pub fn cubes(&self) -> Vec<&Cube<T>> {
        [Some(&self.image), self.source_energy.as_ref(), self.receiver_energy.as_ref()]
            .into_iter()
            .flatten()
            .collect()
    }

    fn cubes_mut(&mut self) -> impl Iterator<Item = &mut Cube<T>> {
        [Some(&mut self.image), self.source_energy.as_mut(), self.receiver_energy.as_mut()]
            .into_iter()
            .flatten()
    }

    /// Puts sums back, in the order of [`Stack::cubes`].
    pub fn restore(&mut self, cubes: Vec<Cube<T>>) {
        self.cubes_mut().zip(cubes).for_each(|(place, cube)| *place = cube);
    }

    /// Adds what [`Summands::of_shot`] gave.
    pub fn add(&mut self, summands: &[Cube<T>]) {
        self.cubes_mut().zip(summands).for_each(|(sum, part)| add_at_place(sum, part));
    }

    /// The image of all shots so far.
    pub fn image(&self) -> Cube<T> {
        let by = |energy: &Option<Cube<T>>| {
            let energy = energy.as_ref().expect("the condition's energies are summed");
            imaging::divide(&self.image, energy, self.summands.eps)
        };
        match self.summands.condition {
            ImagingCondition::SourceNormalised => by(&self.source_energy),
            ImagingCondition::ReceiverNormalised => by(&self.receiver_energy),
            ImagingCondition::BothNormalised => {
                let (mut both, other) = (by(&self.source_energy), by(&self.receiver_energy));
                both.values.iter_mut().zip(&other.values).for_each(|(a, b)| *a += *b);
                both
            }
            _ => self.image.clone(),
        }
    }
}

/// Adds a cube into a larger one on the same points, where its origin says.
fn add_at_place<T: Real>(sum: &mut Cube<T>, part: &Cube<T>) {
    let first: [usize; 3] = std::array::from_fn(|a| {
        ((part.grid.origin_m[a] - sum.grid.origin_m[a]) / sum.grid.d_m[a]).round() as usize
    });
    let [nx, ny, nz] = part.grid.n;
    for (ix, iy) in (0..nx).flat_map(|ix| (0..ny).map(move |iy| (ix, iy))) {
        let row = &mut sum.row_mut(first[0] + ix, first[1] + iy)[first[2]..first[2] + nz];
        row.iter_mut().zip(part.row(ix, iy)).for_each(|(sum, v)| *sum += *v);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shot::Counts;

    fn shot(grid: Grid, k: f32) -> ShotImage<f32> {
        let cube = |scale: f32| Cube::from_fn(grid, |p| scale * (1.0 + grid.index(p) as f32));
        ShotImage {
            correlation: cube(k),
            source_energy: Some(cube(2.0 * k)),
            receiver_energy: Some(cube(4.0)),
            counts: Counts::default(),
            bytes: 0,
        }
    }

    #[test]
    fn shots_are_added_where_they_lie_and_divided_as_the_condition_says() {
        let whole = Grid { n: [6, 5, 7], d_m: [10.0; 3], origin_m: [-20.0, 0.0, -10.0] };
        let at = |x: f64| Grid { n: [3, 2, 4], d_m: [10.0; 3], origin_m: [x, 20.0, 10.0] };
        let run = |condition| {
            let summands = Summands::new(condition, 0.0, true);
            let mut stack = Stack::<f32>::new(whole, summands);
            for s in [shot(at(0.0), 1.0), shot(at(10.0), 3.0)] {
                let image = summands.image(&s);
                let cubes = summands.of_shot(image, s);
                assert_eq!(
                    (cubes.len(), stack.cubes().len()),
                    (summands.count(), summands.count())
                );
                stack.add(&cubes);
            }
            stack.image()
        };
        // Point [3, 2, 2] is point 1,0,0 of the first shot (value 9) and 0,0,0 of the second (value
        // 1).
        let p = [3, 2, 2];
        let cases = [
            (ImagingCondition::CrossCorrelation, 9.0 + 3.0),
            (ImagingCondition::SourceNormalisedPerShot, 0.5 + 0.5),
            (ImagingCondition::ReceiverNormalisedPerShot, 0.25 + 0.75),
            (ImagingCondition::SourceNormalised, 12.0 / 24.0),
            (ImagingCondition::ReceiverNormalised, 12.0 / 40.0),
            (ImagingCondition::BothNormalised, 12.0 / 24.0 + 12.0 / 40.0),
        ];
        for (condition, want) in cases {
            let image = run(condition);
            assert!((image.at(p) - want).abs() < 1e-6, "{condition:?} {} {want}", image.at(p));
            assert_eq!(image.at([0, 0, 0]), 0.0);
        }
    }
}
