//! Host programs of others on the emulated device: one in C, one with `cudarc`. They know nothing
//! of this course; its libraries stand where the vendor's would.
#![cfg(target_os = "linux")]

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Where cargo has built the two libraries for this test.
fn built() -> PathBuf {
    std::env::current_exe().unwrap().parent().unwrap().to_path_buf()
}

/// A folder with the libraries under the vendor's names.
fn libraries() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (built_as, name) in [
        ("libemulated_cuda.so", "libcuda.so"),
        ("libemulated_cuda.so", "libcuda.so.1"),
        ("libemulated_nvrtc.so", "libnvrtc.so"),
    ] {
        symlink(built().join(built_as), dir.path().join(name)).unwrap();
    }
    dir
}

/// A program on the emulated device; what it has to say.
fn run(dir: &Path, program: &Path, args: &[&str], device: &str) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = Command::new(program)
        .args(args)
        .env("LD_LIBRARY_PATH", dir)
        .env("LAB_DEVICE", device)
        .env("LAB_GPU", "h200")
        .output()
        .unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code(), text(stdout), text(stderr))
}

fn own(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name).to_str().unwrap().to_owned()
}

#[test]
fn a_program_in_c() {
    let dir = libraries();
    let program = dir.path().join("saxpy");
    let compiled = Command::new("cc")
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-o"])
        .args([program.to_str().unwrap(), "-I", &own("include"), &own("tests/saxpy.c")])
        .args(["-L", dir.path().to_str().unwrap(), "-lcuda"])
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

    let kernel = own("tests/saxpy.cu");
    let saxpy = |args: &[&str], device| run(dir.path(), &program, args, device);
    let (code, out, errors) = saxpy(&[&kernel, "1000", "1000"], "auto");
    assert_eq!(
        (code, out.as_str()),
        (
            Some(0),
            "1 device, compute capability 9.0\n1000 elements are right\nthe largest is 2998\n"
        ),
        "{errors}"
    );
    assert_eq!(errors, "fault[LEAK]: `values` (4000 bytes) was never freed\n");

    // Told of more elements than there are: the C program sees a number, the person the line.
    let (code, out, errors) = saxpy(&[&kernel, "1000", "1024"], "auto");
    assert_eq!(code, Some(1));
    assert!(out.contains("cuLaunchKernel") && out.ends_with(": CUDA_ERROR_ILLEGAL_ADDRESS\n"));
    assert!(errors.contains("fault[OOB-G]") && errors.contains("saxpy.cu:18:27"), "{errors}");
    assert!(errors.contains("\ncuLaunchKernel: CUDA_ERROR_ILLEGAL_ADDRESS\n"), "{errors}");
    assert_eq!(errors.matches("fault[OOB-G]").count(), 1, "{errors}");

    // The library stands for no GPU.
    let (code, out, errors) = saxpy(&[&kernel, "1000", "1000"], "cuda");
    assert!(code == Some(1) && out.starts_with("cuInit(0): "), "{out}");
    assert!(errors.starts_with("no CUDA driver found"), "{errors}");
    let missing = saxpy(&["nothing.cu", "1000", "1000"], "auto");
    assert!(missing.1.ends_with("CUDA_ERROR_FILE_NOT_FOUND\n"), "{}", missing.1);
    assert!(missing.2.starts_with("nothing.cu: "), "{}", missing.2);
}

#[test]
fn a_program_with_cudarc() {
    let dir = libraries();
    let program = built().parent().unwrap().join("examples/cudarc");
    let (code, out, errors) = run(dir.path(), &program, &["5"], "auto");
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines[0], "Device 0: \"NVIDIA H200 (emulated)\", compute capability = 9.0");
    assert_eq!(lines[1], "[1, 2, 3, 4, 5] + [10, 20, 30, 40, 50] = [11, 22, 33, 44, 55]");
    assert!(lines[2].starts_with("5 elements are right; the kernel took 0.0"), "{out}");
}

/// Every function of the two headers, under the name that a program asks for.
#[test]
fn what_the_headers_declare_is_there() {
    for (header, library, prefix) in [
        ("include/cuda.h", "libemulated_cuda.so", "cu"),
        ("../libnvrtc/include/nvrtc.h", "libemulated_nvrtc.so", "nvrtc"),
    ] {
        let text = std::fs::read_to_string(own(header)).unwrap();
        // SAFETY: our own library, whose start only sets a flag.
        let library = unsafe { libloading::Library::new(built().join(library)) }.unwrap();
        let renamed = |name: &str| {
            let line = text.lines().find_map(|l| l.strip_prefix(&format!("#define {name} ")));
            line.unwrap_or(name).to_owned()
        };
        let declared: Vec<String> = text
            .lines()
            .filter(|line| line.contains('(') && !line.starts_with(['#', ' ', '/', 't']))
            .filter_map(|line| line.split('(').next()?.split([' ', '*']).next_back())
            .filter(|name| name.starts_with(prefix))
            .map(renamed)
            .collect();
        assert!(declared.len() >= 15, "{declared:?}");
        for name in declared {
            // SAFETY: only whether the address exists is asked.
            let found = unsafe { library.get::<*const ()>(&name) };
            assert!(found.is_ok(), "{header}: {name}");
        }
    }
}
