//! The tables of the thesis, made anew: `rtm study NAME`.

use std::io::{self, Write};
use std::time::Instant;

use rtm::engine::Backend;
use rtm::plan::{Envelope, Generator, RandRange, RandomBoundary, Replay, Strategy};
use rtm::strategy::{memory, schedule};
use rtm::verify::problem::Problem;
use rtm::verify::reconstruction::Setting;
use rtm::verify::scattering;
use rtm::{Error, Grid, Plan, Result, fd, metrics};

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
    /// The two fronts that random boundaries send back, against mode, thickness and envelope
    Fronts,
    /// Error of the field that saved boundaries give back
    Reconstruction,
    /// Every strategy on one shot: image error, steps, bytes, seconds
    Strategies,
}

/// Runs a study and writes its table. `full` takes the thesis' sizes instead of those for a laptop.
pub fn run(
    study: Study,
    full: bool,
    backend32: &dyn Backend<f32>,
    backend64: &dyn Backend<f64>,
    out: &mut dyn Write,
) -> Result<()> {
    let text = match study {
        Study::Checkpoints => checkpoints(),
        Study::Memory => memory_table(),
        Study::Storage => storage(),
        Study::Stability => stability(full, backend32, out)?,
        Study::Fronts => fronts(backend32)?,
        Study::Reconstruction => reconstruction(full, backend32, backend64)?,
        Study::Strategies => strategies(backend32)?,
    };
    put(out, &text)
}

fn put(out: &mut dyn Write, text: &str) -> Result<()> {
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    written.map_err(|e: io::Error| Error::file("standard output", e))
}

/// A table in Markdown.
struct Table(String);

impl Table {
    fn new(title: &str, head: &[&str]) -> Table {
        let mut table = Table(format!("{title}\n\n"));
        table.row(head);
        table.row(&vec!["---"; head.len()]);
        table
    }

    fn row(&mut self, cells: &[impl AsRef<str>]) {
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

fn checkpoints() -> String {
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

fn memory_table() -> String {
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

fn storage() -> String {
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

fn stability(full: bool, backend: &dyn Backend<f32>, out: &mut dyn Write) -> Result<String> {
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

/// Energy within a quarter of the interior's width around the source, at the moments when a front
/// has come back there: once reflected at the layers' inner edge (1), or at the outer wall behind
/// them (2); relative to no randomness at all for (2).
fn fronts(backend: &dyn Backend<f32>) -> Result<String> {
    let mut table = Table::new(
        "Energy of the fronts that come back to the middle: (1) from the layers' inner edge, (2) from the outer wall; \
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

fn reconstruction(
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

fn strategies(backend: &dyn Backend<f32>) -> Result<String> {
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
