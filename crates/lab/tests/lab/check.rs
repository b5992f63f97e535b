//! `cargo lab check` on files of its own folder.

use std::path::{Path, PathBuf};

use clap::Parser;
use lab::tools::{Failure, Tool};

#[derive(Parser)]
struct Cli {
    #[command(subcommand)]
    tool: Tool,
}

const PROGRAM: &str = "\
#include <cstdio>
__constant__ float scale;
__global__ void add(float *c, const float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] * scale;
}
int main() { add<<<1, 32>>>(0, 0, 0); return cudaDeviceSynchronize(); }
";

const RUN: &str = "\
buffer a iota:float:40   # 0, 1, 2, ...
buffer c out:float:40
symbol scale fill:float:1:2
launch add<<<2, 32>>>(c, a, 40)
expect c file:want.raw:float within 1e-6
";

struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let dir = std::env::temp_dir().join(format!("lab-check-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        let want: Vec<u8> = (0..40).flat_map(|i| (2.0 * i as f32).to_le_bytes()).collect();
        std::fs::write(dir.join("want.raw"), want).unwrap();
        let scratch = Scratch(dir);
        scratch.write("add.cu", PROGRAM);
        scratch.write("add.run", &RUN.replace("want.raw", &scratch.path("want.raw")));
        scratch
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    fn check(&self, options: &[&str]) -> Result<(String, u8), Failure> {
        self.check_file("add.cu", options)
    }

    fn check_file(&self, name: &str, options: &[&str]) -> Result<(String, u8), Failure> {
        let file = self.path(name);
        let words = ["lab", "check", &file].into_iter().chain(options.iter().copied());
        let cli = Cli::try_parse_from(words).expect("a command line");
        let mut out = Vec::new();
        let code = cli.tool.run(&mut out)?;
        Ok((String::from_utf8(out).unwrap(), code))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_right_program_has_counters_and_no_findings() {
    let dir = Scratch::new("right");
    let (text, code) = dir.check(&[]).unwrap();
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("ERROR SUMMARY: 0 errors") && text.contains("global load"), "{text}");
    let (text, _) = dir.check(&["--json"]).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(json["launches"][0]["total"]["gld_sec"], 5);
    assert_eq!(json["kernels"], serde_json::json!(["add"]));
}

#[test]
fn a_file_without_a_run_file_is_told_one_to_begin_with() {
    let dir = Scratch::new("draft");
    std::fs::remove_file(dir.path("add.run")).unwrap();
    let (text, code) = dir.check(&[]).unwrap();
    assert_eq!(code, 0, "{text}");
    assert!(text.contains("buffer c zeros:float:1024"), "{text}");
    assert!(text.contains("buffer a rand:float:1024"), "{text}");
    let draft: Vec<&str> = text.lines().filter(|l| l.starts_with("  ")).collect();
    dir.write("add.run", &draft.join("\n"));
    let (text, code) = dir.check(&[]).unwrap();
    assert!(code == 0 && text.contains("global load"), "{text}");
    dir.write(
        "two.cl",
        "kernel void a(global int *x, local float *t, float2 v) { x[0] = 1; }\n\
        kernel __attribute__((reqd_work_group_size(8, 8, 1))) void b(global uint *x) { *x = 2; }\n",
    );
    let (text, _) = dir.check_file("two.cl", &[]).unwrap();
    let want = "  buffer x1 zeros:int:1024\n  \
        launch a<<<4, 256>>>(x1, local:float:256, 1024,1024)\n  \
        buffer x2 zeros:unsigned int:1024\n  launch b<<<16, 8x8x1>>>(x2)\n";
    assert!(text.contains(want), "{text}");
    dir.write("two.run", want);
    let (text, code) = dir.check_file("two.cl", &[]).unwrap();
    assert!(code == 0, "{text}");
}

#[test]
fn files_of_the_folders_above_are_included() {
    let dir = Scratch::new("above");
    std::fs::create_dir(dir.0.join("inner")).unwrap();
    dir.write("common.h", "__device__ float twice(float x) { return 2 * x; }\n");
    let kernel = "__global__ void k(float *x) { *x = twice(*x); }\n";
    dir.write("inner/k.cu", &format!("#include \"../common.h\"\n{kernel}"));
    let (text, code) = dir.check_file("inner/k.cu", &[]).unwrap();
    assert_eq!(code, 0, "{text}");
}

#[test]
fn findings_are_shown_and_written_as_sarif() {
    let dir = Scratch::new("faulty");
    let text = std::fs::read_to_string(dir.path("add.run")).unwrap();
    dir.write("add.run", &text.replace("a, 40)", "a, 41)"));
    let sarif = dir.path("out.sarif");
    let (text, code) = dir.check(&["--sarif", &sarif]).unwrap();
    assert_eq!(code, 1);
    assert!(text.contains("========= fault[OOB-G]") && text.contains("1 error\n"), "{text}");
    let json: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(Path::new(&sarif)).unwrap()).unwrap();
    let result = &json["runs"][0]["results"][0];
    assert_eq!((&json["version"], &result["ruleId"]), (&"2.1.0".into(), &"OOB-G".into()));
    let region = &result["locations"][0]["physicalLocation"]["region"];
    assert_eq!(region["startLine"], 7);
}

#[test]
fn wrong_results_and_sources_are_findings_too() {
    let dir = Scratch::new("wrong");
    dir.write("add.cu", &PROGRAM.replace("* scale", "+ scale"));
    let (text, code) = dir.check(&[]).unwrap();
    assert_eq!(code, 1);
    assert!(text.contains("expect[c]: 39 of 40 differ: c[0] is 2.0, want 0.0"), "{text}");
    dir.write("add.cu", &PROGRAM.replace("c[i] =", "c[j] ="));
    let (text, code) = dir.check(&["--json"]).unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!((code, &json["findings"][0]["code"]), (1, &"COMPILE".into()));
    assert!(json["findings"][0]["at"].as_str().unwrap().ends_with("add.cu:7:11"));
}

#[test]
fn mistakes_in_the_run_file_name_its_line() {
    let dir = Scratch::new("run");
    for (line, want) in [
        ("buffr a iota:int:3", "`buffr` is none of buffer, symbol"),
        ("buffer a iota:int", "`iota:int`"),
        ("launch add<<<1>>>(1)", "KERNEL<<<GRID, BLOCK>>>"),
        ("launch sub<<<1, 1>>>(1)", "no kernel is called `sub`"),
        ("launch add<<<1, 1>>>(1)", "has 3 parameter(s), 1 are given"),
        ("symbol width list:int:3", "there is no variable `width`"),
        ("expect z list:int:3", "no buffer `z`"),
        ("texture t z 4x4 1", "no buffer `z`"),
    ] {
        dir.write("add.run", &format!("# nothing\n{line}\n"));
        let failure = dir.check(&[]).unwrap_err();
        assert_eq!(failure.code, 2);
        assert!(failure.message.contains("add.run:2: "), "{}", failure.message);
        assert!(failure.message.contains(want), "{}", failure.message);
    }
}
