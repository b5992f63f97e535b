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
    let mut archive = "!<arch>\n".to_string();
    if name == "OpenCL.lib" {
        // Microsoft's linker wants the table of symbols that begins each library: none, in four
        // bytes.
        archive += &format!("{:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n\0\0\0\0", "/", 0, "", "", 0, 4);
    }
    std::fs::write(out.join(name), archive).expect("the build folder can be written");
    println!("cargo:rustc-link-search=native={}", out.display());
}
