//! The tables of the thesis, made anew.

use std::io::{self, Write};
use std::time::Instant;

use figures::Chart;
use rtm::engine::Backend;
use rtm::grid::Cube;
use rtm::picture::{Plane, Scale, Slice, chart_of};
use rtm::plan::{Envelope, Generator, RandRange, RandomBoundary, Replay, Strategy};
use rtm::strategy::{memory, schedule};
use rtm::verify::problem::Problem;
use rtm::verify::reconstruction::Setting;
use rtm::verify::scattering;
use rtm::{Error, Grid, Plan, Result, fd, metrics};

/// Panels, and how many stand in a row.
pub type Panels = (Vec<Chart>, usize);

pub(crate) fn put(out: &mut dyn Write, text: &str) -> Result<()> {
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|e: io::Error| Error::file("standard output", e))
}

/// A table in Markdown.
pub(crate) struct Table(pub(crate) String);

impl Table {
    pub(crate) fn new(title: &str, head: &[&str]) -> Table {
        let mut table = Table(format!("{title}\n\n"));
        table.row(head);
        table.row(&vec!["---"; head.len()]);
        table
    }

    pub(crate) fn row(&mut self, cells: &[impl AsRef<str>]) {
        for cell in cells {
            self.0 += &format!("| {} ", cell.as_ref());
        }
        self.0 += "|\n";
    }

    fn note(mut self, text: &str) -> String {
        self.0 += &format!("\n{text}\n");
        self.0
    }
}

/// Shot 65 of the thesis' salt example.
fn shot_65(strategy: Strategy) -> Plan {
    Plan { strategy, ..Plan::new(Grid::uniform([141, 141, 135], 40.0), 6, 0.002, 2500, 7.0) }
}

const SHOT_65_TRACES: usize = 2601 * 2500;
const SHOT_65_REST: usize = 10_509;

fn each_level(ks_store: usize) -> Strategy {
    Strategy::Checkpoints { ks_store, replay: Replay::EachLevel }
}

pub(crate) fn checkpoints() -> String {
    let mut table = Table::new(
        "Strategy 1 on shot 65 (141 x 141 x 135 points, order 6, 2500 levels)",
        &["ks_store", "steps", "bytes (thesis)", "bytes (here)", "steps with segment replay"],
    );
    for ks_store in [48, 60, 72, 84, 96, 108, 120, 132, 144, 156, 168, 180] {
        let plan = shot_65(each_level(ks_store));
        table.row(&[
            ks_store.to_string(),
            schedule::stencils(&plan).to_string(),
            (4 * memory::thesis_words(&plan, SHOT_65_TRACES, SHOT_65_REST)).to_string(),
            memory::cpu_bytes::<f32>(&plan, SHOT_65_TRACES + plan.nt).to_string(),
            schedule::segment_steps(plan.nt, ks_store).to_string(),
        ]);
    }
    table.note(&format!(
        "nt = 2500, ks_store = 50: {} steps.",
        schedule::stencils(&shot_65(each_level(50)))
    ))
}

pub(crate) fn memory_table() -> String {
    let random = |generator| {
        Strategy::RandomBoundaries(RandomBoundary { generator, ..RandomBoundary::default() })
    };
    let segment = |ks_store| Strategy::Checkpoints { ks_store, replay: Replay::Segment };
    let mut table = Table::new(
        "Every strategy on shot 65",
        &["strategy", "steps", "CPML calls per face", "bytes (thesis)", "bytes (here)"],
    );
    for (name, strategy) in [
        ("store all", Strategy::StoreAll),
        ("1, ks_store 48", each_level(48)),
        ("1, ks_store 48, segments", segment(48)),
        ("1, binomial, 53 checkpoints", Strategy::Binomial { slots: 53 }),
        ("1, binomial, 8 checkpoints", Strategy::Binomial { slots: 8 }),
        ("2, saved boundaries", Strategy::SaveBoundaries),
        ("3, random, LCG", random(Generator::Lcg)),
        ("3, random, counter", random(Generator::Counter)),
    ] {
        let plan = shot_65(strategy);
        let steps = schedule::stencils(&plan);
        let cpml = match strategy {
            Strategy::SaveBoundaries => 2 * (plan.nt - 1),
            Strategy::RandomBoundaries(_) => plan.nt - 1,
            _ => steps,
        };
        table.row(&[
            name.to_string(),
            steps.to_string(),
            cpml.to_string(),
            (4 * memory::thesis_words(&plan, SHOT_65_TRACES, SHOT_65_REST)).to_string(),
            memory::cpu_bytes::<f32>(&plan, SHOT_65_TRACES + plan.nt).to_string(),
        ]);
    }
    table.note(
        "Bytes (thesis): the formulas of its measured bytes. Bytes (here): what this \
         program allocates, padding of rows included.",
    )
}

pub(crate) fn storage() -> String {
    let mut table = Table::new(
        "What a shot would take to store: order 8, 8 layers, 10 points per wavelength, 5 s, 50 x \
         50 x 30 points at 100 m, 2000 m/s",
        &[
            "fq Hz",
            "ds m",
            "Nx = Ny",
            "Nz",
            "dt ms",
            "nt",
            "snapshot MB",
            "full field GB",
            "boundaries GB",
        ],
    );
    for fq in (2..=50).step_by(4) {
        // 10 points per wavelength of 2000 m/s.
        let factor = fq / 2;
        let (ds, n, nz) = (100.0 / factor as f64, 49 * factor + 1, 29 * factor + 1);
        let dt_s = fd::dt_max_s(8, ds, 2000.0);
        let nt = (5.0 / dt_s).floor() as usize;
        let plan = Plan { layers: 8, ..Plan::new(Grid::uniform([n, n, nz], ds), 8, dt_s, nt, 1.0) };
        let sizes = memory::Sizes::of(&plan);
        let gb = |words: usize| 4e-9 * words as f64;
        table.row(&[
            fq.to_string(),
            format!("{ds:.2}"),
            n.to_string(),
            nz.to_string(),
            format!("{:.2}", 1e3 * dt_s),
            nt.to_string(),
            format!("{:.1}", 1e3 * gb(sizes.volume)),
            format!("{:.1}", gb(sizes.volume) * nt as f64),
            format!("{:.3}", gb(sizes.shell) * nt as f64),
        ]);
    }
    table.note(
        "The thesis prints 0.9 GB of boundaries at 2 Hz; its own formula gives what stands here.",
    )
}

fn random_problem(interior: usize, layers: usize, nt: usize) -> Problem {
    let grid = Grid::uniform([interior + 2 * layers; 3], 20.0);
    let plan = Plan { layers, ..Plan::new(grid, 8, 0.001, nt, 10.0) };
    Problem::constant(plan, 2000.0, &[])
}

const MODES: [RandRange; 4] =
    [RandRange::Full, RandRange::Nyquist, RandRange::FourNyquist, RandRange::Symmetric];

pub(crate) fn stability(
    full: bool,
    backend: &dyn Backend<f32>,
    out: &mut dyn Write,
) -> Result<String> {
    let (problem, each, periods): (_, _, &[usize]) = if full {
        let periods =
            &[1, 2, 4, 6, 10, 20, 40, 60, 100, 150, 200, 250, 300, 400, 500, 1000, 10_000];
        (random_problem(250, 50, 5001), 50, periods)
    } else {
        (random_problem(40, 12, 801), 10, &[1, 4, 20, 60, 100, 200, 10_000])
    };
    let run = |range, ks_rand| {
        let (envelope, generator) = (Envelope::Linear, Generator::Counter);
        let boundary =
            RandomBoundary { ks_rand, envelope, range, generator, ..RandomBoundary::default() };
        scattering::energies::<f32>(backend, &problem, boundary, each)
    };
    // E0 is 10 times the largest energy of the static run of the same mode.
    let mut limits = [0.0; 4];
    for (limit, range) in limits.iter_mut().zip(MODES) {
        *limit = 10.0 * run(range, usize::MAX)?.largest();
    }
    let mut table = Table::new(
        "Random boundaries, linear envelope: steps above E0 there / back (largest energy there : \
         left at level 0)",
        &["ks_rand", "mode 0", "mode 1", "mode 2", "mode 3"],
    );
    let head = std::mem::take(&mut table.0);
    put(out, &head)?;
    for &ks_rand in periods {
        let mut cells = vec![ks_rand.to_string()];
        for (range, limit) in MODES.into_iter().zip(limits) {
            let energies = run(range, ks_rand)?;
            let [there, back] = energies.steps_above(limit);
            cells.push(format!(
                "{there}/{back} ({:.1e} : {:.1e})",
                energies.largest(),
                energies.left
            ));
        }
        table.row(&cells);
        put(out, &std::mem::take(&mut table.0))?;
    }
    Ok(table.note("E0 = 10 x the largest energy of the static run of the same mode."))
}

/// The thesis' figure 20: the energy of a stable and of an unstable case (linear envelope, full
/// range), there and back.
pub(crate) fn energy(full: bool, backend: &dyn Backend<f32>) -> Result<String> {
    let (problem, each, period) = if full {
        (random_problem(250, 50, 5001), 50, 150)
    } else {
        (random_problem(40, 12, 801), 10, 20)
    };
    let run = |ks_rand| {
        let (envelope, range) = (Envelope::Linear, RandRange::Full);
        let boundary = RandomBoundary { ks_rand, envelope, range, ..RandomBoundary::default() };
        scattering::energies::<f32>(backend, &problem, boundary, each)
    };
    let (calm, wild) = (run(10_000)?, run(period)?);
    let unstable = format!("ks_rand {period}");
    let mut table = Table::new(
        "Energy within random boundaries, linear envelope, rand_mode 0; there and back",
        &[
            "level",
            "ks_rand 10000 there",
            "ks_rand 10000 back",
            &format!("{unstable} there"),
            &format!("{unstable} back"),
        ],
    );
    // The way there has the levels `each`, 2 `each`, ...; the way back ends with level 0.
    let cell = |energies: &[f64], k: Option<usize>| {
        let value = k.and_then(|k| energies.get(k));
        value.map_or("-".into(), |e| format!("{e:.3e}"))
    };
    for k in 0..=calm.forward.len() {
        let mut cells = vec![(k * each).to_string()];
        for energies in [&calm, &wild] {
            let back = energies.backward.len().checked_sub(k + 1);
            cells.push(cell(&energies.forward, k.checked_sub(1)));
            cells.push(cell(&energies.backward, back));
        }
        table.row(&cells);
    }
    Ok(table.0)
}

/// The thesis' figures 21 to 28: the wave of a source in the middle of a homogeneous cube, when its
/// front is within the random layers, and when it has come back.
pub(crate) fn snapshots(full: bool, backend: &dyn Backend<f32>) -> Result<(String, Panels)> {
    let (interior, usual, levels, thick) = if full {
        (250, 50, [2000, 3000], [8, 24, 40, 56])
    } else {
        (60, 16, [600, 900], [4, 8, 16, 24])
    };
    let linear = RandomBoundary {
        ks_rand: 10_000,
        envelope: Envelope::Linear,
        range: RandRange::Symmetric,
        ..RandomBoundary::default()
    };
    let mut cases = Vec::new();
    for (mode, range) in MODES.into_iter().enumerate() {
        let boundary = RandomBoundary { range, ..linear };
        cases.push((format!("rand_mode {mode}"), usual, boundary));
    }
    for ks_rand in [2, 20, 100, 10_000] {
        cases.push((format!("ks_rand {ks_rand}"), usual, RandomBoundary { ks_rand, ..linear }));
    }
    cases.extend(thick.map(|layers| (format!("L = {layers}"), layers, linear)));
    let envelopes = [Envelope::Linear, Envelope::Exponential, Envelope::Quadratic, Envelope::One];
    for (code, envelope) in [0, 1, 2, 4].into_iter().zip(envelopes) {
        let boundary = RandomBoundary { envelope, ..linear };
        cases.push((format!("rdtype {code}"), usual, boundary));
    }
    let mut table = Table::new(
        &format!(
            "Energy of the interior ({interior}^3 points of 20 m, 2000 m/s, 10 Hz, {usual} layers; \
             rand_mode 3, ks_rand 10000 and rdtype 0 where nothing else is said)"
        ),
        &["case", &format!("level {}", levels[0]), &format!("level {}", levels[1])],
    );
    // A row of four cases for each moment.
    let (mut charts, mut later) = (Vec::new(), Vec::new());
    for (k, (name, layers, boundary)) in cases.into_iter().enumerate() {
        let problem = random_problem(interior, layers, levels[1] + 2);
        let fields = scattering::snapshots::<f32>(backend, &problem, boundary, &levels)?;
        let mut cells = vec![name.clone()];
        for (field, level) in fields.iter().zip(levels) {
            let inside = field.part([layers; 3], [interior; 3]);
            cells.push(format!("{:.2e}", metrics::energy(&inside.values)));
            let title = format!("{name}, {:.1} s", level as f64 * problem.plan.dt_s);
            let chart = middle(&title, field)?;
            if level == levels[0] { charts.push(chart) } else { later.push(chart) }
        }
        table.row(&cells);
        if k % 4 == 3 {
            charts.append(&mut later);
        }
    }
    Ok((table.0, (charts, 4)))
}

/// The plane through the middle of a field, small.
fn middle(title: &str, field: &Cube<f32>) -> Result<Chart> {
    let slice = Slice::of_cube(field, Plane::Xz, field.grid.n[1] / 2)?;
    Ok(chart_of(title, &slice, Scale::Signed(0.99))?.size(240.0, 240.0))
}

/// The thesis' figures 16 and 17: the source's field as it was propagated, as saved boundaries give
/// it back, and the difference.
pub(crate) fn wavefields(full: bool, backend: &dyn Backend<f32>) -> Result<(String, Panels)> {
    let (base, levels) = if full {
        (Setting::EXAMPLE_C, [900, 600, 300, 100])
    } else {
        (Setting::SMALL, [700, 400, 200, 50])
    };
    let head = levels.map(|level| format!("level {level}"));
    let mut table = Table::new(
        "Relative L2 error e of the interior as saved boundaries give it back, single precision",
        &["case", &head[0], &head[1], &head[2], &head[3]],
    );
    let mut charts = Vec::new();
    for (name, at_surface) in [("centre", false), ("surface", true)] {
        let mut cells = vec![format!("source: {name}")];
        let mut seen = Vec::new();
        Setting { at_surface, ..base }.compare(backend, &levels, |level, truth, found| {
            seen.push((level, truth.clone(), found.clone()));
        })?;
        for (level, truth, found) in seen {
            cells.push(format!("{:.1e}", metrics::relative_l2(&found.values, &truth.values)));
            let mut difference = found.clone();
            difference.values.iter_mut().zip(&truth.values).for_each(|(d, t)| *d -= t);
            charts.push(middle(&format!("{name}, level {level}: propagated"), &truth)?);
            charts.push(middle("given back", &found)?);
            charts.push(middle("difference", &difference)?);
        }
        table.row(&cells);
    }
    Ok((table.0, (charts, 3)))
}

/// Energy within a quarter of the interior's width around the source, at the moments when a front
/// has come back there: once reflected at the layers' inner edge (1), or at the outer wall behind
/// them (2); relative to no randomness at all for (2).
pub(crate) fn fronts(backend: &dyn Backend<f32>) -> Result<String> {
    let mut table = Table::new(
        "Energy of the fronts that come back to the middle: (1) from the layers' inner edge, (2) \
         from the outer wall; \
         40^3 points of 20 m, 2000 m/s, 10 Hz, relative to the energy of front (2) without \
         randomness",
        &["case", "front (1)", "front (2)"],
    );
    let envelopes = [
        (0, Envelope::Linear),
        (1, Envelope::Exponential),
        (2, Envelope::Quadratic),
        (4, Envelope::One),
    ];
    for layers in [8, 16, 24] {
        let measure = |envelope, range| -> Result<[f64; 2]> {
            let boundary = RandomBoundary {
                ks_rand: usize::MAX,
                envelope,
                range,
                ..RandomBoundary::default()
            };
            scattering::fronts::<f32>(backend, &random_problem(40, layers, 3), boundary)
        };
        let [_, plain] = measure(Envelope::Zero, RandRange::Full)?;
        for (code, envelope) in envelopes {
            // The envelopes at one thickness, the thicknesses at the linear envelope.
            if code != 0 && layers != 16 {
                continue;
            }
            for (mode, range) in MODES.into_iter().enumerate() {
                let [one, two] = measure(envelope, range)?;
                table.row(&[
                    format!("L = {layers}, rdtype {code}, mode {mode}"),
                    format!("{:.4}", one / plain),
                    format!("{:.4}", two / plain),
                ]);
            }
        }
    }
    Ok(table.0)
}

pub(crate) fn reconstruction(
    full: bool,
    single: &dyn Backend<f32>,
    double: &dyn Backend<f64>,
) -> Result<String> {
    let (base, levels): (_, &[usize]) = if full {
        (Setting::EXAMPLE_C, &[1320, 1170, 930, 690, 450, 210, 120, 90, 60, 30])
    } else {
        (Setting::SMALL, &[775, 600, 400, 300, 200, 100, 75, 50, 25])
    };
    let mut head = vec!["case".to_string()];
    head.extend(levels.iter().map(|k| format!("level {k}")));
    let head: Vec<&str> = head.iter().map(String::as_str).collect();
    let mut table = Table::new(
        "Relative L2 error e of the interior as saved boundaries give it back (e^2 in the last \
         rows)",
        &head,
    );
    let row = |name: &str, errors: &[f64]| {
        let cells = errors.iter().map(|e| format!("{e:.1e}"));
        std::iter::once(name.to_string()).chain(cells).collect::<Vec<_>>()
    };
    let centre = base.errors(single, levels)?;
    table.row(&row("f32, centre", &centre));
    let exact = base.errors(double, levels)?;
    table.row(&row("f64, centre", &exact));
    let surface = Setting { at_surface: true, ..base };
    table.row(&row("f32, source at the surface", &surface.errors(single, levels)?));
    for order in [2, 14] {
        let setting = Setting { order, ..base };
        table.row(&row(&format!("f32, order {order}, centre"), &setting.errors(single, levels)?));
    }
    let squares = |errors: &[f64]| errors.iter().map(|e| e * e).collect::<Vec<_>>();
    table.row(&row("e^2, f32, centre", &squares(&centre)));
    table.row(&row("e^2, f64, centre", &squares(&exact)));
    Ok(table.0)
}

pub(crate) fn strategies(backend: &dyn Backend<f32>) -> Result<String> {
    let problem = Problem::lens([60, 60, 60], 12, 8, 401);
    let shot = problem.shot(backend)?;
    let oracle = problem.migrate(backend, &shot, each_level(20))?;
    let mut table = Table::new(
        "One shot, 84^3 points, order 8, 401 levels: error of the image against checkpoints, work, \
         memory",
        &["strategy", "e", "e^2", "steps", "bytes", "seconds"],
    );
    for (name, strategy) in [
        ("1, ks_store 20", each_level(20)),
        (
            "1, ks_store 20, segments",
            Strategy::Checkpoints { ks_store: 20, replay: Replay::Segment },
        ),
        ("1, binomial, 20 checkpoints", Strategy::Binomial { slots: 20 }),
        ("2, saved boundaries", Strategy::SaveBoundaries),
        (
            "3, random (mode 3, quadratic, static)",
            Strategy::RandomBoundaries(RandomBoundary::default()),
        ),
    ] {
        let start = Instant::now();
        let found = problem.migrate(backend, &shot, strategy)?;
        let seconds = start.elapsed().as_secs_f64();
        let e = metrics::relative_l2(&found.correlation.values, &oracle.correlation.values);
        table.row(&[
            name.to_string(),
            format!("{e:.2e}"),
            format!("{:.2e}", e * e),
            found.counts.stencil.to_string(),
            found.bytes.to_string(),
            format!("{seconds:.2}"),
        ]);
    }
    Ok(table.0)
}
