//! The program matmultran: what it prints and what it refuses.

use std::path::Path;
use std::process::Output;

use super::{Scratch, run};

fn matmultran(dir: &Path, args: &str) -> Output {
    run(env!("CARGO_BIN_EXE_matmultran"), dir, args)
}

fn refused(dir: &Path, args: &str) -> String {
    let output = matmultran(dir, args);
    assert_eq!(output.status.code(), Some(2), "{args}");
    assert!(output.stdout.is_empty(), "{args}");
    String::from_utf8(output.stderr).expect("UTF-8")
}

#[test]
fn bad_options_are_one_line_and_code_2() {
    let scratch = Scratch::new("matmultran-options");
    let text = refused(&scratch.0, "--k 33");
    assert_eq!(
        text,
        "error: --k: expected 1..=32 (a block has K*K threads, at most 1024), found 33\n"
    );
    assert_eq!(refused(&scratch.0, "--pad 33"), "error: --pad: expected 0..=32, found 33\n");
    assert!(refused(&scratch.0, "--variant 5").contains("5 is not in 1..=4"));
    assert!(refused(&scratch.0, "--colour red").contains("unexpected argument '--colour'"));
}

#[cfg(feature = "solutions")]
mod solved {
    use lab2_optimization::e2_2_01::read_dat;
    use lab2_optimization::mmt::{Dat, write_dat};

    use super::*;

    fn data(m: usize, n: usize) -> Dat {
        let a: Vec<f32> = (0..m * n).map(|i| (i * 7 % 17) as f32 - 8.0).collect();
        let row = |i: usize| &a[i * n..(i + 1) * n];
        let dot = |i, j| row(i).iter().zip(row(j)).map(|(x, y)| x * y).sum();
        Dat { m, n, c: (0..m * m).map(|p| dot(p / m, p % m)).collect(), a }
    }

    #[test]
    fn files_come_back_as_they_were_written() {
        let scratch = Scratch::new("roundtrip");
        let file = scratch.0.join("a.dat");
        for (m, n) in [(3, 5), (0, 4), (4, 0)] {
            write_dat(&file, &data(m, n)).expect("written");
            assert_eq!(read_dat(&file).expect("read"), data(m, n));
        }
        assert!(write_dat(&file, &Dat { m: 1, ..data(3, 5) }).is_err());
    }

    #[test]
    fn every_version_prints_its_error_and_a_predicted_time() {
        let scratch = Scratch::new("versions");
        write_dat(&scratch.0.join("matmultran.dat"), &data(48, 96)).expect("written");
        for (variant, k) in [(1, 16), (2, 8), (3, 16), (4, 24)] {
            let output = matmultran(&scratch.0, &format!("--variant {variant} --k {k} --counts"));
            let text = String::from_utf8(output.stdout).expect("UTF-8");
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{variant}: {stderr}");
            assert!(text.contains("GFLOP/s), predicted for NVIDIA"), "{text}");
            assert!(text.contains("max. abs. err. = 0.0e0\n"), "{text}");
            assert!(text.contains("ATs["), "{text}");
        }
    }

    #[test]
    fn bad_files_are_one_line_and_code_2() {
        let scratch = Scratch::new("matmultran-files");
        let file = scratch.0.join("matmultran.dat");
        assert!(
            refused(&scratch.0, "")
                .starts_with("error: matmultran.dat: there is no such file; make it")
        );
        write_dat(&file, &data(48, 96)).expect("written");
        assert_eq!(
            refused(&scratch.0, "--k 32"),
            "error: matmultran.dat: m is not a multiple of --k (expected a multiple of 32, found \
             48)\n"
        );
        let whole = std::fs::read(&file).expect("read");
        std::fs::write(&file, &whole[..whole.len() - 1]).expect("written");
        assert!(refused(&scratch.0, "").contains("file too short for C"));
        std::fs::write(&file, [&whole[..], &[0]].concat()).expect("written");
        assert!(refused(&scratch.0, "").contains("trailing bytes"));
    }
}
