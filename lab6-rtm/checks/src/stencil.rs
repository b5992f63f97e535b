//! What the checks of all four stencils share: launching one step, and telling what is wrong with
//! its result.

use grading::{Evidence, Finding, Kernels, Outcome, Run, Trial, expect};
use simt::fault::{Fault, FaultKind};

use crate::compare::{self, Mistake};
use rand::RngExt;
use references::grid::{Grid, second};

/// How threads are laid over the grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// x of CUDA counts ix, z of CUDA counts iz; the weights are an argument.
    Naive,
    /// x of CUDA counts iz.
    Aligned,
    /// As `Aligned`, in blocks of 32 x 8 points of a plane.
    Tile,
    /// As `Tile`; each thread does all planes.
    March,
}

/// One of the stencils.
#[derive(Clone, Copy, Debug)]
pub struct Stencil {
    /// File.
    pub file: &'static str,
    /// Kernel.
    pub name: &'static str,
    /// Threads.
    pub threads: Threads,
}

/// The operands of a step.
#[derive(Clone, Debug)]
pub struct Fields {
    /// Grid.
    pub grid: Grid,
    /// The level before `cur`.
    pub old: Vec<f32>,
    /// The present level.
    pub cur: Vec<f32>,
    /// `(v dt)^2`.
    pub v2: Vec<f32>,
}

impl Fields {
    /// Random values on a grid.
    pub fn random(t: &Trial, grid: Grid) -> Fields {
        let mut rng = t.rng();
        Fields {
            grid,
            old: grid.random(&mut rng),
            cur: grid.random(&mut rng),
            v2: grid.random_v2(&mut rng),
        }
    }
}

/// The weights of a grid's order as the kernels take them.
pub fn weights(half: usize) -> Vec<f32> {
    second(half).iter().map(|w| *w as f32).collect()
}

/// Hints for mistakes that every version of the step can show.
pub const HINTS: [(&str, &str); 10] = [
    ("g", "the blocks reach beyond the grid on every axis: such threads must not write"),
    ("o", "the oldest level is subtracted: next = 2 cur - old + v2 lap"),
    ("c", "the centre counts once for each axis: 3 weight[0] cur[i]"),
    ("r", "the neighbours at distance H belong to it, too: l <= H"),
    ("v", "the Laplacian is multiplied with v2"),
    ("x", "a neighbour along x is s.plane away, along y s.stride, along z 1"),
    ("n", "neighbours are read from cur: next is being overwritten by the others"),
    ("C4", "it works for one order or size only: use H and the sizes in s"),
    (
        "one",
        "each thread makes its own point: its indices are those of its block and of itself in it",
    ),
    ("u", "a point of the grid was left as it was"),
];

/// A typical mistake: how the result differs from the right one.
#[derive(Clone, Copy)]
struct Recipe {
    old: f64,
    centre: f64,
    reach: usize,
    v2: bool,
    steps: [usize; 3],
}

impl Recipe {
    fn right(grid: &Grid) -> Recipe {
        let steps = [grid.step(0), grid.step(1), grid.step(2)];
        Recipe { old: -1.0, centre: 3.0, reach: grid.half, v2: true, steps }
    }

    /// Mistakes and their hints.
    fn mistakes(grid: &Grid) -> Vec<(&'static str, Recipe)> {
        let right = Recipe::right(grid);
        let [x, y, z] = right.steps;
        vec![
            ("o", Recipe { old: 1.0, ..right }),
            ("o", Recipe { old: 0.0, ..right }),
            ("c", Recipe { centre: 1.0, ..right }),
            ("r", Recipe { reach: grid.half - 1, ..right }),
            ("v", Recipe { v2: false, ..right }),
            ("x", Recipe { steps: [y, y, z], ..right }),
            ("x", Recipe { steps: [x, z, z], ..right }),
            ("x", Recipe { steps: [x, x, z], ..right }),
        ]
    }

    /// The new value at `i` and the sum of the absolute values of its terms.
    fn value(&self, f: &Fields, w: &[f64], i: usize) -> (f64, f64) {
        let cur = |i: usize| f64::from(f.cur.get(i).copied().unwrap_or(0.0));
        let v2 = if self.v2 { f64::from(f.v2[i]) } else { 1.0 };
        let mut lap = self.centre * w[0] * cur(i);
        let mut size = lap.abs();
        for (l, w) in w.iter().enumerate().take(self.reach + 1).skip(1) {
            for step in self.steps {
                let (a, b) = (w * cur(i.wrapping_sub(l * step)), w * cur(i + l * step));
                lap += a + b;
                size += a.abs() + b.abs();
            }
        }
        let old = f64::from(f.old[i]);
        (2.0 * cur(i) + self.old * old + v2 * lap, 2.0 * cur(i).abs() + old.abs() + v2 * size)
    }
}

impl Stencil {
    /// Compiles it for differences of order `2 * half`.
    pub fn compile(&self, t: &Trial, half: usize) -> Result<Kernels, Finding> {
        t.kernel(self.file).define(&format!("H={half}")).compile()
    }

    /// Blocks along each axis and threads of a block.
    pub fn layout(&self, [nx, ny, nz]: [usize; 3]) -> ([u32; 3], [u32; 3]) {
        let block: [u32; 3] = match self.threads {
            Threads::Naive => [32, 2, 2],
            Threads::Aligned => [32, 4, 2],
            Threads::Tile | Threads::March => [32, 8, 1],
        };
        let size = self.size([nx, ny, nz]);
        let blocks = |k: usize| (size[k] as u32).div_ceil(block[k]);
        ([blocks(0), blocks(1), blocks(2)], block)
    }

    /// Threads along x, y and z of CUDA that have a point.
    fn size(&self, [nx, ny, nz]: [usize; 3]) -> [usize; 3] {
        match self.threads {
            Threads::Naive => [nx, ny, nz],
            Threads::March => [nz, ny, 1],
            Threads::Aligned | Threads::Tile => [nz, ny, nx],
        }
    }

    /// True if the fault is one of a thread that has no point.
    fn beyond(&self, n: [usize; 3], fault: &Fault) -> bool {
        let (size, (_, block)) = (self.size(n), self.layout(n));
        fault.site.as_ref().is_some_and(|site| {
            (0..3).any(|k| (site.block[k] * block[k] + site.thread[k]) as usize >= size[k])
        })
    }

    /// One step in the judge's emulator.
    pub fn launch(
        &self,
        kernels: &Kernels,
        f: &Fields,
        fault: impl Fn(&Fault) -> Option<&'static str>,
    ) -> Result<Run, Finding> {
        self.launch_blocks(self.layout(f.grid.n).0, kernels, f, fault)
    }

    /// As [`Stencil::launch`], with so many blocks along each axis.
    fn launch_blocks(
        &self,
        blocks: [u32; 3],
        kernels: &Kernels,
        f: &Fields,
        fault: impl Fn(&Fault) -> Option<&'static str>,
    ) -> Result<Run, Finding> {
        let w = weights(f.grid.half);
        let launch = kernels
            .launch(self.name, blocks, self.layout(f.grid.n).1)
            .inout("next", &f.old)
            .input("cur", &f.cur)
            .input("v2", &f.v2)
            .on_fault(fault)
            .on_fault(|f| (f.kind == FaultKind::RaceGlobal).then_some("n"))
            .on_fault(|fault| {
                let out = fault.kind == FaultKind::OutOfBoundsGlobal;
                (out && self.beyond(f.grid.n, fault)).then_some("g")
            });
        match self.threads {
            Threads::Naive => launch.input("weight", &w).scalar(f.grid.shape()).run(),
            _ => launch.constant("weight", &w).scalar(f.grid.shape()).run(),
        }
    }

    /// The check `field`: random fields on odd grids of orders 8, 2 and 4, each value within the
    /// bound of rounding, the zeros around the grid untouched.
    pub fn field(&self, t: &Trial, fault: impl Fn(&Fault) -> Option<&'static str>) -> Outcome {
        let mut points = 0;
        for (number, half) in [4, 1, 2].into_iter().enumerate() {
            let kernels = self.compile(t, half)?;
            let grids = odd_grids(t, half);
            let grids = if number == 0 { &grids[..] } else { &grids[..1] };
            for grid in grids {
                let f = Fields::random(t, *grid);
                let run = self
                    .launch(&kernels, &f, &fault)
                    .map_err(|e| if number > 0 { e.or_hint("C4") } else { e })?;
                compare(&f, &run.get("next")?)
                    .map_err(|e| if number > 0 { e.or_hint("C4") } else { e })?;
                expect::shared_work(&run).map_err(|e| e.hint("one"))?;
                points += grid.count();
            }
        }
        self.own_points(t, &fault)?;
        Ok(Evidence::new(format!(
            "orders 8, 2, 4: {points} points on 5 grids within the rounding bound, zeros around \
             them untouched"
        )))
    }

    /// That a block makes its own points: of a launch of one block, no others change.
    fn own_points(
        &self,
        t: &Trial,
        fault: impl Fn(&Fault) -> Option<&'static str>,
    ) -> Result<(), Finding> {
        // All blocks divide it.
        let grid = Grid::new([32, 16, 64], 4);
        let kernels = self.compile(t, grid.half)?;
        let run = self.launch_blocks([1; 3], &kernels, &Fields::random(t, grid), fault)?;
        let (blocks, _) = self.layout(grid.n);
        let own = grid.count() as u64 / blocks.iter().map(|n| u64::from(*n)).product::<u64>();
        let stored = run.total().gst_lane;
        expect::that(stored <= own, || {
            format!("a launch of one block stores {stored} points: {own} are its own")
        })
        .map_err(|f| f.hint("one"))
    }

    /// Every point is stored once, and by its own block.
    pub fn stored_once(
        &self,
        t: &Trial,
        run: &Run,
        grid: &Grid,
        fault: impl Fn(&Fault) -> Option<&'static str>,
    ) -> Outcome {
        expect::shared_work(run).map_err(|f| f.hint("one"))?;
        self.own_points(t, fault)?;
        expect::count(run, "gst.lane", grid.count() as u64)
    }
}

/// Compares a new level with the right one and names the mistake.
pub fn compare(f: &Fields, got: &[f32]) -> Result<(), Finding> {
    let grid = &f.grid;
    let w: Vec<f64> = weights(grid.half).iter().map(|w| f64::from(*w)).collect();
    let at: Vec<usize> = grid.points().map(|p| grid.at(p)).collect();
    let name = |i| grid.place(i);
    compare::untouched("next", &at, got, &f.old, "g", name)?;
    let value = |recipe: Recipe| {
        let w = &w;
        move |i| recipe.value(f, w, i)
    };
    let mut mistakes = vec![Mistake::new("u", |i| f64::from(f.old[i]))];
    for (hint, recipe) in Recipe::mistakes(grid) {
        let value = value(recipe);
        mistakes.push(Mistake::new(hint, move |i| value(i).0));
    }
    let [nx, ny, nz] = grid.n;
    let what = format!("order {}, {nx} x {ny} x {nz} points: next", 2 * grid.half);
    let operations = 9 * grid.half + 12;
    compare::places(&what, &at, got, operations, value(Recipe::right(grid)), &mistakes, name)
}

/// Two lists of hints as one.
pub const fn join<const A: usize, const B: usize, const N: usize>(
    a: [(&'static str, &'static str); A],
    b: [(&'static str, &'static str); B],
) -> [(&'static str, &'static str); N] {
    assert!(A + B == N);
    let mut all = [("", ""); N];
    let mut k = 0;
    while k < N {
        all[k] = if k < A { a[k] } else { b[k - A] };
        k += 1;
    }
    all
}

/// Random grids for a check: small, with odd sizes that no block divides.
fn odd_grids(t: &Trial, half: usize) -> [Grid; 3] {
    let mut rng = t.rng();
    let mut odd = |from: usize, to: usize| 2 * rng.random_range(from / 2..to / 2) + 1;
    [
        Grid::new([odd(6, 10), odd(8, 14), odd(32, 44)], half),
        Grid::new([odd(2, 6), odd(16, 20), odd(8, 20)], half),
        Grid::new([odd(8, 12), 1, odd(64, 70)], half),
    ]
}
