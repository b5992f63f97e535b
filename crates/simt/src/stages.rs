//! What the compiler makes of a source, stage by stage, as text.

use std::fmt::Write;

use crate::hir::Space;
use crate::program::{KernelInfo, Program};
use crate::source::Span;
use compiler::listing;

pub use crate::compile::{preprocess, tokens};
pub use compiler::tree::tree;

/// `name(type a, type b)` as in the source.
pub fn signature(kernel: &KernelInfo) -> String {
    let params: Vec<String> = kernel
        .params
        .iter()
        .map(|p| {
            let space = match p.space {
                Space::Global => "__global ",
                Space::Shared => "__local ",
                Space::Constant => "__constant ",
                Space::Generic | Space::Local => "",
            };
            match p.type_name.strip_suffix('*') {
                Some(to) => format!("{space}{} *{}", to.trim_end(), p.name),
                None => format!("{} {}", p.type_name, p.name),
            }
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
    for (kernel, code) in program.kernels().iter().zip(&program.inner.code) {
        let _ = writeln!(out, "\n.entry {} // {}", kernel.symbol, signature(kernel));
        let _ = writeln!(out, "    // {}", resources(kernel));
        out += &listing::kernel(code, kernel, program.module());
    }
    out
}

/// The warp IR of the source line in which `at` begins, in the kernel that the host finds under
/// `symbol`.
pub fn ir_of_line(program: &Program, symbol: &str, at: Span) -> String {
    let kernel = program.kernels().iter().position(|k| k.symbol == symbol);
    let code = kernel.and_then(|i| program.inner.code.get(i));
    code.map_or(String::new(), |code| listing::line(code, program.module(), at))
}
