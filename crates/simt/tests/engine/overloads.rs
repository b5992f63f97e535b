//! Which overload of a function a call takes, beside nvcc: `tests/measured/overloads.csv`, by
//! `tools/overloads/table.py`.

use std::fmt::Write;

use simt::{CompileOptions, Program};

use crate::corpus::{options, wrong_results};
use crate::support::case::{Case, execute};

/// The types by their letters in the table.
const TYPES: [(char, &str); 14] = [
    ('b', "bool"),
    ('c', "char"),
    ('C', "unsigned char"),
    ('h', "short"),
    ('H', "unsigned short"),
    ('i', "int"),
    ('I', "unsigned int"),
    ('l', "long"),
    ('L', "unsigned long"),
    ('q', "long long"),
    ('Q', "unsigned long long"),
    ('f', "float"),
    ('d', "double"),
    ('e', "__half"),
];

/// Where the emulated device differs: `finite` gives a `bool` here, no function takes a half beside
/// a `double`, and some take one, or a number in place of one, that nvcc refuses.
const OTHERWISE: [&str; 6] = ["finite", "copysign", "ilogb", "isnormal", "logb", "scalbln"];

/// The combinations of types of a function of so many arguments, as in `table.py`.
fn combinations(count: usize) -> Vec<String> {
    let (one, two, three) = ("bcChHiIlqQfde", "hiIqQfde", "iIqfde");
    let pairs = |of: &'static str| of.chars().flat_map(move |x| of.chars().map(move |y| (x, y)));
    match count {
        1 => one.chars().map(String::from).collect(),
        2 => pairs(two).map(|(x, y)| format!("{x}{y}")).collect(),
        _ => pairs(three)
            .flat_map(|(x, y)| match x == y {
                true => vec![format!("{x}{x}{x}")],
                false => vec![format!("{x}{x}{y}"), format!("{x}{y}{y}")],
            })
            .collect(),
    }
}

fn call(name: &str, types: &str) -> String {
    let args: Vec<String> = types.chars().map(|t| format!("*p{t}")).collect();
    format!("{name}({})", args.join(", "))
}

/// A kernel that stores the letters of these calls' types.
fn kernel(name: &str, calls: &[&str]) -> String {
    let mut text = String::from("#include <cuda_fp16.h>\n");
    let mut params = String::from("char *out");
    for (letter, ty) in TYPES {
        let _ = writeln!(text, "__device__ char letter({ty}) {{ return '{letter}'; }}");
        let _ = write!(params, ", {ty} *p{letter}");
    }
    let _ = writeln!(text, "extern \"C\" __global__ void letters({params})\n{{");
    for (k, types) in calls.iter().enumerate() {
        let _ = writeln!(text, "    out[{k}] = letter({});", call(name, types));
    }
    text + "}\n"
}

#[test]
fn calls_take_the_overloads_that_nvcc_takes() {
    let table = include_str!("../measured/overloads.csv");
    let (mut wrong, mut count) = (Vec::new(), 0);
    for row in table.lines().skip(1) {
        let fields: Vec<&str> = row.split(',').collect();
        let [name, arguments, letters] = fields[..] else { panic!("three fields: {row}") };
        let all = combinations(arguments.parse().expect("a number"));
        assert_eq!(all.len(), letters.len(), "{row}");
        let rows = || all.iter().map(String::as_str).zip(letters.chars());
        if OTHERWISE.contains(&name) {
            continue;
        }
        let (taken, results): (Vec<&str>, Vec<char>) = rows().filter(|(_, l)| *l != '.').unzip();
        let mut case = String::new();
        let expected: Vec<String> = results.iter().map(|l| u32::from(*l).to_string()).collect();
        let _ = writeln!(case, "//@ buffer out i8 {} zero", taken.len());
        let _ = writeln!(case, "//@ buffer one i64 1 fill 1");
        let pointers = ", one".repeat(TYPES.len());
        let _ = writeln!(case, "//@ run letters <<<1, 1>>> (out{pointers})");
        let _ = writeln!(case, "//@ expect out {}\n{}", expected.join(" "), kernel(name, &taken));
        let case = Case::parse_as(name, &case, false).expect("a case");
        count += taken.len();
        match case.compile() {
            Err(e) => wrong.push(format!("{name}: {e}")),
            Ok(program) => match execute(&case, &program, &options(1)) {
                Err(stop) => wrong.push(format!("{name}: {stop}")),
                Ok(outcome) => wrong
                    .extend(wrong_results(&case, &outcome).iter().map(|w| format!("{name} {w}"))),
            },
        }
        // What nvcc refuses is refused; of many arguments some.
        let refused = rows().filter(|(_, l)| *l == '.').map(|(types, _)| types);
        for types in refused.step_by(if matches!(name, "max" | "min") { 1 } else { 7 }) {
            count += 1;
            let text = kernel(name, &[types]);
            if name != "__hadd" && Program::compile(&text, &CompileOptions::default()).is_ok() {
                wrong.push(format!("{} is refused by nvcc", call(name, types)));
            }
        }
    }
    assert!(count > 8000 && wrong.is_empty(), "{count} calls\n{}", wrong.join("\n"));
}

#[test]
fn an_ambiguous_call_says_what_to_write() {
    for (params, value, help) in [
        ("long long n", "max(0, n)", "convert one of them to the type of the other"),
        ("size_t n, int m", "min(m, n)", "convert one of them to the type of the other"),
        ("__half h", "sqrt(h)", "write `hsqrt`, or convert to `float`"),
        ("__half h", "max(h, h)", "write `__hmax`, or convert to `float`"),
        ("__half h", "abs(h)", "write `__habs`, or convert to `float`"),
        ("__half h", "erf(h)", "convert to `float`"),
        ("int n", "sinpi(n)", "convert it to `double`, or write `sinpif`"),
        ("__half h", "h * 2.0f", "convert one of them: `__half2float`, `__float2half`"),
        ("__half h, int n", "n < h", "convert one of them: `__half2float`, `__float2half`"),
        ("__half h, float f", "f += h", "convert one of them: `__half2float`, `__float2half`"),
        ("__half h", "h < 0 ? 1 : 2", "convert one of them: `__half2float`, `__float2half`"),
        ("__half h, float f", "f > 0 ? h : f", "convert one of them"),
        ("bf16 b", "b - 1", "convert one of them: `__bfloat162float`, `__float2bfloat16`"),
    ] {
        let text = format!(
            "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\ntypedef __nv_bfloat16 bf16;\n\
             __global__ void k(float *a, {params}) {{ a[0] = {value}; }}"
        );
        let said = Program::compile(&text, &CompileOptions::default()).expect_err("refused");
        let said = said.to_string();
        assert!(said.contains("is ambiguous") && said.contains(&format!("help: {help}")), "{said}");
    }
}
