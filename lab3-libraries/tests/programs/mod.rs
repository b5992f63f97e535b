//! The programs mcint, mcrate and raindemo: what they print, write and refuse.

mod npb;

use std::path::Path;
use std::process::{Command, Output};

use lab3_libraries::mc::{HostSource, Source};

fn run(program: &str, dir: &Path, args: &str) -> Output {
    Command::new(program)
        .args(args.split_whitespace())
        .env("LAB_DEVICE", "emulated")
        .current_dir(dir)
        .output()
        .expect("the program runs")
}

const MCINT: &str = env!("CARGO_BIN_EXE_mcint");
const MCRATE: &str = env!("CARGO_BIN_EXE_mcrate");
const RAINDEMO: &str = env!("CARGO_BIN_EXE_raindemo");

#[test]
fn bad_options_are_refused_with_code_2_and_one_line() {
    let cases = [
        (MCINT, "--n 0", "error: --n: expected 1 to 1e12, found 0"),
        (MCINT, "--n nan", "error: --n: expected 1 to 1e12, found NaN"),
        (MCINT, "--p 0", "error: --p: expected at least 1, found 0"),
        (MCINT, "--solid x --what volume", "error: --solid: expected 0 or a to e, found x"),
        (MCINT, "--rng lcg --seed 5000000000", "error: --seed: expected 32 bits"),
        (MCRATE, "--n 1000 --chunk 6", "error: --n: expected 1 to 1e12, --chunk:"),
        (RAINDEMO, "--tau 0", "error: --tau: expected more than 0, found 0"),
        (RAINDEMO, "--years 0", "error: --years and --steps: expected at least 1"),
    ];
    for (program, args, text) in cases {
        let output = run(program, Path::new("."), args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{args}: {said}");
        assert!(said.starts_with(text) && said.lines().count() == 1, "{args}: {said}");
    }
}

#[test]
fn pi_comes_out_and_chunks_do_not_matter() {
    let mut pseudo = HostSource::pseudo(7).unwrap();
    let mut quasi = HostSource::quasi().unwrap();
    assert!((pseudo.estimate(300_000).unwrap() - std::f64::consts::PI).abs() < 0.03);
    // More than a chunk, and exactly the points of one call.
    let pi = quasi.estimate((1 << 20) + 5).unwrap();
    assert!((pi - std::f64::consts::PI).abs() < 1e-3, "{pi}");
    assert!(quasi.estimate(0).is_err());
}

#[cfg(feature = "solutions")]
mod solved {
    use super::*;

    fn text(program: &str, dir: &Path, args: &str) -> String {
        let output = run(program, dir, args);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{args}: {said}{errors}");
        said
    }

    #[test]
    fn mcint_measures_the_law_and_writes_it() {
        let dir = std::env::temp_dir().join(format!("lab3-mcint-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let said = text(MCINT, &dir, "--n 1e4 --rng all --out mc.csv --plot spread.svg");
        assert!(said.contains("pseudo-random, ball: delta = "), "{said}");
        let table = std::fs::read_to_string(dir.join("mc.csv")).unwrap();
        // A header, and four sizes of three kinds of points.
        assert_eq!(table.lines().count(), 13, "{table}");
        assert!(std::fs::read(dir.join("spread.svg")).unwrap().starts_with(b"<svg"));
        let said = text(MCINT, &dir, "--rng lcg --n 1e5");
        assert!(said.starts_with("pi = 3.1") && said.contains("generation"), "{said}");
        let said = text(MCINT, &dir, "--solid e --what inertia --n 1e4");
        assert!(said.contains("exactly 156.74584"), "{said}");
        std::fs::remove_dir_all(&dir).unwrap();
    }

    #[test]
    fn mcrate_finds_pi_in_both_ways() {
        let said = text(MCRATE, Path::new("."), "--n 1e5 --chunk 32768 --runs 1");
        assert_eq!(said.matches("; pi = 3.1").count(), 2, "{said}");
    }

    #[test]
    fn raindemo_traces_and_writes_its_file() {
        let dir = std::env::temp_dir().join(format!("lab3-rain-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let said = text(RAINDEMO, &dir, "--dat raindemo.dat --pictures .");
        assert!(said.contains("iter.  1: x(") && said.contains("max. abs. err. = "), "{said}");
        let size = std::fs::metadata(dir.join("raindemo.dat")).unwrap().len();
        assert_eq!(size, 8 + 4 * (2 * 365 + 50 * 365 + 50));
        assert!(dir.join("rain.svg").is_file());
        let said = text(RAINDEMO, &dir, "--years 1,2 --backend all --steps 3");
        assert_eq!(said.lines().filter(|l| l.contains("  kernel ")).count(), 2, "{said}");
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
