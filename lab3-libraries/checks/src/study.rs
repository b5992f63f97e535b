//! `cargo lab study ep`, `ft` and `npb`: the two benchmarks in all their versions. Times
//! come from the device at hand (predicted if it is emulated), counts from the judge's emulator.

use std::fmt::Write;

use figures::{Axis, Chart, Series};
use grading::report::wrapped;
use grading::study::{TableStudy, Tables};
use grading::{Finding, Run, Trial, trace};
use npb::ft::C64;
use npb::study::{Row, VERSIONS};
use serde::Deserialize;
use serde_json::{Value, json};
use simt::report::Counters;
use wire::Outcome;

use crate::e3_4_04::pass;
use crate::ep;
use crate::ft::{initial, pairs, roots};

/// EP over the size of a batch and of a block.
pub const EP: TableStudy = TableStudy { name: "ep", lab: "lab3", exercise: "3.3.5", run: run_ep };

/// FT by class and layout, phase by phase.
pub const FT: TableStudy = TableStudy { name: "ft", lab: "lab3", exercise: "3.4.7", run: run_ft };

/// Both benchmarks in all versions by class, as the paper compares them.
pub const NPB: TableStudy =
    TableStudy { name: "npb", lab: "lab3", exercise: "3.4.7", run: run_npb };

/// Where the times come from.
#[derive(Deserialize)]
struct Place {
    gpu: String,
    measured: bool,
}

impl Place {
    fn of(t: &Trial) -> Result<Place, Finding> {
        trace::value(&t.call("study.place", &Value::Null)?)
    }

    fn title(&self) -> String {
        let how = if self.measured { "measured on" } else { "predicted for" };
        format!("{how} {}{}", self.gpu, if self.measured { "" } else { " (emulated)" })
    }
}

/// A table as text with aligned columns, and as CSV.
struct Table(Vec<Vec<String>>);

impl Table {
    fn new<const N: usize>(head: [&str; N]) -> Table {
        Table(vec![head.map(String::from).to_vec()])
    }

    fn csv(&self) -> String {
        self.0.iter().map(|row| row.join(",") + "\n").collect()
    }

    fn text(&self) -> String {
        let columns = self.0[0].len();
        let width = |i: usize| self.0.iter().map(|row| row[i].len()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let line = |row: &Vec<String>| {
            let cells = row.iter().zip(&widths).map(|(cell, w)| format!("{cell:>w$}"));
            cells.collect::<Vec<String>>().join("  ") + "\n"
        };
        self.0.iter().map(line).collect()
    }
}

/// Threads and pairs of the launch that is counted: enough warps for every accumulator to be met,
/// few enough for a moment.
const COUNTED: (u32, u32) = (1024, 64);

fn run_ep(t: &Trial) -> Result<Tables, Finding> {
    #[derive(Deserialize)]
    struct Timed {
        ms: f64,
        pairs: u64,
    }
    let place = Place::of(t)?;
    let (class, batches): (&str, Vec<u32>) = match place.measured {
        true => ("A", (8..=16).collect()),
        false => ("T", (4..=10).collect()),
    };
    let class = npb::ep::Class::by_name(class)
        .ok_or_else(|| Finding::grader(format!("no class {class}")))?;
    let timed = |version: &str, mk: u32, block: u32| -> Result<(f64, f64), Finding> {
        let request = json!({ "m": class.m, "mk": mk, "block": block, "version": version });
        let found: Timed = trace::value(&t.call("study.ep", &request)?)?;
        if class.pairs.is_some_and(|pairs| pairs != found.pairs) {
            let text = format!("{version}, MK = {mk}: {} Gaussian pairs", found.pairs);
            return Err(Finding::wrong(text));
        }
        Ok((found.ms, 1e3 * class.mop() / found.ms))
    };
    let mut table = Table::new([
        "version",
        "class",
        "mk",
        "block",
        "threads",
        "ms",
        "mops",
        "inst_per_pair",
        "atom_lane_per_thread",
        "shld_wf_per_block",
        "br_div_share",
    ]);
    let mut series: Vec<(&str, Vec<(f64, f64)>)> = Vec::new();
    let versions =
        [("paper", "kernels/ep.cu", "ep_seed"), ("better", "kernels/ep_better.cu", "ep_better")];
    for (version, file, kernel) in versions {
        let kernels = t.kernel(file).compile()?;
        let mut row = |mk: u32, block: u32| -> Result<f64, Finding> {
            let (ms, mops) = timed(version, mk, block)?;
            let (threads, pairs) = COUNTED;
            let run = ep::launch(&kernels, kernel, (threads, pairs, block), |_| None)?;
            let c: &Counters = run.total();
            let blocks = f64::from(threads.div_ceil(block));
            table.0.push(vec![
                version.into(),
                class.name.into(),
                mk.to_string(),
                block.to_string(),
                (1u64 << (class.m - mk)).to_string(),
                format!("{ms:.4}"),
                format!("{mops:.1}"),
                format!("{:.2}", c.inst as f64 * 32.0 / f64::from(threads * pairs)),
                format!("{:.3}", c.atom_lane as f64 / f64::from(threads)),
                format!("{:.1}", c.shld_wf as f64 / blocks),
                format!("{:.3}", c.br_div as f64 / c.br_exec.max(1) as f64),
            ]);
            Ok(mops)
        };
        let mut curve = Vec::new();
        for &mk in &batches {
            curve.push((f64::from(mk), row(mk, 128)?));
        }
        let best = curve.iter().copied().fold((0.0, 0.0), |a, b| if b.1 > a.1 { b } else { a });
        for block in [32, 64, 256, 512, 1024] {
            row(best.0 as u32, block)?;
        }
        series.push((version, curve));
    }
    let (ms, mops) = timed("fast", batches[0], 0)?;
    let mut fast = vec![String::new(); table.0[0].len()];
    fast[..2].clone_from_slice(&["fast".into(), class.name.into()]);
    fast[5..7].clone_from_slice(&[format!("{ms:.4}"), format!("{mops:.1}")]);
    table.0.push(fast);
    series.push(("fast", batches.iter().map(|mk| (f64::from(*mk), mops)).collect()));

    let x = Axis::linear("MK: a thread has 2^{MK} pairs").whole();
    let svg = Chart::new(&format!("EP, class {}", class.name), x, Axis::log("Mop/s"))
        .note(&place.title())
        .with_all(series.into_iter().map(|(name, points)| Series::line(name, points)))
        .svg();
    let mut text = format!("EP, class {} (2^{} pairs), {}\n\n", class.name, class.m, place.title());
    text += &table.text();
    text += &generators(t)?;
    Ok(Tables { text, files: vec![("ep.csv".into(), table.csv()), ("ep_mk.svg".into(), svg)] })
}

/// What a step of the generator costs in both forms.
fn generators(t: &Trial) -> Result<String, Finding> {
    let kernels = t.kernel("kernels/e3_3_01.cu").compile()?;
    let steps = 1000;
    let seeds: Vec<u64> = (0..32).map(|i| 2 * i + 1).collect();
    let states: Vec<f64> = seeds.iter().map(|s| *s as f64).collect();
    let integer = kernels
        .launch("lcg_steps", 1, 32)
        .output::<u64>("out", 32)
        .input("s", &seeds)
        .scalar(steps)
        .run()?;
    let double = kernels
        .launch("randlc_steps", 1, 32)
        .output::<f64>("out", 32)
        .input("s", &states)
        .scalar(steps)
        .run()?;
    let [integer, double] =
        [integer.total(), double.total()].map(|c| c.inst as f64 / f64::from(steps));
    Ok(format!(
        "\nA step of the generator: {integer:.1} instructions in integers, {double:.1} in double \
         precision.\n\
         inst, atom, shld and br columns: counted by the emulator, {} threads of {} pairs.\n",
        COUNTED.0, COUNTED.1
    ))
}

/// What the transform along x moves in each layout, class T2.
fn sectors(t: &Trial) -> Result<String, Finding> {
    let size = [32, 16, 8];
    let [nx, ny, nz] = size.map(|n| n as i32);
    let u = initial(size);
    let moved = |run: &Run| run.total().gld_sec + run.total().gst_sec;
    let kernels = t.kernel("kernels/ft.cu").compile()?;
    let paper = pass(&kernels, 1, size, &u, 1, 128)?;
    let copies = moved(&paper.copy_in) + moved(&paper.copy_out);
    let direct = kernels
        .launch("ft_direct1", 1, 128)
        .inout("u", &pairs(&u))
        .output::<[f64; 2]>("y1", u.len())
        .input("roots", &pairs(&roots(size[0])))
        .scalar(nx)
        .scalar(ny)
        .scalar(nz)
        .scalar(1i32)
        .run()?;
    // 64 lines of a block, 4 threads for each: as the program chooses for lines of 32 elements.
    let turn = std::f64::consts::TAU / 32.0;
    let circle: Vec<C64> = (0..32).map(|k| C64::from_polar(1.0, turn * f64::from(k))).collect();
    let mut file = t.kernel("kernels/nas_ft.cu");
    for option in ["LEN=32", "HELD=8", "FIRST=4", "COLS=64", "SIGN=1", "ALONG_X=1"] {
        file = file.define(option);
    }
    let shared = file
        .compile()?
        .launch("ft_pass", 2, (4, 64))
        .output::<[f64; 2]>("to", u.len())
        .input("from", &pairs(&u))
        .input("roots", &pairs(&circle))
        .scalar(1i64)
        .input("fx", &[1.0f64])
        .input("fy", &[1.0f64])
        .input("fz", &[1.0f64])
        .scalar(nx)
        .run()?;
    Ok(format!(
        "\nSectors that the transform along x of class T2 moves, roots included (counted by the \
         emulator):\n\
         direct  {}\n paper  {} ({copies} of them for the copies)\nshared  {}\n",
        moved(&direct),
        copies + moved(&paper.transform),
        moved(&shared)
    ))
}

const PHASES: [&str; 4] = ["set-up", "evolve", "fft", "checksum"];

fn run_ft(t: &Trial) -> Result<Tables, Finding> {
    #[derive(Deserialize)]
    struct Timed {
        ms: [f64; 5],
        verified: bool,
    }
    let place = Place::of(t)?;
    let classes: &[&str] = match place.measured {
        true => &["S", "W", "A", "B"],
        false => &["T1", "T2", "T3"],
    };
    let mut table = Table::new([
        "class",
        "version",
        "setup_ms",
        "evolve_ms",
        "fft_ms",
        "checksum_ms",
        "total_ms",
        "gops",
        "verified",
    ]);
    let mut bars: Vec<(String, Vec<f64>)> = Vec::new();
    let mut text = format!("FT, {}\n\n", place.title());
    for name in classes {
        let class = npb::ft::Class::by_name(name)
            .ok_or_else(|| Finding::grader(format!("no class {name}")))?;
        for version in ["direct", "paper", "shared", "fast", "library"] {
            let request = json!({ "class": name, "version": version });
            let found: Timed = trace::value(&t.call("study.ft", &request)?)?;
            let [setup, evolve, fft, checksum, total] = found.ms;
            let phases = [setup, evolve, fft, checksum];
            let mut row = vec![name.to_string(), version.to_string()];
            let known = phases.iter().any(|ms| *ms > 0.0);
            row.extend(phases.map(|ms| if known { format!("{ms:.4}") } else { String::new() }));
            row.push(format!("{total:.4}"));
            row.push(format!("{:.3}", class.mop() / total));
            row.push(if found.verified { "yes" } else { "NO" }.into());
            table.0.push(row);
            if known {
                bars.push((format!("{name} {version}"), phases.to_vec()));
            }
        }
    }
    text += &table.text();
    let largest = classes[classes.len() - 1];
    let _ = writeln!(text, "\nA transform of 3.4.4, class {largest}, over the threads of a block:");
    for block in [32, 64, 128, 256, 512, 1024] {
        let request = json!({ "class": largest, "block": block });
        let ms: f64 = trace::value(&t.call("study.ft_block", &request)?)?;
        let _ = writeln!(text, "{block:>6}  {ms:.4} ms");
    }
    let [in_turn, together]: [f64; 2] = trace::value(&t.call("study.ft_setup", &json!(largest))?)?;
    let note = if place.measured { "" } else { " (this computer emulates)" };
    let _ = writeln!(
        text,
        "\nSet-up of class {largest} by the host's clock{note}: {in_turn:.3} ms one array after \
         the other on the CPU, {together:.3} ms on four threads and streams"
    );
    text += &sectors(t)?;
    let mut files = vec![("ft.csv".to_string(), table.csv())];
    for name in classes {
        let of_class: Vec<&(String, Vec<f64>)> =
            bars.iter().filter(|(bar, _)| bar.split(' ').next() == Some(*name)).collect();
        let versions = of_class.iter().map(|b| b.0.split(' ').next_back().unwrap_or(""));
        let (x, y) = (Axis::names("", versions), Axis::linear("time").unit("s", 1e-3));
        let mut chart = Chart::new(&format!("FT, class {name}: phases"), x, y).stacked();
        for (k, phase) in PHASES.iter().enumerate() {
            chart = chart.bars(phase, of_class.iter().map(|b| b.1[k]).collect());
        }
        let svg = chart.note(&place.title()).svg();
        files.push((format!("ft_phases_{}.svg", name.to_lowercase()), svg));
    }
    Ok(Tables { text, files })
}

/// Runs of each version.
const RUNS: usize = 5;

fn run_npb(t: &Trial) -> Result<Tables, Finding> {
    #[derive(Deserialize)]
    struct Timed {
        place: String,
        predicted: bool,
        seconds: Vec<f64>,
        mop: f64,
        verified: bool,
    }
    let place = Place::of(t)?;
    // On a GPU times say something from class S on. An emulated device is given our own small
    // classes; class S besides shows what this computer's cores do.
    let classes: [&[&str]; 2] = match place.measured {
        true => [&["S", "W", "A", "B"], &["S", "W", "A", "B"]],
        false => [&["T", "S"], &["T1", "T2", "S"]],
    };
    let mut rows = Vec::new();
    // Why versions were left out, and which classes of which.
    let mut left_out: Vec<(String, Vec<String>)> = Vec::new();
    for ((benchmark, versions), classes) in VERSIONS.into_iter().zip(classes) {
        for class in classes {
            for version in versions {
                let request = json!({
                    "benchmark": benchmark, "class": class, "version": version, "runs": RUNS
                });
                let reply = t.call("study.npb", &request)?;
                let found: Option<Timed> = match trace::value(&reply) {
                    Ok(found) => found,
                    Err(finding) => {
                        let why = match &reply.outcome {
                            Outcome::Err { message, .. } if reply.faults.is_empty() => message,
                            _ => &finding.message,
                        };
                        let one = format!("{benchmark} {class} {version}");
                        match left_out.iter_mut().find(|(reason, _)| reason == why) {
                            Some((_, all)) => all.push(one),
                            None => left_out.push((why.clone(), vec![one])),
                        }
                        continue;
                    }
                };
                let Some(found) = found else { continue };
                rows.push(Row {
                    benchmark: benchmark.into(),
                    class: (*class).into(),
                    version: (*version).into(),
                    place: found.place,
                    predicted: found.predicted,
                    seconds: found.seconds,
                    mop: found.mop,
                    verified: found.verified,
                });
            }
        }
    }
    let mut text = format!("EP and FT, {}; versions of the CPU are measured.\n\n", place.title());
    text += &npb::study::text(&rows);
    let _ = writeln!(text, "sigma s: standard deviation of {RUNS} runs of a version of the CPU.");
    text += "sequential: yours, on one core. parallel: all cores.\n\
             paper, better, direct, shared: yours. ours: kernels/nas_*.cu.\n\
             library: cuFFT's transforms.\n";
    if rows.iter().any(|r| r.predicted) {
        text += "A speed-up of a predicted time says what the model expects of that GPU beside\n\
                 this computer's core.\n";
    }
    for (why, which) in &left_out {
        text += &wrapped("left out: ", &format!("{}: {why}", which.join(", ")), 80);
    }
    text += "Other classes, more runs:\n  cargo run -p lab3-libraries --bin npb -- --study --class \
        S,W --runs 40\n";
    let mut files = vec![("npb.csv".to_string(), npb::study::csv(&rows))];
    files.extend(npb::study::charts(&rows));
    Ok(Tables { text, files })
}
