//! `cargo lab cc` on real files in a scratch folder.

use std::path::{Path, PathBuf};

use simt::cc::cc;

const ADD: &str = "\
#include \"elem.cuh\"
extern \"C\" __global__ void add_kernel(ELEM *c, const ELEM *a, const ELEM *b)
{
    int i = threadIdx.x;
    c[i] = add1(a[i], b[i]);
}
";

/// A folder of its own, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let dir = std::env::temp_dir().join(format!("simt-cc-{name}-{}", std::process::id()));
        std::fs::create_dir_all(dir.join("inc")).unwrap();
        std::fs::write(dir.join("add.cu"), ADD).unwrap();
        let header = "__device__ inline ELEM add1(ELEM x, ELEM y) { return x + y; }\n";
        std::fs::write(dir.join("inc/elem.cuh"), header).unwrap();
        std::fs::write(dir.join("broken.cu"), "__global__ void k(int *x)\n{\n    x[0] = ;\n}\n")
            .unwrap();
        Scratch(dir)
    }

    fn cc(&self, line: &str) -> Result<simt::cc::CcDone, simt::cc::CcFailed> {
        let args: Vec<String> = line.split_whitespace().map(String::from).collect();
        cc(&args, &self.0)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap()
}

#[test]
fn a_macro_on_the_command_line_changes_the_code() {
    let dir = Scratch::new("macro");
    let done = dir.cc("add.cu -DELEM=float -I inc -o f.out --arch sm_80").unwrap();
    assert_eq!(done.outputs, [dir.path("f.out")]);
    let single = text(&dir.path("f.out"));
    assert!(single.contains(".entry add_kernel") && single.contains(".target sm_80"), "{single}");
    assert!(single.contains("add.f32") && !single.contains("f64"), "{single}");
    dir.cc("add.cu -D ELEM=double -Iinc -o d.out").unwrap();
    let double = text(&dir.path("d.out"));
    assert!(double.contains("add.f64") && !double.contains("f32"), "{double}");
}

#[test]
fn without_o_the_output_is_named_after_the_input() {
    let dir = Scratch::new("name");
    let done = dir.cc("add.cu -DELEM=int -Iinc --ptxas-options=-v").unwrap();
    assert_eq!(done.outputs, [dir.path("add.ir")]);
    assert!(done.messages.contains("info: add_kernel: ") && done.messages.contains("registers"));
}

#[test]
fn a_refused_source_gives_code_1_places_and_no_output() {
    let dir = Scratch::new("broken");
    let failed = dir.cc("broken.cu -o x.out").unwrap_err();
    assert_eq!(failed.code, 1);
    assert!(failed.message.contains("broken.cu:3:12"), "{}", failed.message);
    assert!(failed.message.ends_with("1 error in broken.cu\n"), "{}", failed.message);
    assert!(!dir.path("x.out").exists());
    // Nothing is written for the good file either.
    let failed = dir.cc("add.cu broken.cu -DELEM=int -Iinc").unwrap_err();
    assert_eq!(failed.code, 1);
    assert!(!dir.path("add.ir").exists());
}

#[test]
fn headers_outside_the_given_folders_are_not_found() {
    let dir = Scratch::new("include");
    let failed = dir.cc("add.cu -DELEM=int -o x.out").unwrap_err();
    assert_eq!(failed.code, 1);
    assert!(failed.message.contains("elem.cuh"), "{}", failed.message);
}
