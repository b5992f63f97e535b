//! `cargo lab libcuda`: the emulated device as the driver's library and as OpenCL's, for host
//! programs of others. The crates `libcuda`, `libnvrtc` and `libopencl` are not built before they
//! are asked for.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use super::{App, progress, say};

/// A crate's library, as cargo calls it, and under which names programs look for it.
struct Library {
    built: &'static str,
    names: &'static [&'static str],
}

#[cfg(windows)]
const LIBRARIES: [Library; 3] = [
    Library { built: "emulated_cuda.dll", names: &["nvcuda.dll"] },
    Library {
        built: "emulated_nvrtc.dll",
        names: &["nvrtc.dll", "nvrtc64_120_0.dll", "nvrtc64_130_0.dll"],
    },
    Library { built: "emulated_opencl.dll", names: &["OpenCL.dll"] },
];
#[cfg(target_os = "macos")]
const LIBRARIES: [Library; 3] = [
    Library { built: "libemulated_cuda.dylib", names: &["libcuda.dylib"] },
    Library { built: "libemulated_nvrtc.dylib", names: &["libnvrtc.dylib"] },
    Library { built: "libemulated_opencl.dylib", names: &["libOpenCL.dylib"] },
];
#[cfg(not(any(windows, target_os = "macos")))]
const LIBRARIES: [Library; 3] = [
    Library { built: "libemulated_cuda.so", names: &["libcuda.so.1", "libcuda.so"] },
    Library {
        built: "libemulated_nvrtc.so",
        names: &["libnvrtc.so", "libnvrtc.so.11.2", "libnvrtc.so.12", "libnvrtc.so.13"],
    },
    Library { built: "libemulated_opencl.so", names: &["libOpenCL.so.1", "libOpenCL.so"] },
];

/// Headers for programs that are compiled against them, below the course's root.
const HEADERS: [(&str, &str); 3] = [
    ("crates/libcuda/include", "cuda.h"),
    ("crates/libnvrtc/include", "nvrtc.h"),
    ("crates/libopencl/include", "CL/cl.h"),
];

impl App {
    /// Writes the libraries and their headers to a folder.
    pub(super) fn libcuda(&self, dir: &Path, out: &mut dyn Write) -> Result<u8, String> {
        let root = &self.place.root;
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut command = std::process::Command::new(cargo);
        command.arg("build").arg("--manifest-path").arg(root.join("Cargo.toml"));
        command.args(["--package", "libcuda", "--package", "libnvrtc", "--package", "libopencl"]);
        command.arg("--target-dir").arg(&self.place.target);
        let done = progress::build("the libraries", &mut command);
        let done = done.map_err(|e| {
            format!(
                "the libraries are built with Rust, and cargo cannot be run ({e}): install Rust \
                 (https://rustup.rs) and open a new terminal"
            )
        })?;
        if !done.status.success() {
            return Err(format!("the libraries were not built\n{}", done.words));
        }
        let failed = |path: &Path, e: std::io::Error| format!("{}: {e}", path.display());
        fs::create_dir_all(dir).map_err(|e| failed(dir, e))?;
        let copy = |from: PathBuf, name: &str| {
            let to = dir.join(name);
            // A running program may have the earlier one open.
            let _ = fs::remove_file(&to);
            fs::copy(&from, &to).map_err(|e| failed(&from, e)).map(|_| to)
        };
        for Library { built, names } in LIBRARIES {
            let from = self.place.target.join("debug").join(built);
            let (first, more) = names.split_first().unwrap_or((&built, &[]));
            let first = copy(from, first)?;
            for name in more {
                let to = dir.join(name);
                let _ = fs::remove_file(&to);
                if fs::hard_link(&first, &to).is_err() {
                    copy(first.clone(), name)?;
                }
            }
        }
        let folder = dir.join("CL");
        fs::create_dir_all(&folder).map_err(|e| failed(&folder, e))?;
        for (from, name) in HEADERS {
            copy(root.join(from).join(name), name)?;
        }
        let full = std::path::absolute(dir).map_err(|e| failed(dir, e))?;
        say(out, &advice(&full))?;
        Ok(0)
    }
}

#[cfg(windows)]
fn advice(dir: &Path) -> String {
    format!(
        "The libraries are in {0}: copy its .dll files beside the program that is to run on the \
         emulated device.\n",
        dir.display()
    )
}

#[cfg(not(windows))]
fn advice(dir: &Path) -> String {
    format!(
        "A program runs on the emulated device with:\n    LD_LIBRARY_PATH={0} ./program\n\
         A program in C, with the headers that are there, too:\n    \
         cc -I{0} program.c -L{0} -lcuda -lnvrtc -lOpenCL -o program\n",
        dir.display()
    )
}
