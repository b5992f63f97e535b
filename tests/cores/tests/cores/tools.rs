//! The written cores in outside simulators, on the same stimulus as ours, and synthesised. A test whose tool is missing says so and
//! passes, except where the environment variable CI is `true`.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use hdl::Block;
use hdl::estimate::{Device, Estimate, Multipliers};
use hdl::write::{bench, verilog, vhdl};
use ipcores::fft::{Fft, schedule_word};
use ipcores::fir::Fir;
use ipcores::magnitude::PAIRS;
use lab5_fpga_ip::compiler::{FftArchitecture, FirArchitecture};

fn have(tool: &str) -> bool {
    let runs = |flag: &str| Command::new(tool).arg(flag).output().is_ok();
    let found = runs("--version") || runs("-V");
    if !found {
        let required = ["CI", "HDL_TOOLS"].map(|v| std::env::var(v).unwrap_or_default());
        assert!(
            required[0] != "true" && required[1] != "required",
            "{tool} is missing, and this machine is required to have it"
        );
        println!("skipped: {tool} is not installed");
    }
    found
}

fn run(folder: &Path, tool: &str, arguments: &[&str]) {
    let output = Command::new(tool).args(arguments).current_dir(folder).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{tool} {arguments:?}:\n{text}");
}

/// Our answer, GHDL's to the VHDL and Icarus's to the Verilog must be the same bytes.
fn same_everywhere(top: &Block, cycles: &[Vec<i64>]) {
    let ours = bench::response(top, cycles).unwrap();
    assert!(ours.lines().collect::<std::collections::BTreeSet<_>>().len() > 2, "it does nothing");
    let folder = tempfile::tempdir().unwrap();
    let f = folder.path();
    let write = |name: &str, text: &str| std::fs::write(f.join(name), text).unwrap();
    write("stimulus.txt", &bench::stimulus(top, cycles));
    write("design.vhd", &vhdl::design(top));
    write("bench.vhd", &bench::vhdl(top));
    write("design.v", &verilog::design(top));
    write("bench.v", &bench::verilog(top, cycles.len()));
    let compare = |tool: &str| {
        let theirs = std::fs::read_to_string(f.join("response.txt")).unwrap();
        let line = ours.lines().zip(theirs.lines()).position(|(a, b)| a != b);
        assert!(line.is_none(), "{}: {tool} differs in cycle {line:?}", top.name());
        assert_eq!(ours.len(), theirs.len(), "{}: {tool}", top.name());
    };
    if have("iverilog") {
        run(f, "iverilog", &["-g2001", "-o", "bench.vvp", "design.v", "bench.v"]);
        run(f, "vvp", &["-n", "bench.vvp"]);
        compare("iverilog");
    }
    if have("ghdl") {
        run(f, "ghdl", &["-a", "--std=08", "design.vhd", "bench.vhd"]);
        run(f, "ghdl", &["-e", "--std=08", "bench"]);
        run(f, "ghdl", &["-r", "--std=08", "bench", "--ieee-asserts=disable"]);
        compare("ghdl");
    }
}

fn random(seed: u64) -> impl FnMut() -> i64 {
    let mut state = seed | 1;
    move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.wrapping_mul(0x2545_f491_4f6c_dd1d) as i64
    }
}

/// Every filter with lab 5's coefficients and two random sets.
#[test]
fn filters_answer_the_same_everywhere() {
    let mut next = random(5);
    let ty = hdl::signed(11);
    let sets = [
        Fir::lab5(),
        Fir::new(&[ty.min(), ty.max(), 0, -1, 300], 9, 11).unwrap(),
        Fir::new(&(0..6).map(|_| ty.wrap(next())).collect::<Vec<_>>(), 12, 11).unwrap(),
    ];
    for fir in &sets {
        for architecture in FirArchitecture::ALL {
            let core = architecture.build(fir).unwrap();
            let data = hdl::signed(fir.data_bits());
            let cycles: Vec<Vec<i64>> =
                (0..120).map(|_| vec![data.wrap(next()), next() & 1]).collect();
            same_everywhere(&core.block, &cycles);
        }
    }
}

/// Every transform through two frames, with the wires that its control needs.
#[test]
fn transforms_answer_the_same_everywhere() {
    let fft = Fft::new(16, 12, 16).unwrap();
    for architecture in FftArchitecture::ALL {
        let core = architecture.build(fft).unwrap();
        let mut next = random(7);
        let word = schedule_word(&fft.safe_schedule(core.radix));
        let cycles: Vec<Vec<i64>> = (0..420)
            .map(|n| {
                let first = i64::from(n == 0);
                vec![
                    i64::from(n % 200 == 0),
                    1,
                    hdl::signed(12).wrap(next()),
                    hdl::signed(12).wrap(next()),
                    i64::from(n > 200),
                    first,
                    word,
                    first,
                ]
            })
            .collect();
        same_everywhere(&core.block, &cycles);
    }
}

#[test]
fn magnitude_and_delay_answer_the_same_everywhere() {
    let mut next = random(3);
    let ty = hdl::signed(16);
    let mut words = || match next() & 7 {
        0 => ty.min(),
        _ => ty.wrap(next()),
    };
    let cycles: Vec<Vec<i64>> = (0..200).map(|_| vec![words(), words()]).collect();
    for pair in PAIRS {
        same_everywhere(&lab5_fpga_ip::e5_1::mag16(pair).unwrap(), &cycles);
    }
    // Two bits at once would be all that a single delay can show.
    let bits: Vec<Vec<i64>> = (0..80).map(|n| vec![i64::from(n * n % 7 < 3)]).collect();
    let delay = lab5_fpga_ip::e5_2::delaysel(4).unwrap();
    let ours = bench::response(&delay, &bits).unwrap();
    let late: String = (0..80)
        .map(|n| if n < 4 { "0\n".into() } else { format!("{}\n", bits[n - 4][0]) })
        .collect();
    assert_eq!(ours, late);
}

/// Cells by kind, as Yosys maps the Verilog to the laboratory's chip.
fn yosys(top: &Block) -> BTreeMap<String, u32> {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("design.v"), verilog::design(top)).unwrap();
    let script = format!(
        "read_verilog design.v; synth_xilinx -family xc3s -nobram -flatten -nowidelut -top {}; write_json out.json",
        top.name()
    );
    run(folder.path(), "yosys", &["-q", "-p", &script]);
    let text = std::fs::read_to_string(folder.path().join("out.json")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mut cells = BTreeMap::new();
    for cell in json["modules"][top.name()]["cells"].as_object().unwrap().values() {
        *cells.entry(cell["type"].as_str().unwrap().to_string()).or_insert(0) += 1;
    }
    cells
}

/// Multipliers exactly as Yosys counts them, LUTs within 30 % in the filters with multipliers.
#[test]
fn yosys_counts_what_we_count() {
    if !have("yosys") {
        return;
    }
    let fir = Fir::lab5();
    let mut designs: Vec<Block> = [
        FirArchitecture::Systolic,
        FirArchitecture::Transposed,
        FirArchitecture::Distributed(1),
        FirArchitecture::Distributed(4),
    ]
    .map(|a| a.build(&fir).unwrap().block)
    .into();
    designs.push(lab5_fpga_ip::e5_1::mag16(PAIRS[3]).unwrap());
    for top in designs {
        let (cells, ours) =
            (yosys(&top), Estimate::new(&top, &Device::XC3S700A, Multipliers::Blocks).total);
        let sum = |start: &str| -> u32 {
            cells.iter().filter(|(k, _)| k.starts_with(start)).map(|(_, n)| n).sum()
        };
        let (luts, ffs, multipliers) = (sum("LUT") + sum("INV"), sum("FD"), sum("MULT18"));
        println!("{}: yosys {luts} LUT {ffs} FF {multipliers} MULT, ours {ours:?}", top.name());
        assert_eq!(ours.multipliers, multipliers, "{}", top.name());
        let off = f64::from(ours.luts) / f64::from(luts);
        // The words of a table for such even coefficients have many equal bits, which Yosys builds once; in the
        // magnitude it packs a sign's choice into the carry chain.
        let range = match top.name() {
            name if name.starts_with("fir_da") => 0.7..2.2,
            "mag16" => 0.7..1.6,
            _ => 0.7..1.3,
        };
        assert!(range.contains(&off), "{}: {} LUTs, yosys {luts}", top.name(), ours.luts);
        let off = f64::from(ours.ffs) / f64::from(ffs);
        assert!((0.95..1.1).contains(&off), "{}: {} FFs, yosys {ffs}", top.name(), ours.ffs);
    }
}
