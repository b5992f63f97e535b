//! Models of the run time of a shot's kernels (spec 6): their form, how their parameters are found
//! from measured times, and what follows from them. Times are milliseconds; V, W and I are points
//! of the volume, of a face's layer, and of the interior.
//!
//! ```text
//! stencil   t = (b1 ord + b2) V + b3 ord^2 + b4 ord + alpha
//! face      t = (b1 ord + b2) W + alpha
//! image     t = beta I + alpha
//! shot      t = sum over kernels of calls * t
//! ```

use rtm::plan::{Plan, Replay, Strategy};
use rtm::strategy::schedule;
use rtm::{Error, Result};

/// Parameters of a time step's stencil.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StencilModel {
    /// alpha, b1, b2, b3, b4.
    pub p: [f64; 5],
}

/// Parameters of one face of the layers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FaceModel {
    /// alpha, b1, b2.
    pub p: [f64; 3],
}

/// Parameters of the imaging condition.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImageModel {
    /// alpha, beta.
    pub p: [f64; 2],
}

/// What a time depends on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Case {
    /// Order of the differences.
    pub order: f64,
    /// V, W or I.
    pub points: f64,
}

impl Case {
    /// An order and a number of points.
    pub fn new(order: usize, points: usize) -> Case {
        Case { order: order as f64, points: points as f64 }
    }
}

/// A model that is linear in its parameters.
pub trait Model<const N: usize>: Copy {
    /// The parameters' factors for a case.
    fn factors(case: Case) -> [f64; N];
    /// The model with these parameters.
    fn with(p: [f64; N]) -> Self;
    /// Its parameters.
    fn parameters(&self) -> [f64; N];

    /// Modelled milliseconds.
    fn ms(&self, case: Case) -> f64 {
        Self::factors(case).iter().zip(self.parameters()).map(|(f, p)| f * p).sum()
    }

    /// All parameters at once from measured cases, each weighted by the inverse of its time: errors
    /// count relative to it.
    ///
    /// # Errors
    /// Too few different cases.
    fn fit(measured: &[(Case, f64)]) -> Result<Self> {
        let rows: Vec<([f64; N], f64)> =
            measured.iter().map(|(case, ms)| (Self::factors(*case).map(|f| f / ms), 1.0)).collect();
        least_squares(&rows).map(Self::with)
    }
}

impl Model<5> for StencilModel {
    fn factors(c: Case) -> [f64; 5] {
        [1.0, c.order * c.points, c.points, c.order * c.order, c.order]
    }
    fn with(p: [f64; 5]) -> Self {
        StencilModel { p }
    }
    fn parameters(&self) -> [f64; 5] {
        self.p
    }
}

impl Model<3> for FaceModel {
    fn factors(c: Case) -> [f64; 3] {
        [1.0, c.order * c.points, c.points]
    }
    fn with(p: [f64; 3]) -> Self {
        FaceModel { p }
    }
    fn parameters(&self) -> [f64; 3] {
        self.p
    }
}

impl Model<2> for ImageModel {
    fn factors(c: Case) -> [f64; 2] {
        [1.0, c.points]
    }
    fn with(p: [f64; 2]) -> Self {
        ImageModel { p }
    }
    fn parameters(&self) -> [f64; 2] {
        self.p
    }
}

impl StencilModel {
    /// The thesis' procedure: a line over V for each order, then a line and a parabola over the
    /// orders.
    ///
    /// # Errors
    /// Fewer than two sizes for an order, or fewer than three orders.
    pub fn fit_by_order(measured: &[(Case, f64)]) -> Result<StencilModel> {
        let mut orders: Vec<f64> = measured.iter().map(|(c, _)| c.order).collect();
        orders.sort_by(f64::total_cmp);
        orders.dedup();
        let mut slopes = Vec::new();
        let mut starts = Vec::new();
        for order in orders {
            let of_order = measured.iter().filter(|(c, _)| c.order == order);
            let rows: Vec<_> = of_order.map(|(c, ms)| ([c.points, 1.0], *ms)).collect();
            let [m, a] = least_squares(&rows)?;
            slopes.push(([order, 1.0], m));
            starts.push(([order * order, order, 1.0], a));
        }
        let [b1, b2] = least_squares(&slopes)?;
        let [b3, b4, alpha] = least_squares(&starts)?;
        Ok(StencilModel { p: [alpha, b1, b2, b3, b4] })
    }

    /// Time of a point in a large volume, ms.
    pub fn slope(&self, order: f64) -> f64 {
        self.p[1] * order + self.p[2]
    }
}

/// The parameters that make the sum of squared errors smallest: Householder-free, by normal
/// equations of scaled columns and elimination with pivots, which is enough for five well-chosen
/// columns.
///
/// # Errors
/// The rows do not determine them.
pub fn least_squares<const N: usize>(rows: &[([f64; N], f64)]) -> Result<[f64; N]> {
    let scale: [f64; N] = std::array::from_fn(|j| {
        rows.iter().map(|(r, _)| r[j] * r[j]).sum::<f64>().sqrt().max(f64::MIN_POSITIVE)
    });
    let mut a = [[0.0; N]; N];
    let mut b = [0.0; N];
    for (row, value) in rows {
        for j in 0..N {
            for k in 0..N {
                a[j][k] += row[j] / scale[j] * row[k] / scale[k];
            }
            b[j] += row[j] / scale[j] * value;
        }
    }
    for j in 0..N {
        let pivot = (j..N).max_by(|x, y| a[*x][j].abs().total_cmp(&a[*y][j].abs())).unwrap_or(j);
        a.swap(j, pivot);
        b.swap(j, pivot);
        if a[j][j].abs() < 1e-13 {
            return Err(Error::input(
                "too few different sizes or orders for this model: measure more of both",
            ));
        }
        let row = a[j];
        for k in j + 1..N {
            let factor = a[k][j] / row[j];
            a[k].iter_mut().zip(row).for_each(|(a, row)| *a -= factor * row);
            b[k] -= factor * b[j];
        }
    }
    let mut x = [0.0; N];
    for j in (0..N).rev() {
        let rest: f64 = (j + 1..N).map(|k| a[j][k] * x[k]).sum();
        x[j] = (b[j] - rest) / a[j][j];
    }
    Ok(std::array::from_fn(|j| x[j] / scale[j]))
}

/// How well a model does on cases that it was not fitted to: mean and largest error relative to the
/// measured time.
pub fn errors<const N: usize, M: Model<N>>(model: &M, measured: &[(Case, f64)]) -> (f64, f64) {
    let each: Vec<f64> = measured.iter().map(|(c, ms)| ((model.ms(*c) - ms) / ms).abs()).collect();
    let mean = each.iter().sum::<f64>() / each.len().max(1) as f64;
    (mean, each.into_iter().fold(0.0, f64::max))
}

/// Parts measurements into those to fit to and, each fifth, those to test with.
pub fn hold_out(measured: &[(Case, f64)]) -> [Vec<(Case, f64)>; 2] {
    let (mut fit, mut test) = (Vec::new(), Vec::new());
    for (i, m) in measured.iter().enumerate() {
        if i % 5 == 2 { test.push(*m) } else { fit.push(*m) }
    }
    [fit, test]
}

/// All models of one set of kernels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Models {
    /// The stencil.
    pub stencil: StencilModel,
    /// The faces: left, right, back, front, top, bottom.
    pub faces: [FaceModel; 6],
    /// The imaging condition, if its parameters are known.
    pub image: Option<ImageModel>,
}

/// Points of a face's layer, W.
pub fn face_points([nx, ny, nz]: [usize; 3], layers: usize, face: usize) -> usize {
    layers * [ny * nz, nx * nz, nx * ny][face / 2]
}

impl Models {
    /// Milliseconds of one call of the stencil, of all six faces, and of the imaging condition.
    pub fn of_calls(&self, n: [usize; 3], layers: usize, order: usize) -> [f64; 3] {
        let volume = n.iter().product();
        let interior = n.map(|n| n - 2 * layers).iter().product();
        let faces =
            (0..6).map(|f| self.faces[f].ms(Case::new(order, face_points(n, layers, f)))).sum();
        [
            self.stencil.ms(Case::new(order, volume)),
            faces,
            self.image.map_or(0.0, |i| i.ms(Case::new(order, interior))),
        ]
    }

    /// Seconds of a shot's migration on a plan: calls times modelled times (eq. 59).
    pub fn shot_s(&self, plan: &Plan) -> f64 {
        let [stencil, faces, image] = self.of_calls(plan.grid.n, plan.layers, plan.order);
        let [a, b, c] = calls(plan);
        1e-3 * (a as f64 * stencil + b as f64 * faces + c as f64 * image)
    }
}

/// Calls of the stencil, of each face and of the imaging condition in a shot's migration.
pub fn calls(plan: &Plan) -> [usize; 3] {
    let (nt, stencils) = (plan.nt, schedule::stencils(plan));
    let faces = match plan.strategy {
        Strategy::SaveBoundaries => 2 * (nt - 1),
        Strategy::RandomBoundaries(_) => nt - 1,
        Strategy::StoreAll | Strategy::Binomial { .. } => stencils,
        Strategy::Checkpoints { replay: Replay::EachLevel | Replay::Segment, .. } => stencils,
    };
    [stencils, faces, nt.div_ceil(plan.ks)]
}

/// The thesis' parameters (spec 6.4): naive kernels.
pub const THESIS_NAIVE: Models = Models {
    stencil: StencilModel {
        p: [
            -1.6791260742701,
            7.9306140441494e-07,
            3.1057297725926e-06,
            -0.003926885496416,
            -0.21497330305401,
        ],
    },
    faces: [
        FaceModel { p: [-1.305749, 5.648592e-07, 5.566845e-06] },
        FaceModel { p: [-1.342942, 5.752421e-07, 5.558013e-06] },
        FaceModel { p: [-0.3523925, 5.033372e-07, 3.51832e-06] },
        FaceModel { p: [-0.3488267, 5.045264e-07, 3.510769e-06] },
        FaceModel { p: [-0.2373986, 4.624294e-07, 3.450126e-06] },
        FaceModel { p: [-0.2306914, 4.560121e-07, 3.463573e-06] },
    ],
    image: None,
};

/// The thesis' parameters: improved kernels.
pub const THESIS_IMPROVED: Models = Models {
    stencil: StencilModel {
        p: [
            0.19064387887962,
            7.975432e-08,
            6.5531810970337e-07,
            9.0578991306399e-06,
            0.019265638204372,
        ],
    },
    faces: [
        FaceModel { p: [0.07591678, 1.16077e-07, 8.85564e-07] },
        FaceModel { p: [0.06879264, 1.094305e-07, 9.562157e-07] },
        FaceModel { p: [0.06028437, 9.90092e-08, 9.764309e-07] },
        FaceModel { p: [0.05701178, 9.979277e-08, 9.818859e-07] },
        FaceModel { p: [0.1000242, 5.748528e-08, 1.010731e-06] },
        FaceModel { p: [0.1047336, 5.551176e-08, 1.040562e-06] },
    ],
    image: None,
};

/// Speed-up of the stencil as a function of volume and order, and its bounds: for large volumes at
/// an order, and for large orders too.
pub fn stencil_speed_up(naive: &StencilModel, improved: &StencilModel, case: Case) -> [f64; 3] {
    [
        naive.ms(case) / improved.ms(case),
        naive.slope(case.order) / improved.slope(case.order),
        naive.p[1] / improved.p[1],
    ]
}

/// All blocks with axes 1 to `limits` and at most 1024 threads.
pub fn blocks(limits: [u32; 3]) -> Vec<[u32; 3]> {
    let mut all = Vec::new();
    for x in 1..=limits[0] {
        for y in 1..=limits[1] {
            all.extend((1..=limits[2]).take_while(|z| x * y * z <= 1024).map(|z| [x, y, z]));
        }
    }
    all
}

/// What the times of a study over blocks say (spec 6.7).
#[derive(Debug, Clone, PartialEq)]
pub struct BlockStudy {
    /// The time that a twentieth of all blocks does not exceed, ms.
    pub threshold_ms: f64,
    /// The best block and its time.
    pub best: ([u32; 3], f64),
    /// The worst.
    pub worst: ([u32; 3], f64),
    /// For each axis and value (from 1): the share of its blocks at or below the threshold.
    pub shares: [Vec<f64>; 3],
}

/// Makes a study of measured blocks.
///
/// # Errors
/// There are none.
pub fn study_blocks(times: &[([u32; 3], f64)]) -> Result<BlockStudy> {
    let mut sorted = times.to_vec();
    sorted.sort_by(|a, b| a.1.total_cmp(&b.1));
    let (Some(best), Some(worst)) = (sorted.first(), sorted.last()) else {
        return Err(Error::input("no block was measured"));
    };
    let threshold_ms = sorted[(sorted.len() - 1) / 20].1;
    let shares = std::array::from_fn(|axis| {
        let longest = times.iter().map(|(b, _)| b[axis]).max().unwrap_or(0);
        (1..=longest)
            .map(|value| {
                let of_value: Vec<f64> =
                    times.iter().filter(|(b, _)| b[axis] == value).map(|(_, t)| *t).collect();
                let good = of_value.iter().filter(|t| **t <= threshold_ms).count();
                good as f64 / of_value.len().max(1) as f64
            })
            .collect()
    });
    Ok(BlockStudy { threshold_ms, best: *best, worst: *worst, shares })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{prop_assert, prop_assert_eq, proptest};
    use rtm::Grid;
    use rtm::plan::{RandomBoundary, Strategy};

    fn shot(strategy: Strategy) -> Plan {
        Plan { strategy, ..Plan::new(Grid::uniform([141, 141, 135], 40.0), 6, 0.002, 2500, 7.0) }
    }

    /// Spec 6.6.
    #[test]
    fn the_thesis_parameters_give_its_modelled_times() {
        let n = [141, 141, 135];
        let naive = THESIS_NAIVE.of_calls(n, 16, 6);
        let improved = THESIS_IMPROVED.of_calls(n, 16, 6);
        for (found, want) in
            [(naive[0], 17.996), (improved[0], 3.350), (naive[1], 9.588), (improved[1], 3.268)]
        {
            assert!((found - want).abs() < 6e-4, "{found} {want}");
        }
        let mixes = [
            (THESIS_NAIVE.stencil, THESIS_NAIVE.faces),
            (THESIS_IMPROVED.stencil, THESIS_NAIVE.faces),
            (THESIS_NAIVE.stencil, THESIS_IMPROVED.faces),
            (THESIS_NAIVE.stencil, THESIS_NAIVE.faces),
            (THESIS_IMPROVED.stencil, THESIS_IMPROVED.faces),
        ];
        let strategies = [
            (
                Strategy::Checkpoints { ks_store: 50, replay: Replay::EachLevel },
                [1759.84, 825.41, 1356.60, 1759.84, 422.18],
            ),
            (Strategy::SaveBoundaries, [182.82, 73.03, 151.23, 182.82, 41.44]),
            (
                Strategy::RandomBoundaries(RandomBoundary::default()),
                [158.86, 49.07, 143.07, 158.86, 33.28],
            ),
        ];
        for (strategy, totals) in strategies {
            for ((stencil, faces), want) in mixes.into_iter().zip(totals) {
                let found = Models { stencil, faces, image: None }.shot_s(&shot(strategy));
                assert!((found - want).abs() < 0.006, "{strategy:?}: {found} {want}");
            }
        }
    }

    #[test]
    fn calls_are_those_of_the_thesis() {
        let checkpoints = Strategy::Checkpoints { ks_store: 50, replay: Replay::EachLevel };
        assert_eq!(calls(&shot(checkpoints)), [63_798, 63_798, 2500]);
        assert_eq!(calls(&shot(Strategy::SaveBoundaries)), [7496, 4998, 2500]);
        let random = Strategy::RandomBoundaries(RandomBoundary::default());
        assert_eq!(calls(&shot(random)), [7496, 2499, 2500]);
    }

    #[test]
    fn bounds_of_the_thesis_speed_up() {
        let want = [5.76, 6.44, 6.94, 7.31, 7.60, 7.83, 8.02, 8.18];
        for (i, want) in want.into_iter().enumerate() {
            let case = Case::new(2 * (i + 1), 1_000_000_000);
            let [_, at_order, absolute] =
                stencil_speed_up(&THESIS_NAIVE.stencil, &THESIS_IMPROVED.stencil, case);
            assert!((at_order - want).abs() < 0.006, "{at_order} {want}");
            assert!((absolute - 9.944).abs() < 6e-4);
        }
    }

    proptest! {
        /// Times that a model has made give it back, by both ways of fitting.
        #[test]
        fn a_fit_finds_the_parameters(
            alpha in 0.01..1.0,
            b1 in 1e-9..1e-6,
            b2 in 1e-8..1e-5,
            b3 in 0.0..0.01,
            b4 in 0.0..0.1,
        ) {
            let model = StencilModel { p: [alpha, b1, b2, b3, b4] };
            let mut measured = Vec::new();
            for order in (2..=16).step_by(2) {
                for n in [64usize, 100, 128, 200, 256] {
                    let case = Case::new(order, n * n * n);
                    measured.push((case, model.ms(case)));
                }
            }
            let [fit, test] = hold_out(&measured);
            prop_assert_eq!((fit.len(), test.len()), (32, 8));
            for found in [
                StencilModel::fit(&fit).unwrap(),
                StencilModel::fit_by_order(&fit).unwrap(),
            ] {
                let (mean, largest) = errors(&found, &test);
                prop_assert!(mean <= largest && largest < 1e-6, "{} {:?}", largest, found);
            }
        }
    }

    #[test]
    fn too_few_cases_are_refused() {
        let one = [(Case::new(8, 1000), 1.0), (Case::new(8, 1000), 1.1)];
        assert!(ImageModel::fit(&one).is_err());
        assert!(FaceModel::fit(&[(Case::new(2, 10), 1.0), (Case::new(2, 20), 2.0)]).is_err());
    }

    #[test]
    fn blocks_of_the_study() {
        assert_eq!(blocks([32, 32, 32]).len(), 9424);
        // One axis up to 64, the others up to 128: all of CUDA's blocks that the study of the
        // imaging condition tried.
        assert_eq!(blocks([128, 128, 64]).len(), 20010);
        let times: Vec<_> =
            blocks([8, 4, 4]).into_iter().map(|b| (b, f64::from(100 - b[0]))).collect();
        let study = study_blocks(&times).unwrap();
        assert_eq!((study.best.1, study.worst.1, study.threshold_ms), (92.0, 99.0, 92.0));
        assert_eq!((study.shares[0][7], study.shares[0][0]), (1.0, 0.0));
        assert!(study_blocks(&[]).is_err());
    }
}
