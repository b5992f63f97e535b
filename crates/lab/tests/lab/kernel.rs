//! `cargo lab kernel` and its relatives from command line to output.

use std::path::PathBuf;

use clap::Parser;
use lab::tools::{Failure, Tool};

#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    tool: Tool,
}

fn docs() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs")
}

/// Runs a tool; `DOCS` in a word stands for the folder of the documents.
fn run(line: &str) -> Result<(String, u8), Failure> {
    let docs = docs().display().to_string();
    let words = line.split_whitespace().map(|w| w.replace("DOCS", &docs));
    let cli =
        Cli::try_parse_from(["lab".to_string()].into_iter().chain(words)).expect("a command line");
    let mut out = Vec::new();
    let code = cli.tool.run(&mut out)?;
    Ok((String::from_utf8(out).unwrap(), code))
}

const ADD: &str = "kernel DOCS/diagnostics/add.cu --grid 8 --block 256 --arg c=out:int:2000 \
                   a=iota:int:2000 b=ones:int:2000 n=2000";

#[test]
fn json_holds_the_report_and_the_outputs() {
    let (text, code) = run(&format!("{ADD} --json --print 3")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(code, 0);
    assert_eq!(json["report"]["total"]["gld_sec"], 500);
    let c = &json["buffers"][0];
    assert_eq!((&c["name"], &c["type"], &c["count"]), (&"c".into(), &"int".into(), &2000.into()));
    assert_eq!(c["values"], serde_json::json!([1, 2, 3]));
    assert!(json["prediction"]["ms"].as_f64().unwrap() > 0.0);

    let (text, code) = run(&format!("{ADD} --json").replace("n=2000", "n=2001")).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((code, &json["fault"]["kind"]), (1, &"OutOfBoundsGlobal".into()));
}

const BLUR: &str = "kernel DOCS/language/opencl/blur.cl --arg in=ones:256 out=out:256 \
                    tile=local:66 n=256 --json --print 1";

#[test]
fn a_kernel_of_opencl_c_runs_over_a_range() {
    let value =
        |line: &str| -> serde_json::Value { serde_json::from_str(&run(line).unwrap().0).unwrap() };
    let by_range = value(&format!("{BLUR} --global 256 --local 64"));
    let by_groups = value(&format!("{BLUR} --grid 4 --block 64"));
    assert_eq!(by_range["report"]["grid"], serde_json::json!([4, 1, 1]));
    assert_eq!(by_range["buffers"], by_groups["buffers"]);
    assert_eq!(by_range["buffers"][1]["values"][0], "(255, 255, 255, 255)");

    let refused = |line: &str| run(line).unwrap_err();
    let uneven = refused(&format!("{BLUR} --global 250 --local 64"));
    assert!(uneven.message.contains("not divisible into groups of 64"), "{}", uneven.message);
    let no_size = refused(&BLUR.replace("tile=local:66", "tile=ones:66"));
    assert!(no_size.message.contains("give local:float4:256"), "{}", no_size.message);
    let cuda = refused(&format!("{} --global 8", ADD.replace("--grid 8 --block 256", "")));
    assert!(cuda.message.contains("--global is for OpenCL C"), "{}", cuda.message);
}

#[test]
fn saved_buffers_can_be_read_back() {
    let dir = std::env::temp_dir().join(format!("lab-kernel-{}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let npy = dir.join("c.npy").display().to_string();
    run(&format!("{ADD} --save c={npy}")).unwrap();
    let again = ADD.replace("a=iota:int:2000", &format!("a=file:{npy}"));
    let (text, _) = run(&format!("{again} --print 2")).unwrap();
    assert!(text.contains("c = [2, 3, ... 1,998 more]"), "{text}");
    let _ = std::fs::remove_dir_all(&dir);
}

#[test]
fn an_output_that_is_not_written_is_said_so() {
    let (text, code) = run(&ADD.replace("n=2000", "n=1999")).unwrap();
    assert_eq!(code, 0);
    assert!(text.contains("note: c[1999] was never written"), "{text}");
}

#[test]
fn the_stages_of_a_kernel_are_kept() {
    let dir = std::env::temp_dir().join(format!("lab-stages-{}", std::process::id()));
    let (text, _) =
        run(&format!("compile DOCS/language/variables.cu --keep {} -D UNUSED", dir.display()))
            .unwrap();
    for (extension, part) in [
        ("ii", "return 2.0f * x;"),
        ("tokens", "variables.cu:"),
        ("tree", "kernel variables"),
        ("ir", ".entry variables"),
    ] {
        let file =
            std::fs::read_to_string(dir.join("variables").with_extension(extension)).unwrap();
        assert!(file.contains(part), "{extension}: {file}");
        assert!(text.contains(&format!("variables.{extension}")), "{text}");
    }
    let source = std::fs::read_to_string(dir.join("variables.ii")).unwrap();
    assert!(
        !source.contains("#define") && !source.contains("TAPS"),
        "macros are expanded: {source}"
    );
    let _ = std::fs::remove_dir_all(&dir);
}

#[test]
fn machine_code_or_the_reason_why_not() {
    let (text, code) = run("sass DOCS/diagnostics/add.cu").unwrap();
    assert_eq!(code, 0);
    assert!(text.contains("add"), "{text}");
}

#[test]
fn profiles_draw_a_roofline() {
    let svg = std::env::temp_dir().join(format!("lab-roofline-{}.svg", std::process::id()));
    let line = format!(
        "profile DOCS/diagnostics/halo.cu --grid 8 --block 128 --svg {} --arg \
         out=zeros:float:1000 in=iota:1001 n=1000",
        svg.display()
    );
    let (text, _) = run(&line).unwrap();
    assert!(text.contains("| ") && text.contains("out[i] = (in[i - 1]"), "{text}");
    assert!(text.contains("predicted for NVIDIA H200 (emulated)"), "{text}");
    let picture = std::fs::read_to_string(&svg).unwrap();
    assert!(picture.contains(">smooth</text>"), "{picture}");
    let _ = std::fs::remove_file(&svg);
}

#[test]
fn occupancy_takes_what_the_kernel_needs() {
    let (text, _) = run("occupancy DOCS/diagnostics/transpose.cu --gpu rtx3060").unwrap();
    assert!(text.contains("4096 bytes shared"), "{text}");
    let (padded, _) =
        run("occupancy DOCS/diagnostics/transpose.cu -D PAD=1 --gpu rtx3060").unwrap();
    assert!(padded.contains("4224 bytes shared"), "{padded}");
}

#[test]
fn misuse_is_told_with_the_signature() {
    let failed = run("kernel DOCS/diagnostics/add.cu --arg 1 2").unwrap_err();
    assert_eq!(failed.code, 2);
    assert!(failed.message.contains("add(int *c, int *a, int *b, int n)"), "{}", failed.message);
    let failed = run("kernel DOCS/diagnostics/add.cu --kernel sub").unwrap_err();
    assert!(failed.message.contains("no kernel is called `sub`"), "{}", failed.message);
    let failed = run(&format!("{ADD} --gpu gpu9")).unwrap_err();
    assert!(failed.message.contains("h200, h100"), "{}", failed.message);
}

#[test]
fn a_debugger_script_runs_and_its_mistakes_are_the_exit_code() {
    let dir = tempfile::tempdir().unwrap();
    let script = dir.path().join("s.dbg");
    let debug = ADD.replacen("kernel", "debug", 1);
    let debug = format!("{debug} --script {}", script.display());
    let add = std::fs::read_to_string(docs().join("diagnostics/add.cu")).unwrap();
    let line = 1 + add.lines().position(|l| l.contains("c[i] =")).unwrap();
    let with = |text: &str| {
        std::fs::write(&script, text).unwrap();
        run(&debug).unwrap()
    };
    let (text, code) =
        with(&format!("break {line} if i == 70\nrun\nprint b[i]\nprint a[i]\nquit\n"));
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("thread (70,0,0), warp 2") && text.contains("a[i] = 70"), "{text}");
    let (text, code) = with("fly\nrun\n");
    assert_eq!(code, 1);
    assert!(text.contains("error: unknown command `fly` (help lists them)"), "{text}");
    // The fault is where it happens, and the exit code.
    std::fs::write(&script, "run\nprint i\ncontinue\n").unwrap();
    let (text, code) = run(&debug.replace("n=2000", "n=2001")).unwrap();
    assert_eq!(code, 1);
    assert!(text.contains("\ni = 2000\n") && text.contains("fault[OOB-G]"), "{text}");
    let missing = run(&debug.replace("s.dbg", "none.dbg")).unwrap_err();
    assert!(missing.code == 2 && missing.message.contains("none.dbg"), "{}", missing.message);
}
