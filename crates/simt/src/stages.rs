//! What the compiler makes of a source, stage by stage, as text.

use std::fmt::Write;

use crate::program::{KernelInfo, Program};

pub use crate::compile::{preprocess, tokens};
pub use crate::tree::tree;

/// `name(type a, type b)` as in the source.
pub fn signature(kernel: &KernelInfo) -> String {
    let params: Vec<String> = kernel
        .params
        .iter()
        .map(|p| {
            let space = if p.type_name.ends_with('*') { "" } else { " " };
            format!("{}{space}{}", p.type_name, p.name)
        })
        .collect();
    format!("{}({})", kernel.name, params.join(", "))
}

/// What a kernel takes of a multiprocessor, in one line.
pub fn resources(kernel: &KernelInfo) -> String {
    format!(
        "{} registers (estimate), {} bytes shared, {} bytes local, {} bytes constant",
        kernel.registers, kernel.static_shared, kernel.local_bytes, kernel.const_bytes
    )
}

/// The warp IR of all kernels. `arch` is noted in the head only: the IR is the same for all.
pub fn ir(program: &Program, arch: &str) -> String {
    let mut out =
        format!("// warp IR of simt: every instruction works on 32 lanes\n.target {arch}\n");
    for kernel in program.kernels() {
        let _ = writeln!(out, "\n.entry {} // {}", kernel.symbol, signature(kernel));
        let _ = writeln!(out, "// {}", resources(kernel));
    }
    out
}
