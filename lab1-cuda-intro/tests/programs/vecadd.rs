//! The program vecadd, what it prints and what it refuses; and the library of exercise 1.1.14.

use std::process::{Command, Output};

use cuda_driver as _;

/// The example on the library's page, line by line.
fn example() -> Result<(), labkit::LabError> {
    use lab1_cuda_intro::vecadd::{VecAdd, max_abs_err};

    let lab = labkit::Lab::new()?;
    let mut adder = VecAdd::<f32>::new(&lab)?; // loads the kernel, once
    let (a, b) = (vec![1.5; 1000], vec![2.25; 1000]);
    let mut c = vec![0.0; 1000];
    adder.add(&mut c, &a, &b)?; // allocates
    adder.add(&mut c, &a, &b)?; // does not
    assert_eq!(max_abs_err(&c, &a, &b), 0.0);
    Ok(())
}

#[test]
fn the_librarys_page_shows_what_compiles() {
    let page = include_str!("../../src/vecadd/mod.rs");
    let lines = page.lines().filter_map(|line| line.strip_prefix("//! "));
    let code = lines.skip_while(|line| *line != "```no_run").skip(1);
    // Lines behind `# ` are not shown.
    let code = code.take_while(|line| *line != "```").filter(|line| !line.starts_with("# "));
    let shown: Vec<&str> = code.collect();
    assert_eq!(shown.len(), 8, "{shown:?}");
    let here = include_str!("vecadd.rs");
    let missing = shown.iter().find(|line| !here.contains(&format!("    {line}\n")));
    assert_eq!(missing, None);
    if cfg!(feature = "solutions") {
        example().expect("the example runs");
    }
}

fn vecadd(args: &str) -> Output {
    let scratch = std::env::temp_dir();
    Command::new(env!("CARGO_BIN_EXE_vecadd"))
        .args(args.split_whitespace())
        .env("LAB_DEVICE", "emulated")
        .current_dir(scratch)
        .output()
        .expect("vecadd runs")
}

fn refused(args: &str, code: i32) -> String {
    let output = vecadd(args);
    assert_eq!(output.status.code(), Some(code), "{args}");
    assert!(output.stdout.is_empty(), "{args}");
    String::from_utf8(output.stderr).expect("UTF-8")
}

#[test]
fn bad_options_are_one_line_and_code_2() {
    let cases = [
        ("-e 1.1.4 --block 0", "error: --block: expected 1..=1024, found 0\n"),
        ("-e 1.1.1 --block 2000", "error: --block: expected 1..=1024, found 2000\n"),
        ("-e 1.1.5 --runs 0", "error: --runs: expected at least 1, found 0\n"),
        ("-e 1.1.4 --n 214728", "error: --n: expected at most 214727 for int, found 214728\n"),
    ];
    for (args, text) in cases {
        assert_eq!(refused(args, 2), text, "{args}");
    }
    assert!(refused("--colour red", 2).contains("unexpected argument '--colour'"));
    assert!(refused("--type char", 2).contains("possible values: int, float, double"));
}

#[cfg(feature = "solutions")]
mod solved {
    use super::*;

    fn printed(args: &str) -> String {
        let output = vecadd(args);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{args}: {stderr}");
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    #[test]
    fn five_sums() {
        assert_eq!(printed(""), "{1,2,3,4,5} + {10,20,30,40,50} = {11,22,33,44,55}\n");
    }

    #[test]
    fn types() {
        let text = printed("-e 1.1.2 --type double --n 3");
        assert!(text.starts_with("Device 0: \""), "{text}");
        assert!(text.ends_with("1.5 + 1.5 = 3\n3 + 3 = 6\n4.5 + 4.5 = 9\n"), "{text}");
    }

    #[test]
    fn a_block_of_2000_threads_is_the_drivers_to_refuse() {
        let text = refused("-e 1.1.3 --n 2000 --block 2000", 1);
        assert!(text.contains("InvalidValue") && text.contains("launch of add_kernel"), "{text}");
        assert_eq!(printed("-e 1.1.3 --n 2048"), "n = 2048: every sum is right\n");
    }

    #[test]
    fn without_the_guard_the_checker_stops_the_kernel() {
        let text = refused("-e 1.1.3 --n 2000", 1);
        assert!(text.contains("OOB-G") && text.contains("a[2000]"), "{text}");
        assert_eq!(printed("-e 1.1.4 --n 2000"), "n = 2000: every sum is right\n");
    }

    #[test]
    fn net_time_is_said_to_be_predicted() {
        let text = printed("-e 1.1.6 --n 2000");
        assert!(text.contains("ms predicted for NVIDIA"), "{text}");
    }

    #[test]
    fn one_line_per_warp() {
        let text = printed("-e 1.1.7 --n 2000 --print lane0");
        assert_eq!(text.lines().filter(|l| l.starts_with("Block(")).count(), 63, "{text}");
    }

    #[test]
    fn errors_of_float() {
        let text = printed("-e 1.1.8 --n 2000");
        assert!(text.contains("against f32: 0.0000e0"), "{text}");
        assert!(text.contains("against f64: 6.0937e-5"), "{text}");
    }

    /// Clocks count the emulator's own instructions, which its next version may have fewer of.
    fn without_clocks(text: &str) -> String {
        let words = text.split_inclusive(' ').map(|word| match word.strip_prefix("clk=") {
            Some(_) => "clk= ",
            None => word,
        });
        words.collect()
    }

    #[test]
    fn the_handout_shows_what_the_program_prints() {
        // The handout breaks lines that are longer than a terminal.
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let handout = words(&without_clocks(include_str!("../../README.md")));
        // Options, and how many lines of the output the handout shows.
        let shown = [
            ("", 1),
            ("-e 1.1.2 --type float", 6),
            ("-e 1.1.3 --n 2048", 1),
            ("-e 1.1.7 --n 60 --block 64 --print all", 3),
            ("-e 1.1.7 --n 2000 --print lane0", 3),
            ("-e 1.1.8 --n 2000", 3),
        ];
        for (args, lines) in shown {
            let text: String = printed(args).split_inclusive('\n').take(lines).collect();
            assert!(handout.contains(&words(&without_clocks(&text))), "{args} prints\n{text}");
        }
        for args in ["-e 1.1.3 --n 2000 --block 2000", "-e 1.1.3 --n 2000"] {
            let text = refused(args, 1);
            assert!(handout.contains(&words(&text)), "{args} prints\n{text}");
        }
        assert!(printed("-e 1.1.7 --n 2000").starts_with("63 warps: "));
        let net = printed("-e 1.1.6 --n 2000");
        let predicted = net.lines().find(|l| l.starts_with("Kernel-only")).unwrap_or("nothing");
        assert!(handout.contains(predicted), "{predicted}");
    }
}
