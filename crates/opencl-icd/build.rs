//! Lets cl-sys link without any OpenCL package: it asks the linker for a library `OpenCL`, and
//! finds this empty one. The symbols come from this crate.

use std::path::PathBuf;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let name = match std::env::var("CARGO_CFG_TARGET_ENV").as_deref() {
        Ok("msvc") => "OpenCL.lib",
        _ => "libOpenCL.a",
    };
    std::fs::write(out.join(name), "!<arch>\n").expect("the build folder can be written");
    println!("cargo:rustc-link-search=native={}", out.display());
}
