//! A second reader of PTX, to judge the student's by: line by line, for the texts that NVRTC and
//! clang write, and for made-up ones.

use std::collections::BTreeMap;

use rand::{Rng, RngExt};

/// Opcodes of each kernel with the kernel's name. Statements are expected one a line, as in the
/// samples.
pub fn kernels(text: &str) -> Vec<(String, Vec<String>)> {
    let mut found: Vec<(String, Vec<String>)> = Vec::new();
    let (mut in_kernel, mut in_comment) = (false, false);
    let mut wants_name = false;
    for line in text.lines() {
        let mut code = String::new();
        let mut rest = line;
        while !rest.is_empty() {
            if in_comment {
                in_comment = !rest.contains("*/");
                rest = rest.split_once("*/").map_or("", |(_, after)| after);
            } else if let Some(at) = rest.find("/*").filter(|at| !rest[..*at].contains("//")) {
                code += &rest[..at];
                code.push(' ');
                in_comment = true;
                rest = &rest[at + 2..];
            } else {
                code += rest.split_once("//").map_or(rest, |(before, _)| before);
                rest = "";
            }
        }
        let code = code.trim();
        if let Some((_, after)) = code.split_once(".entry") {
            wants_name = true;
            in_kernel = true;
            let name = after.split('(').next().unwrap_or("").trim();
            if !name.is_empty() {
                found.push((name.to_string(), Vec::new()));
                wants_name = false;
            }
        } else if wants_name && !code.is_empty() {
            found.push((code.split('(').next().unwrap_or("").trim().to_string(), Vec::new()));
            wants_name = false;
        } else if code.starts_with(".func") || code.starts_with(".visible .func") {
            in_kernel = false;
        }
        let mut words = code
            .split_whitespace()
            .skip_while(|w| w.ends_with(':') || w.starts_with('@') || *w == "{");
        if in_kernel
            && code.ends_with([';', '}'])
            && let Some(opcode) = words.next()
            && !opcode.starts_with(['.', '}', ')'])
            && let Some((_, opcodes)) = found.last_mut()
        {
            opcodes.push(opcode.trim_end_matches(';').to_string());
        }
    }
    found
}

/// How often each opcode occurs in all kernels.
pub fn histogram(kernels: &[(String, Vec<String>)]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for opcode in kernels.iter().flat_map(|(_, opcodes)| opcodes) {
        *counts.entry(opcode.clone()).or_default() += 1;
    }
    counts
}

/// Useful instructions: global loads and stores, floating-point arithmetic.
pub fn useful(opcodes: &[String]) -> usize {
    let is_useful = |opcode: &&String| {
        let parts: Vec<&str> = opcode.split('.').collect();
        match parts[0] {
            "ld" | "st" => parts.contains(&"global"),
            "add" | "sub" | "mul" | "fma" | "div" | "sqrt" => {
                ["f16", "f32", "f64"].iter().any(|f| parts.contains(f))
            }
            _ => false,
        }
    };
    opcodes.iter().filter(is_useful).count()
}

/// A made-up PTX text, its kernels with their opcodes, and its version and target.
pub struct Sample {
    /// The text.
    pub text: String,
    /// Names of kernels and their opcodes.
    pub kernels: Vec<(String, Vec<String>)>,
    /// `.version` and `.target`.
    pub target: (String, String),
}

/// What a sample has beside plain kernels.
#[derive(Clone, Copy, Debug, Default)]
pub struct Extras {
    /// Comments with `.entry` in them.
    pub comments: bool,
    /// Device functions.
    pub functions: bool,
    /// Lines end in CR LF.
    pub crlf: bool,
    /// Predicates before opcodes, labels on the line of an instruction, inner braces.
    pub predicates: bool,
}

/// Makes up a text with `count` kernels.
pub fn sample(rng: &mut impl Rng, count: usize, extras: Extras) -> Sample {
    const OPCODES: [(&str, &str); 9] = [
        ("ld.global.f32", "%f1, [%rd1]"),
        ("st.global.f32", "[%rd1], %f1"),
        ("ld.param.u64", "%rd1, [p]"),
        ("fma.rn.f32", "%f1, %f1, %f2, %f3"),
        ("add.s32", "%r1, %r1, 1"),
        ("mul.f64", "%d1, %d1, %d2"),
        ("setp.ge.s32", "%p1, %r1, %r2"),
        ("cvta.to.global.u64", "%rd2, %rd1"),
        ("ld.shared.f32", "%f1, [tile]"),
    ];
    let version = format!("{}.{}", rng.random_range(6..9), rng.random_range(0..9));
    let target = format!("sm_{}", rng.random_range(50..91));
    let mut text = format!(".version {version}\n.target {target}\n.address_size 64\n\n");
    let mut kernels = Vec::new();
    let mut label = 0;
    for _ in 0..count {
        let name = format!("kernel_{:06x}", rng.random_range(0..1 << 24));
        if extras.comments {
            text += "// .visible .entry not_this_one(\n/* .entry nor_this(\n.version 1.0 */\n";
        }
        if extras.functions {
            text += ".visible .func  (.param .b32 result) helper(\n\t.param .b32 \
                x\n)\n{\n\tadd.f32 %f1, %f2, %f3;\n\tret;\n}\n";
        }
        let gap = if extras.comments { " /* .entry wrong( */ " } else { " " };
        text += &format!(
            ".visible .entry{gap}{name}(\n\t.param .u64 p\n)\n.maxntid 256, 1, 1\n{{\n\t.reg .f32 \
             %f<4>;\n\n"
        );
        let mut opcodes = Vec::new();
        for _ in 0..rng.random_range(5..20) {
            let (opcode, operands) = OPCODES[rng.random_range(0..OPCODES.len())];
            let mut line = format!("{opcode} \t{operands};");
            if extras.predicates {
                match rng.random_range(0..5) {
                    0 => line = format!("@%p1 {line}"),
                    1 => line = format!("@!%p2 {line}"),
                    2 => {
                        label += 1;
                        line = format!("$L__BB0_{label}: {line}");
                    }
                    3 => line = format!("{{ {line} }}"),
                    _ => {}
                }
            }
            text += &format!("\t{line}\n");
            opcodes.push(opcode.to_string());
        }
        label += 1;
        text += &format!("\n$L__BB0_{label}:\n\tret;\n\n}}\n\n");
        opcodes.push("ret".into());
        kernels.push((name, opcodes));
    }
    if extras.crlf {
        text = text.replace('\n', "\r\n");
    }
    Sample { text, kernels, target: (version, target) }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand::rngs::ChaCha8Rng;

    use super::*;

    const VECADD: &str = include_str!("../../data/vecadd.ptx");
    const JULIA: &str = include_str!("../../data/julia.ptx");
    const MANGLED: &str = include_str!("../../data/mangled.ptx");

    #[test]
    fn the_samples_hold_what_the_handout_says() {
        let vecadd = kernels(VECADD);
        assert_eq!(vecadd.len(), 1);
        assert_eq!((useful(&vecadd[0].1), vecadd[0].1.len()), (4, 22));
        let julia = kernels(JULIA);
        let names: Vec<_> = julia.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["fill_kernel", "julia_kernel"]);
        assert_eq!(histogram(&julia)["bra"], 5);
        let mangled = kernels(MANGLED);
        let names: Vec<_> = mangled.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["_Z9addkernelPfPKfS1_i"]);
        assert!(MANGLED.contains("\r\n") && !MANGLED.replace("\r\n", "").contains('\n'));
    }

    #[test]
    fn the_reader_agrees_with_the_maker() {
        let mut rng = ChaCha8Rng::seed_from_u64(7);
        for i in 0..64 {
            let on = |bit: u32| i >> bit & 1 == 1;
            let extras =
                Extras { comments: on(0), functions: on(1), crlf: on(2), predicates: on(3) };
            let sample = sample(&mut rng, 1 + i % 3, extras);
            assert_eq!(kernels(&sample.text), sample.kernels, "{extras:?}\n{}", sample.text);
        }
    }
}
