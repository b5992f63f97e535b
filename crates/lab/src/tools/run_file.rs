//! A run file to begin with, made from the parameters of a file's kernels.

use simt::hir::Space;
use simt::program::KernelInfo;

use super::args::{self, Elem};

/// Elements of a buffer, and the value of an integer: mostly the one is the length of the other.
const COUNT: u32 = 1024;

/// Buffers and a launch for each of the `kernels`, in lines indented by two blanks. What a kernel
/// only reads is random, what it may write begins as zeros.
pub fn draft(kernels: &[KernelInfo]) -> String {
    let mut text = String::new();
    for (i, kernel) in kernels.iter().enumerate() {
        let mut given = Vec::new();
        for param in &kernel.params {
            let recipe = args::example(param, "zeros", COUNT);
            // A line `buffer` knows numbers only.
            let pointee = param.pointee.as_ref().filter(|_| param.space != Space::Shared);
            if pointee.is_none_or(|(name, _)| Elem::parse(name).is_none()) {
                given.push(recipe);
                continue;
            }
            // Two kernels may call buffers of different types alike.
            let name = match kernels {
                [_] => param.name.clone(),
                _ => format!("{}{}", param.name, i + 1),
            };
            text += &format!("  buffer {name} {recipe}\n");
            given.push(name);
        }
        let block = match kernel.work_group {
            None => "256".to_string(),
            Some([x, y, z]) => format!("{x}x{y}x{z}"),
        };
        let threads = kernel.work_group.map_or(256, |g| g.iter().product());
        let (grid, given) = (COUNT.div_ceil(threads), given.join(", "));
        text += &format!("  launch {}<<<{grid}, {block}>>>({given})\n", kernel.name);
    }
    text
}
