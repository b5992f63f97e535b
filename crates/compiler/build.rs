//! Writes the headers in CUDA C and OpenCL C that the compiler brings along: as they are, and for
//! pages without what only people read.

use std::path::Path;
use std::{env, fs};

#[path = "src/squeeze.rs"]
mod squeeze;

fn main() {
    println!("cargo::rerun-if-changed=src/headers");
    println!("cargo::rerun-if-changed=src/squeeze.rs");
    let of_cargo = |name| env::var(name).expect("cargo sets it");
    let for_pages = of_cargo("CARGO_CFG_TARGET_FAMILY").split(',').any(|f| f == "wasm");
    let out = of_cargo("OUT_DIR");
    for entry in fs::read_dir("src/headers").expect("the headers") {
        let path = entry.expect("an entry of the folder").path();
        let text = fs::read_to_string(&path).expect("a header");
        let text = if for_pages { squeeze::squeezed(&text) } else { text };
        let to = Path::new(&out).join(path.file_name().expect("a name"));
        fs::write(to, text).expect("cargo's folder");
    }
}
