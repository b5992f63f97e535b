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

    /// Points of 2^16 in the unit ball, in two launches of 2^13 threads, as `mcrate` counts them.
    fn hits(mut number: impl FnMut(usize) -> f32) -> u32 {
        let threads = (0..2).flat_map(|_| 0..1 << 13).flat_map(|t| [t; 4]);
        let inside = threads.map(|t| {
            let [x, y, z] = [(); 3].map(|()| 2.0 * number(t) - 1.0);
            u32::from(z.mul_add(z, y.mul_add(y, x * x)) <= 1.0)
        });
        inside.sum()
    }

    #[test]
    fn mcrate_s_kernels_draw_the_numbers_of_their_generators() {
        let check = |rng: &str, want: u32| {
            let args = format!("--n 65536 --chunk 32768 --runs 1 --rng {rng}");
            let said = text(MCRATE, Path::new("."), &args);
            let want = format!("; pi = {:.6}", 6.0 * f64::from(want) / 65536.0);
            let kernel = said.lines().find(|line| line.starts_with("one kernel")).unwrap_or("");
            assert!(kernel.ends_with(&want), "{rng}: want {want}: {said}");
        };
        let mut states = cudalibs::rand::xorwow_sequences(2026, 1 << 13);
        let xorwow = hits(|t| {
            let [a, b, c, d, e, count] = states[t];
            let t1 = a ^ (a >> 2);
            let f = e ^ (e << 4) ^ t1 ^ (t1 << 1);
            states[t] = [b, c, d, e, f, count.wrapping_add(362_437)];
            f.wrapping_add(states[t][5]) as f32 * 2f32.powi(-32) + 2f32.powi(-33)
        });
        check("xorwow", xorwow);
        let mut states = cudalibs::rand::mrg32k3a_sequences(2026, 1 << 13);
        let mrg = hits(|t| {
            let (m1, m2) = (4_294_967_087i64, 4_294_944_443i64);
            let [a, b, c, d, e, f] = states[t].map(i64::from);
            let x = (1_403_580 * b - 810_728 * a).rem_euclid(m1);
            let y = (527_612 * f - 1_370_589 * d).rem_euclid(m2);
            states[t] = [b, c, x, e, f, y].map(|v| v as u32);
            let z = if x > y { x - y } else { x - y + m1 };
            z as u32 as f32 * (1.0 / m1 as f64) as f32
        });
        check("mrg32k3a", mrg);
        let mut points = cudalibs::rand::HostGenerator::new(cudalibs::rand::RngType::QuasiSobol32)
            .expect("a generator");
        points.set_quasi_random_generator_dimensions(3).expect("three coordinates");
        let mut xyz = vec![0f32; 3 << 16];
        points.generate_uniform(&mut xyz).expect("numbers");
        // The order does not matter for a sum.
        let mut at = 0;
        let sobol = hits(|_| {
            at += 1;
            xyz[(at - 1) % 3 * (1 << 16) + (at - 1) / 3]
        });
        check("sobol", sobol);
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
