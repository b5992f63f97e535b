//! The crate from outside: one picture of each kind, looked at as a reader would: is it XML, does
//! no text lie on another one, does all of it lie on the page. The same is asked of every picture
//! in the repository.

mod look;

use std::path::{Path, PathBuf};

use figures::*;
use look::faults;

fn wave(n: usize, f: f64) -> Vec<(f64, f64)> {
    (0..n).map(|k| (k as f64, (f * k as f64).sin())).collect()
}

/// One picture of each kind. It is long because there are many kinds.
fn samples() -> Vec<(&'static str, String)> {
    let times = |slope: f64| -> Vec<(f64, f64)> {
        (0..9).map(|k| 10f64.powi(k)).map(|n| (n, 0.01 + slope * n * 1e-6)).collect()
    };
    let lines = Chart::new(
        "Time of a vector addition over its length, for four ways to do it",
        Axis::log("elements"),
        Axis::log("time").unit("s", 1e-3),
    )
    .note("NVIDIA H200, best of five runs")
    .with(Series::line("CPU, one core", times(1.2)))
    .with(
        Series::line("grid stride", times(0.02))
            .errors(times(0.02).iter().map(|p| (0.7 * p.1, 1.6 * p.1)).collect()),
    )
    .with(Series::line("a thread each", times(0.018)))
    .with(Series::line("memory bandwidth", times(0.0025)).reference());
    let smooth = Chart::new(
        "Two tones",
        Axis::linear("time").unit("s", 1.0 / 44100.0),
        Axis::linear("signal"),
    )
    .with(Series::line("low", wave(9000, 0.003)).smooth())
    .with(Series::line("high", wave(9000, 0.011)));
    let names = ["naive", "tiled", "tiled_padded", "vector loads of four", "warp_shuffle"];
    let bars = Chart::new("Sectors per output", Axis::names("", names), Axis::log("sectors"))
        .bars("loads", vec![33.0, 4.1, 4.1, 2.05, 1.0])
        .bars("stores", vec![1.0, 1.0, f64::NAN, 0.5, 0.25]);
    let parts = Chart::new(
        "Time of the phases",
        Axis::names("class", ["A", "B", "C"]),
        Axis::linear("time").unit("s", 1.0),
    )
    .stacked()
    .bars("set-up", vec![0.1, 0.4, 1.2])
    .bars("transform", vec![0.3, 1.1, 3.3])
    .bars("evolve", vec![0.2, 0.5, 1.0])
    .bars("checksum", vec![0.01, 0.02, 0.03]);
    let counts = (0..40).map(|k| (-(k as f64 - 20.0).powi(2) / 60.0).exp() * 1e4).collect();
    let histogram =
        Chart::new("Errors", Axis::linear("error").unit("m", 1e-6), Axis::linear("runs"))
            .histogram((0..=40).map(|k| f64::from(k) / 10.0 - 2.0).collect(), counts);
    let values: Vec<f32> = (0..60 * 40)
        .map(|k| ((k % 60) as f32 * 0.3).sin() * ((k / 60) as f32 * 0.2).cos())
        .collect();
    let raster = Raster {
        columns: 60,
        range: Raster::clipped(&values, 0.99),
        values: values.clone(),
        palette: Palette::Grey,
        meaning: "amplitude".into(),
        smooth: true,
    };
    let section = Chart::new(
        "Section",
        Axis::linear("x").unit("m", 1.0),
        Axis::linear("depth").unit("m", 1.0).reversed(),
    )
    .raster(raster.clone(), (0.0, 3000.0), (0.0, 2000.0));
    let heat = Chart::new(
        "Spectrogram",
        Axis::linear("time").unit("s", 1.0),
        Axis::linear("frequency").unit("Hz", 1.0),
    )
    .raster(
        Raster { palette: Palette::Viridis, smooth: false, meaning: "power (dB)".into(), ..raster },
        (0.0, 12.0),
        (0.0, 22050.0),
    );
    let traces = (0..24).map(|t| {
        (
            f64::from(t),
            (0..200)
                .map(|k| {
                    ((k as f32 - 4.0 * t as f32) * 0.2).sin()
                        * (-((k as f32 - 80.0 - 2.0 * t as f32) / 20.0).powi(2)).exp()
                })
                .collect(),
        )
    });
    let wiggles = Chart::new(
        "Gather",
        Axis::linear("trace").whole(),
        Axis::linear("time").unit("s", 1.0).range(0.0, 1.2).reversed(),
    )
    .wiggles(traces.collect(), 1.6);
    let scatter = ["seq", "mac", "pipelined", "systolic", "transposed", "da"].iter().enumerate();
    let scatter: Vec<(f64, f64, &str)> =
        scatter.map(|(k, n)| (1.0 + (k * k % 7) as f64, 300.0 * (k + 1) as f64, *n)).collect();
    let tagged = scatter
        .iter()
        .fold(
            Chart::new(
                "Area against time",
                Axis::linear("clocks per sample").from_zero(),
                Axis::linear("area (LUT)").from_zero(),
            ),
            |c, (x, y, n)| c.tag(*x, *y, n),
        )
        .with(Series::points("", scatter.iter().map(|p| (p.0, p.1)).collect()));
    let roof = roofline(&Roofline {
        title: "Roofline of a GPU".into(),
        note: "counts of the emulated device, predicted times".into(),
        x: "operations per byte".into(),
        slopes: vec![("device memory".into(), 4800.0), ("L1 cache".into(), 33000.0)],
        peaks: vec![("float".into(), 67000.0), ("double".into(), 33500.0)],
        points: vec![
            ("naive".into(), 0.3, 900.0),
            ("tiled".into(), 1.9, 8000.0),
            ("a<b>".into(), 8.0, 2e4),
            ("none".into(), 0.0, f64::NAN),
        ],
    });
    let signals = [
        Signal {
            name: "SRC_DATA".into(),
            bit: false,
            values: (0..30).map(|k| k / 2 * 1234 - 5000).collect(),
        },
        Signal {
            name: "RESULT_WR".into(),
            bit: true,
            values: (0..30).map(|k| k % 3 % 2).collect(),
        },
    ];
    let part = |text: &str, kind, place, feeds: &[usize]| Part {
        text: text.into(),
        width: Some("16".into()),
        kind,
        place,
        feeds: feeds.to_vec(),
    };
    let chain = [
        part("x", Kind::Port, (0, 0), &[]),
        part("\u{d7}", Kind::Arithmetic, (1, 0), &[0]),
        part("reg a_long_name_here", Kind::Register, (2, 1), &[1, 3]),
        part("+", Kind::Arithmetic, (3, 1), &[2]),
        part("y", Kind::Port, (4, 0), &[3]),
    ];
    let row = |k: usize| {
        (
            format!("a[{}..{}]", 8 * k, 8 * k + 7),
            (0..8)
                .map(|c| match (c + k) % 3 {
                    0 => Cell::Empty,
                    1 => Cell::Wanted(c.to_string()),
                    _ => Cell::Costly(format!("{c}+")),
                })
                .collect(),
        )
    };
    let warp = Lanes {
        title: ["k.cu:3:5 | x = a[i<1];".into(), "load of a: 5 sectors, 4 would do".into()],
        head: (0..8).map(|k| k.to_string()).collect(),
        rows: (0..5).map(row).collect(),
        left_out: 3,
    };
    vec![
        ("lines", lines.svg()),
        ("smooth", smooth.svg()),
        ("bars", bars.svg()),
        ("stacked", parts.svg()),
        ("histogram", histogram.svg()),
        ("section", section.svg()),
        ("heat", heat.svg()),
        ("wiggles", wiggles.svg()),
        ("tags", tagged.svg()),
        ("roofline", roof.svg()),
        ("panels", stacked_panels(&[lines, tagged]).svg()),
        ("timing", timing("Timing", &signals, 0).svg()),
        ("blocks", blocks("fir1", &chain).svg()),
        ("lanes", lanes(&warp).svg()),
    ]
}

#[test]
fn every_kind_of_picture_can_be_read() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("figures");
    std::fs::create_dir_all(&folder).unwrap();
    let mut all = Vec::new();
    let name = |path: &'static str| path.rsplit('/').next().unwrap().trim_end_matches(".svg");
    let ideas = ideas::ALL.iter().map(|(path, draw)| (name(path), draw().svg()));
    for (name, svg) in samples().into_iter().chain(ideas) {
        // To look at.
        std::fs::write(folder.join(format!("{name}.svg")), &svg).unwrap();
        all.extend(faults(&svg).into_iter().map(|f| format!("{name}: {f}")));
    }
    assert!(all.is_empty(), "{all:#?}");
    assert_eq!(samples(), samples());
}

/// Of a scale of colours, and of an axis, one number or two say little.
#[test]
fn upright_axes_have_three_ticks() {
    for range in [(-1.9e-15, 1.9e-15), (-4.0, 4.0), (-7.6, 7.6), (1480.0, 4500.0), (0.0, 3.9)] {
        for height in [120.0, 164.5, 300.0] {
            let raster = Raster {
                columns: 2,
                values: vec![0.0; 4],
                range,
                palette: Palette::Grey,
                meaning: String::new(),
                smooth: false,
            };
            let svg = Chart::new("", Axis::linear(""), Axis::linear("").reversed())
                .raster(raster, (0.0, 1.0), range)
                .size(560.0, height)
                .svg();
            // The axis's numbers end at it, those of the colours begin beside them.
            let numbers = |anchor| {
                let document = roxmltree::Document::parse(&svg).unwrap();
                let texts =
                    document.descendants().filter(|n| n.attribute("font-size") == Some("15"));
                texts.filter(|n| n.attribute("text-anchor") == anchor).count()
            };
            let found = [numbers(Some("end")), numbers(None)];
            assert!(found.iter().all(|n| (3..=9).contains(n)), "{range:?} {height}: {found:?}");
        }
    }
}

/// Millions have their power beside the axis's name, unless its ticks are powers themselves.
#[test]
fn large_numbers_have_their_power_beside_the_name() {
    let svg = |high| {
        let line = Series::line("", vec![(1e6, 1.0), (high, 2.0)]);
        Chart::new("", Axis::log("points"), Axis::linear("")).with(line).svg()
    };
    let (short, long) = (svg(2e7), svg(1e10));
    assert!(short.contains(">points (10<tspan") && short.contains(">20</text>"), "{short}");
    assert!(long.contains(">points</text>") && long.contains(">10<tspan"), "{long}");
}

/// As many digits as count, and a dash where a value is not known.
#[test]
fn values_above_bars_are_short() {
    let values = vec![8.0, 9.40, 0.375, 0.013, 46.0, f64::NAN, 12345.0];
    let names = ["a", "b", "c", "d", "e", "f", "g"];
    let svg = Chart::new("", Axis::names("", names), Axis::log("")).bars("", values).svg();
    for text in ["8", "9.4", "0.38", "0.013", "46", "\u{2013}", "12,345"] {
        assert!(svg.contains(&format!(">{text}</text>")), "{text}: {svg}");
    }
}

#[test]
fn data_without_sense_are_still_a_picture() {
    for points in
        [vec![], vec![(1.0, f64::NAN)], vec![(0.0, -1.0)], vec![(1e300, 1e-300), (2.0, 2.0)]]
    {
        for axis in [Axis::linear, Axis::log] {
            let chart = Chart::new("a < b & c", axis("x"), axis("y").unit("s", 1.0));
            let svg = chart.with(Series::line("s", points.clone())).svg();
            assert_eq!(faults(&svg), [""; 0], "{points:?}");
        }
    }
    let none: [&str; 0] = [];
    let svg = Chart::new("", Axis::names("", none), Axis::linear("")).bars("a", vec![]).svg();
    assert_eq!(faults(&svg), [""; 0]);
    assert_eq!(faults(&timing("", &[], 0).svg()), [""; 0]);
    assert_eq!(faults(&blocks("", &[]).svg()), [""; 0]);
}

#[test]
fn the_eye_sees_what_is_wrong() {
    let mut sheet = Sheet::new(100.0, 40.0, "t");
    sheet.text((10.0, 20.0), 14.0, Anchor::Start, "", "first");
    assert_eq!(faults(&sheet.svg()), [""; 0]);
    sheet.text((30.0, 24.0), 14.0, Anchor::Start, "", "second");
    assert!(faults(&sheet.svg())[0].contains("'first' and 'second' overlap"));
    let mut sheet = Sheet::new(100.0, 40.0, "t");
    sheet.text((90.0, 20.0), 14.0, Anchor::Start, "", "beyond");
    sheet.text((50.0, 20.0), 5.0, Anchor::Middle, "", "tiny");
    let found = faults(&sheet.svg());
    assert!(
        found[0].contains("'beyond' leaves the page") && found[1].contains("tiny"),
        "{found:?}"
    );
    assert!(faults("<svg><a></svg>")[0].contains("XML"));
}

/// Every picture of handouts and documents.
#[test]
fn every_picture_of_the_repository_can_be_read() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folders = std::fs::read_dir(&root).unwrap().map(|e| e.unwrap().path().join("pictures"));
    let mut files: Vec<PathBuf> = folders
        .filter(|f| f.is_dir())
        .flat_map(|f| std::fs::read_dir(f).unwrap().map(|e| e.unwrap().path()))
        .filter(|f| f.extension().is_some_and(|e| e == "svg"))
        .collect();
    files.sort();
    assert!(files.len() > 10, "{files:?}");
    let mut all = Vec::new();
    for file in files {
        let found = faults(&std::fs::read_to_string(&file).unwrap());
        all.extend(found.into_iter().map(|f| format!("{}: {f}", file.display())));
    }
    assert!(all.is_empty(), "{all:#?}");
}

/// A name beside a point keeps off the lines, and lines that leave the picture below are named in
/// the order in which they leave.
#[test]
fn names_keep_off_lines() {
    let place = |svg: &str, text: &str| -> f64 {
        let document = roxmltree::Document::parse(svg).unwrap();
        let node = document.descendants().find(|n| n.text() == Some(text)).unwrap();
        let node = node.ancestors().find(|n| n.has_tag_name("text")).unwrap();
        node.attribute("y").unwrap().parse().unwrap()
    };
    let flat = Series::line("", vec![(0.0, 5.0), (10.0, 5.0)]).smooth();
    let chart = Chart::new("", Axis::linear("x"), Axis::linear("y").range(0.0, 10.0));
    let svg = chart.clone().with(flat).tag(5.0, 5.0, "near the line").svg();
    let bare = chart.clone().tag(5.0, 5.0, "near the line").svg();
    let [with, without] = [svg, bare].map(|svg| place(&svg, "near the line"));
    assert!((with - without).abs() > 10.0, "{with} {without}");
    let falls =
        |name: &str, at: f64| Series::line(name, vec![(0.0, 10.0), (at, -0.1), (10.0, -10.0)]);
    let svg = chart.with_all([falls("first", 2.0), falls("last", 8.0), falls("then", 5.0)]).svg();
    let [first, then, last] = ["first", "then", "last"].map(|name| place(&svg, name));
    assert!(last < then && then < first, "{last} {then} {first}");
}
