//! Names the library as OpenCL's loader, so that a program that is linked with it asks for
//! `libOpenCL.so.1` when it starts.

fn main() {
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libOpenCL.so.1");
    }
    println!("cargo:rerun-if-changed=build.rs");
}
