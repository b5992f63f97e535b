//! Writes the corpus as CUDA programs for a real GPU: `cargo run -p simt --example make_driver --
//! FOLDER [idioms | programs]`.
//!
//! Each corpus file becomes one translation unit: the kernels in a namespace of their own, and a
//! function that makes the same launches with the same inputs as `cargo test -p simt --test engine
//! corpus` does. `tools/ncu/run.sh` compiles and measures them. The faulty kernels go with it, for
//! compute-sanitizer, and those of `tools/rates/large`, whose launches are timed. With `idioms`,
//! the idioms of synchronisation take the place of all: right ones as `NAME`, their faulty twins as
//! `NAME_twin`. With `programs`, those of `tests/world` and `tests/language`: each is to be a
//! program of its own, because it has headers and a `main`.

#[path = "../tests/support/case.rs"]
mod case;

use std::fmt::Write;
use std::path::Path;

use case::{Arg, Buffer, Case, Generator, Run};

fn main() -> Result<(), String> {
    let folder = std::env::args().nth(1).ok_or("usage: make_driver FOLDER [idioms | programs]")?;
    let folder = Path::new(&folder);
    match std::env::args().nth(2).as_deref() {
        Some("idioms") => return idioms(folder),
        Some("programs") => return programs(folder),
        _ => {}
    }
    let large = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/rates/large");
    for (part, from, timed) in [
        ("right", Case::corpus_dir(), false),
        ("faulty", Case::corpus_dir().join("faulty"), false),
        ("large", large, true),
    ] {
        let cases = Case::folder(&from)?;
        write_all(&folder.join(part), &cases, timed)?;
        println!("{} files in {}", cases.len(), folder.join(part).display());
    }
    Ok(())
}

/// Each idiom and its twin, each by itself for the tools of compute-sanitizer. `extern "C"` goes:
/// the two have the same names.
fn idioms(folder: &Path) -> Result<(), String> {
    let pairs = Case::idioms()?.into_iter().filter(|[case, _]| !case.opencl);
    let (mut right, mut all) = (Vec::new(), Vec::new());
    for [mut case, mut twin] in pairs {
        right.push(case.clone());
        for case in [&mut case, &mut twin] {
            case.text = case.text.replace("extern \"C\" ", "");
        }
        twin.name += "_twin";
        all.extend([case, twin]);
    }
    write_all(&folder.join("right"), &right, false)?;
    write_all(&folder.join("faulty"), &all, false)?;
    println!("{} idioms in {}", right.len(), folder.display());
    Ok(())
}

/// What nvcc needs for programs that leave headers out, which the emulator's compiler forgives, and
/// names that CUB had before CUDA 13.
const HEADERS: &str = "\
#include <array>
#include <bitset>
#include <cub/cub.cuh>
#include <cuda/functional>
#include <cuda/std/optional>
#include <getopt.h>
#include <iostream>
#include <sys/time.h>
namespace cub {
using Max = cuda::maximum<>;
using Min = cuda::minimum<>;
using Sum = cuda::std::plus<>;
}
";

/// Whole programs, as they stand; their own `main` is another function here.
fn programs(folder: &Path) -> Result<(), String> {
    let cases = Case::programs()?;
    let to = folder.join("programs");
    std::fs::create_dir_all(&to).map_err(|e| format!("{}: {e}", to.display()))?;
    for case in &cases {
        let name = &case.name;
        let text = format!(
            "#include \"driver.h\"\n{HEADERS}#define main program_main\n#line 1 \"{name}.cu\"\n{}\n\
             #undef main\n{}",
            case.text,
            host(case, false)
        );
        write(&to.join(format!("{name}.cu")), &text)?;
    }
    println!("{} programs in {}", cases.len(), to.display());
    Ok(())
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

fn write_all(folder: &Path, cases: &[Case], timed: bool) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for case in cases {
        write(&folder.join(format!("{}.cu", case.name)), &program(case, timed))?;
    }
    Ok(())
}

/// The translation unit of a case. `#line` keeps the line numbers of the corpus file in listings
/// and in the tools' messages. Headers come before the namespace, and not again inside of it.
fn program(case: &Case, timed: bool) -> String {
    let headers = case.text.lines().filter(|line| line.starts_with("#include <"));
    format!(
        "#include \"driver.h\"\n{}namespace corpus_{name} {{\n#line 1 \"{name}.cu\"\n{}\n{}}}\n",
        headers.map(|line| format!("{line}\n")).collect::<String>(),
        case.text,
        host(case, timed),
        name = case.name,
    )
}

/// The function that makes a case's launches, and its entry in the list of cases.
fn host(case: &Case, timed: bool) -> String {
    let name = &case.name;
    let mut out = "#line 1 \"host\"\nstatic void run_case(CorpusDriver &driver)\n{\n".to_string();
    for buffer in &case.buffers {
        let types = ["cudaSurfaceObject_t", "CUsurfObject"];
        let surface = types.iter().any(|t| case.text.contains(&format!("{t} {}", buffer.name)));
        let layered = surface && case.text.contains("Layered");
        let line = match &buffer.texture {
            Some((over, texture)) => picture(&buffer.name, over, texture, surface, layered),
            None => fill(buffer),
        };
        let _ = writeln!(out, "    {line}");
    }
    for (number, run) in case.runs.iter().enumerate() {
        out += &launch(number, run, timed, case.text.contains("this_grid()"));
    }
    let expected = case.expected.iter().map(|(name, _)| name);
    for checked in case.checks.iter().map(|(name, _)| name).chain(expected) {
        let Some(buffer) = case.buffers.iter().find(|b| b.name == *checked) else { continue };
        let size = buffer.count * buffer.elem.size();
        let _ = if buffer.is_symbol {
            writeln!(
                out,
                "    {{\n        std::vector<char> host({size});\n        \
                 CORPUS_CHECK(cudaMemcpyFromSymbol(host.data(), {checked}, \
                 {size}));\n        driver.save(\"{checked}\", host.data(), {size});\n    }}"
            )
        } else {
            writeln!(out, "    driver.output(\"{checked}\", buf_{checked}, {size});")
        };
    }
    let _ = writeln!(out, "}}\nstatic CorpusEntry entry(\"{name}\", run_case);");
    out
}

/// A texture object, or a surface object, over a buffer.
fn picture(
    name: &str,
    over: &str,
    texture: &simt::texture::Texture,
    surface: bool,
    layered: bool,
) -> String {
    use simt::texture::Address;
    let [w, h, d] = texture.size;
    let kind = match (texture.bits, texture.signed) {
        (32, true) => "Float",
        (_, true) => "Signed",
        (_, false) => "Unsigned",
    };
    let address = match texture.address {
        Address::Clamp => "Clamp",
        Address::Wrap => "Wrap",
        Address::Mirror => "Mirror",
        Address::Border => "Border",
    };
    format!(
        "unsigned long long buf_{name} = driver.picture(buf_{over}, {{{w}, {h}, {d}}}, {}, {}, \
         cudaChannelFormatKind{kind}, {}, cudaAddressMode{address}, {}, {}, {surface}, {layered});",
        texture.channels, texture.bits, texture.linear, texture.unit_coords, texture.unit_values,
    )
}

fn fill(buffer: &Buffer) -> String {
    let Buffer { name, elem, count, generator, is_symbol, texture: _ } = buffer;
    let t = elem.cpp();
    let values = match generator {
        Generator::Empty => return format!("Pointer buf_{name} = driver.empty<{t}>({count});"),
        Generator::Zero => format!("gen_zero<{t}>({count})"),
        Generator::Fill(v) => format!("std::vector<{t}>({count}, ({t}){v})"),
        Generator::Iota(from, step) => format!("gen_iota<{t}>({count}, {from}, {step})"),
        Generator::List(values) => {
            // Above the largest signed integer a literal needs its suffix.
            let unsigned = |v: &str| v.parse::<u64>().is_ok_and(|v| v > i64::MAX as u64);
            let literal = |v: &String| format!("({t}){v}{}", if unsigned(v) { "ull" } else { "" });
            let list: Vec<String> = values.iter().map(literal).collect();
            format!("std::vector<{t}>{{{}}}", list.join(", "))
        }
        Generator::Rand(seed, lo, hi) => format!("gen_rand<{t}>({count}, {seed}, {lo:?}, {hi:?})"),
        Generator::Ints(seed, lo, hi) => format!("gen_ints<{t}>({count}, {seed}, {lo}, {hi})"),
        Generator::Triangle => format!("gen_triangle<{t}>({count})"),
    };
    if *is_symbol {
        let size = count * elem.size();
        format!("CORPUS_CHECK(cudaMemcpyToSymbol({name}, ({values}).data(), {size}));")
    } else {
        format!("Pointer buf_{name} = driver.filled<{t}>({values});")
    }
}

/// A `cooperative` launch is one whose blocks wait for each other.
fn launch(number: usize, run: &Run, timed: bool, cooperative: bool) -> String {
    let args: Vec<String> = run
        .args
        .iter()
        .map(|arg| match arg {
            Arg::Buffer { name, offset: 0 } => format!("buf_{name}"),
            Arg::Buffer { name, offset } => format!("buf_{name} + {offset}"),
            Arg::Number(word) => word.clone(),
            Arg::Variable => "corpus_turn".into(),
            Arg::Local(_) => unreachable!("local memory is an argument in OpenCL only"),
        })
        .collect();
    let ([gx, gy, gz], [bx, by, bz]) = (run.grid, run.block);
    let (kernel, shared, args) = (&run.kernel, run.shared, args.join(", "));
    let shape = format!("dim3({gx}, {gy}, {gz}), dim3({bx}, {by}, {bz}), {shared}");
    let call = if cooperative {
        format!("driver.together({shape}, {kernel}, {args});")
    } else {
        format!("{kernel}<<<{shape}>>>({args});")
    };
    let once = if timed {
        format!("driver.timed({number}, \"{}\", [&] {{ {call} }});", run.kernel)
    } else {
        format!("{call}\n        driver.launched({number}, \"{}\");", run.kernel)
    };
    format!(
        "    for (int corpus_turn = {}; corpus_turn < {}; \
         ++corpus_turn) {{\n        {once}\n    }}\n",
        run.repeat.start, run.repeat.end,
    )
}
