//! Pictures of what was measured on a card, from the tables beside them.

use std::path::Path;

use figures::{Axis, Chart, Series, Sheet, stacked_panels};

/// All of them.
pub(super) fn all(root: &Path) -> Result<Vec<(String, Vec<u8>)>, String> {
    let mut drawn = Vec::new();
    let mut add = |name: &str, chart: &dyn Fn(Table) -> Chart| -> Result<(), String> {
        let table = Table::read(root, &format!("{name}.csv"))?;
        drawn.push((format!("{name}.svg"), chart(table).svg().into_bytes()));
        Ok(())
    };
    let ms = |label: &str| Axis::log(label).unit("s", 1e-3);
    add("lab1-cuda-intro/pictures/julia_kmax", &|t| {
        let title = "Julia set, 256 x 256 pixels";
        Chart::new(title, Axis::log("kmax"), ms("time of one picture")).with_all(t.lines())
    })?;
    add("lab3-libraries/pictures/ep_mk", &|t| {
        let x = Axis::linear("MK: a thread has 2^{MK} pairs").whole();
        Chart::new("EP, class A", x, Axis::log("numbers per second").unit("op/s", 1e6))
            .note("measured on an NVIDIA H200")
            .with_all(t.lines())
    })?;
    add("lab3-libraries/pictures/ft_phases", &|t| {
        let x = Axis::names("", t.rows.iter().map(|r| r.0.clone()));
        let mut chart = Chart::new("FT, class B: phases", x, Axis::linear("time").unit("s", 1e-3));
        for (k, name) in t.columns.iter().enumerate() {
            chart = chart.bars(name, t.rows.iter().map(|r| r.1[k]).collect());
        }
        chart.stacked().note("measured on an NVIDIA H200")
    })?;
    for (name, title) in [("npb_ep", "EP by class"), ("npb_ft", "FT by class")] {
        add(&format!("lab3-libraries/pictures/{name}"), &|t| {
            let classes = Axis::names("class", t.rows.iter().map(|r| r.0.clone()));
            let rate = Axis::log("operations per second").unit("op/s", 1e6);
            let chart = Chart::new(title, classes, rate).size(560.0, 320.0);
            let bars = t.columns.iter().enumerate();
            bars.fold(chart, |c, (k, name)| c.bars(name, t.rows.iter().map(|r| r.1[k]).collect()))
                .note("sequential and parallel: a laptop's processor; the others: an NVIDIA H200")
        })?;
    }
    add("lab3-libraries/pictures/step", &|t| {
        // A of `years` times 365 days by 50 observations a year, at 4.8 TB/s.
        let read = |years: f64| (years, 4.0 * (365.0 * years) * (50.0 * years) / 4.8e9);
        let read = Series::line("A read at 4.8 TB/s", vec![read(1.0), read(1000.0)]);
        Chart::new("A step of matching pursuit", Axis::log("years"), ms("time of a step"))
            .note("measured on an NVIDIA H200 and its host")
            .with_all(t.lines())
            .with(read.reference())
    })?;
    add("rtm/pictures/fletcher-sweep", &|t| {
        let x = Axis::linear("points along each axis").from_zero();
        let speed = Axis::linear("points per second").unit("point/s", 1e6).from_zero();
        Chart::new("TTI: speed over the size of the grid", x, speed)
            .note("measured on an NVIDIA H200, mean of ten runs")
            .with_all(t.lines())
    })?;
    add("rtm/pictures/speed-up", &|t| {
        let times = Axis::linear("times the naive kernel's speed").from_zero();
        Chart::new("Stencil kernels on a GPU", Axis::log("points of the grid"), times)
            .note("models fitted to an NVIDIA H200's times (rtm times)")
            .with_all(t.lines())
    })?;
    add("rtm/pictures/energy-full", &|t| {
        let energy = Axis::log("energy of the interior");
        Chart::new(
            "Random boundaries: the way back follows the way there, if drawn once",
            Axis::linear("level"),
            energy,
        )
        .note("computed on an NVIDIA H200: 250^{3} points, linear envelope, rand_mode 0")
        .with_all(t.lines())
    })?;
    add("rtm/pictures/stability-full", &|t| {
        let steps = Axis::linear("steps above the limit, of 5,000").from_zero();
        let x = Axis::log("steps between two draws (ks_rand)");
        Chart::new(
            "The rarer random velocities are drawn again, the longer a run is stable",
            x,
            steps,
        )
        .note("computed on an NVIDIA H200: 250^{3} points, linear envelope, the way there")
        .with_all(t.lines())
    })?;
    let speeds = Table::read(root, "rtm/pictures/opencl-speed.csv")?;
    drawn.push(("rtm/pictures/opencl-speed.svg".into(), opencl(&speeds).svg().into_bytes()));
    for of in LADDERS {
        let table = Table::read(root, &format!("{}.csv", of.file))?;
        drawn.push((format!("{}.svg", of.file), ladder(of, &table).svg().into_bytes()));
    }
    Ok(drawn)
}

/// A ladder of kernels or designs, from the table of the same name.
struct Ladder {
    file: &'static str,
    title: &'static str,
    /// What is counted, on which axis.
    counts: (&'static str, fn(&str) -> Axis),
    /// What the names below the bars are, where they do not say it themselves.
    names: &'static str,
    time: &'static str,
}

/// A ladder whose times are a card's.
const ON_A_CARD: Ladder = Ladder {
    file: "",
    title: "",
    counts: ("", Axis::linear),
    names: "",
    time: "measured on an NVIDIA H200",
};

const LADDERS: &[Ladder] = &[
    Ladder {
        file: "lab1-cuda-intro/pictures/ladder",
        title: "Vector add of 2^{26} floats: the same sectors, other times",
        counts: ("sectors counted for an element", Axis::linear),
        names: "threads of a block; a loop: 256, each adds several elements",
        ..ON_A_CARD
    },
    Ladder {
        file: "lab2-optimization/pictures/ladder-fir",
        title: "FIR filter: fewer loads, less time",
        counts: ("counted for an output", Axis::linear),
        ..ON_A_CARD
    },
    Ladder {
        file: "lab2-optimization/pictures/ladder-aat",
        title: "A A^{T}: coalesced, padded, then half of the tiles",
        counts: ("counted for 1000 products", Axis::linear),
        ..ON_A_CARD
    },
    Ladder {
        file: "lab3-libraries/pictures/ladder",
        title: "Fourier transforms of FT: three layouts",
        counts: ("sectors of the transform along x, class T2", Axis::linear),
        time: "all transforms of class C, measured on an NVIDIA H200",
        ..ON_A_CARD
    },
    // By `fpga build NAME` and `fpga run NAME`.
    Ladder {
        file: "lab4-fpga/pictures/ladder",
        title: "Filters of eight taps: cells and time",
        counts: ("counted by the rules of the crate hdl", Axis::log),
        time: "1024 samples on the board, simulated",
        ..ON_A_CARD
    },
    Ladder {
        file: "lab6-rtm/pictures/ladder",
        title: "The stencil: from 25 loads to a register queue",
        counts: ("counted for a point", Axis::linear),
        ..ON_A_CARD
    },
];

/// Counts over times, for the same kernels. The last column of the table are the times, in ms.
fn ladder(of: &Ladder, t: &Table) -> Sheet {
    let names = || Axis::names(of.names, t.rows.iter().map(|r| r.0.clone()));
    let column = |k: usize| t.rows.iter().map(|r| r.1[k]).collect::<Vec<f64>>();
    let last = t.columns.len() - 1;
    let (label, axis) = of.counts;
    // No wider than its bars and their names need: it may be shown small.
    let width = (t.rows.len() as f64 * (40.0 * last as f64).max(130.0)).clamp(480.0, 760.0);
    let counted = Chart::new(of.title, names(), axis(label)).size(width, 260.0);
    let counted = (0..last).fold(counted, |chart, k| chart.bars(&t.columns[k], column(k)));
    let timed = Axis::linear(of.time).unit("s", 1e-3);
    let timed = Chart::new("Time", names(), timed).bars("", column(last)).size(width, 200.0);
    stacked_panels(&[counted, timed])
}

/// Speed and energy of the wave kernels in OpenCL, quoted and measured: figures 15 and 16 of Pona's
/// dissertation. Its nanojoules are watts of the data sheet over its speed.
fn opencl(t: &Table) -> Sheet {
    let panel = |title: &str, label: &str, column: usize| {
        let names = Axis::names("", t.rows.iter().map(|r| r.0.clone()));
        let bars = t.rows.iter().map(|r| r.1[column]).collect();
        Chart::new(title, names, Axis::log(label)).bars("", bars).size(800.0, 220.0)
    };
    let speed = panel("Speed", "10^{9} points per second", 0);
    stacked_panels(&[speed, panel("Energy", "nJ per point", 1)])
}

/// A table: names of the columns behind the first, and the first cell and the numbers of each row;
/// an empty cell is no number.
struct Table {
    columns: Vec<String>,
    rows: Vec<(String, Vec<f64>)>,
}

impl Table {
    fn read(root: &Path, path: &str) -> Result<Table, String> {
        let text = std::fs::read_to_string(root.join(path)).map_err(|e| format!("{path}: {e}"))?;
        let mut lines = text.lines();
        let head = lines.next().unwrap_or("");
        let columns: Vec<String> = head.split(',').skip(1).map(String::from).collect();
        let mut rows = Vec::new();
        for (k, line) in lines.enumerate() {
            let mut cells = line.split(',');
            let first = cells.next().unwrap_or("").to_string();
            let number = |cell: &str| match cell {
                "" => Ok(f64::NAN),
                cell => cell.parse().map_err(|_| format!("{path}:{}: {cell}: no number", k + 2)),
            };
            let numbers = cells.map(number).collect::<Result<Vec<f64>, String>>()?;
            if numbers.len() != columns.len() {
                return Err(format!("{path}:{}: {} cells expected", k + 2, columns.len() + 1));
            }
            rows.push((first, numbers));
        }
        Ok(Table { columns, rows })
    }

    /// Each column over the first one.
    fn lines(&self) -> Vec<Series> {
        let line = |(k, name): (usize, &String)| {
            let point = |r: &(String, Vec<f64>)| Some((r.0.parse().ok()?, r.1[k]));
            let points =
                self.rows.iter().filter_map(point).filter(|p: &(f64, f64)| p.1.is_finite());
            Series::line(name, points.collect())
        };
        self.columns.iter().enumerate().map(line).collect()
    }
}
