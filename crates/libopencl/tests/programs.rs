//! A host program in C on the emulated OpenCL platform. It knows nothing of this course; the
//! library stands where the loader's would.
#![cfg(target_os = "linux")]

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use emulated_opencl as _;

fn own(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The library that cargo has built for this test, under the loader's names.
fn library() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    let built = std::env::current_exe().unwrap().with_file_name("libemulated_opencl.so");
    for name in ["libOpenCL.so", "libOpenCL.so.1"] {
        symlink(&built, dir.path().join(name)).unwrap();
    }
    dir
}

#[test]
fn a_program_in_c() {
    let dir = library();
    let program = dir.path().join("convolution");
    let compiled = Command::new("cc")
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", "-o"])
        .arg(&program)
        .arg("-I")
        .args([own("include"), own("tests/convolution.c")])
        .arg("-L")
        .arg(dir.path())
        .arg("-lOpenCL")
        .output();
    let compiled = match compiled {
        Ok(done) => done,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            println!("skipped: there is no C compiler `cc`");
            assert!(std::env::var_os("CI").is_none(), "no C compiler, and this is CI");
            return;
        }
        Err(e) => panic!("cc: {e}"),
    };
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let run = |columns: &str| {
        let done = Command::new(&program)
            .arg(columns)
            .env("LD_LIBRARY_PATH", dir.path())
            .env("LAB_GPU", "h200")
            .env("LAB_DEVICE", "auto")
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (done.status.code(), text(done.stdout), text(done.stderr))
    };
    let (code, out, errors) = run("40");
    assert_eq!(
        (code, out.as_str(), errors.as_str()),
        (Some(0), "1 platform, simt\n1200 texels are right, timed\n", "")
    );
    // Texels outside of the image: the program sees a number, the person the line.
    let (code, out, errors) = run("41");
    assert_eq!(code, Some(1), "{out}");
    assert!(out.contains("clEnqueueNDRangeKernel") && out.ends_with(": -5\n"), "{out}");
    assert!(errors.contains("an image is written at a coordinate inside of it"), "{errors}");
}
