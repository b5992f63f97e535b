//! A run file to begin with, made from the parameters of a file's kernels.

use simt::hir::Space;
use simt::program::{KernelInfo, ParamInfo};

use super::args::Elem;

/// Elements of a buffer, and the value of an integer: mostly the one is the length of the other.
const COUNT: u32 = 1024;

/// Buffers and a launch for each of the `kernels`, in lines indented by two blanks. What a kernel
/// only reads is random, what it may write begins as zeros.
pub fn draft(kernels: &[KernelInfo]) -> String {
    let mut text = String::new();
    for (i, kernel) in kernels.iter().enumerate() {
        let mut given = Vec::new();
        for param in &kernel.params {
            match argument(param) {
                Argument::Buffer(recipe) => {
                    // Two kernels may call buffers of different types alike.
                    let name = match kernels {
                        [_] => param.name.clone(),
                        _ => format!("{}{}", param.name, i + 1),
                    };
                    text += &format!("  buffer {name} {recipe}\n");
                    given.push(name);
                }
                Argument::Word(word) => given.push(word),
            }
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

enum Argument {
    /// A line of its own makes it, by this recipe.
    Buffer(String),
    /// Stands between the brackets.
    Word(String),
}

fn argument(param: &ParamInfo) -> Argument {
    let Some((pointee, _)) = &param.pointee else {
        let number = match param.type_name.as_str() {
            "float" | "double" | "__half" | "half" => "1.0".to_string(),
            "bool" => "true".to_string(),
            name => match Elem::parse(name) {
                Some(elem) => vec![COUNT.to_string(); elem.lanes].join(","),
                None => "zeros".to_string(),
            },
        };
        return Argument::Word(number);
    };
    if param.space == Space::Shared {
        return Argument::Word(format!("local:{pointee}:256"));
    }
    // A type of the file's own has its size from the parameter: the recipe stands in the launch.
    if Elem::parse(pointee).is_none() {
        return Argument::Word(format!("zeros:{pointee}:{COUNT}"));
    }
    let recipe = if param.is_const { "rand" } else { "zeros" };
    Argument::Buffer(format!("{recipe}:{pointee}:{COUNT}"))
}
