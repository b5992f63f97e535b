//! The tables together: their order, and what tests and documents make of them.

use std::fmt::Write;

use super::function::{
    Call, CudaRule, Effect, Function, OpenClRule, Over, Signature, Slot, Variant,
};
use super::types::Plain;
use super::{common, cuda, opencl};
use crate::language::Language;

/// Functions that one subject has in common.
pub(super) struct Group {
    title: &'static str,
    /// `None`: both.
    pub(super) language: Option<Language>,
    pub(super) functions: &'static [Function],
}

const fn group(
    language: Option<Language>,
    title: &'static str,
    functions: &'static [Function],
) -> Group {
    Group { title, language, functions }
}

const BOTH: Option<Language> = None;
const CUDA: Option<Language> = Some(Language::CudaC);
const OPENCL: Option<Language> = Some(Language::OpenClC);

pub(super) const GROUPS: &[Group] = &[
    group(BOTH, "Mathematics", common::MATHEMATICS),
    group(CUDA, "More mathematics", cuda::MATHEMATICS),
    group(CUDA, "Integers and bits", cuda::INTEGERS),
    group(CUDA, "Conversions", cuda::CONVERSIONS),
    group(CUDA, "Half precision", cuda::HALVES),
    group(CUDA, "The block", cuda::BLOCK),
    group(CUDA, "The warp", cuda::WARP),
    group(CUDA, "Atomics", cuda::ATOMICS),
    group(CUDA, "Loads and stores with hints", cuda::CACHE),
    group(CUDA, "Others", cuda::OTHERS),
    group(CUDA, "Refused", cuda::GONE),
    group(OPENCL, "More mathematics", opencl::MATHEMATICS),
    group(OPENCL, "Integers and numbers", opencl::INTEGERS),
    group(OPENCL, "Geometry", opencl::GEOMETRY),
    group(OPENCL, "Relations", opencl::RELATIONS),
    group(OPENCL, "Vectors and conversions", opencl::VECTORS),
    group(OPENCL, "Vectors in memory", opencl::MEMORY),
    group(OPENCL, "Work-items", opencl::WORK_ITEMS),
    group(OPENCL, "The work-group", opencl::GROUP),
    group(OPENCL, "Atomics", opencl::ATOMICS),
    group(OPENCL, "Others", opencl::OTHERS),
];

/// A function of CUDA C from numbers to a number, without other effects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// Name.
    pub name: String,
    /// Result.
    pub result: Plain,
    /// Arguments.
    pub params: Vec<Plain>,
}

/// All such functions, those of any floating type for `double`.
pub fn scalars() -> Vec<Scalar> {
    let groups = GROUPS.iter().filter(|g| g.language != OPENCL);
    let functions = groups.flat_map(|g| g.functions).filter(|f| f.effect == Effect::None);
    functions.flat_map(scalars_of).collect()
}

fn scalars_of(function: &Function) -> Vec<Scalar> {
    let Call::Of(signature, _) = function.call else { return Vec::new() };
    let of = |(name, variant)| {
        let plain = |slot: Slot| match slot {
            Slot::Is(Plain::Void) | Slot::To(_) | Slot::ToAny | Slot::Unsigned => None,
            Slot::Is(plain) => Some(plain),
            Slot::Any(_) if variant == Variant::Single => Some(Plain::Float),
            Slot::Any(_) => Some(Plain::Double),
            Slot::Truth => Some(Plain::Bool),
        };
        let params = signature.params.iter().map(|s| plain(*s)).collect::<Option<Vec<_>>>()?;
        (!params.is_empty()).then_some(())?;
        Some(Scalar { name, result: plain(signature.result)?, params })
    };
    function.names(false).into_iter().filter_map(of).collect()
}

/// The page that lists all functions, `docs/language/functions.md`.
pub fn page() -> String {
    let mut out = String::from(HEAD);
    let parts: [(Option<Language>, &str); 3] =
        [(BOTH, IN_BOTH), (CUDA, IN_CUDA), (OPENCL, IN_OPENCL)];
    for (language, head) in parts {
        out += head;
        for group in GROUPS.iter().filter(|g| g.language == language) {
            let lines: Vec<String> = group.functions.iter().map(|f| line(f, language)).collect();
            let _ = write!(out, "\n### {}\n\n```text\n{}\n```\n", group.title, lines.join("\n"));
        }
    }
    out
}

const HEAD: &str = "# Functions

All functions that the [kernel language](../kernel-language.md) has without a header, made from the
tables of the compiler (`BLESS=1 cargo test -p simt --test engine functions_page` writes this page).
Behind `//` stand further names of a function.

`F` is a floating-point type, `I` an integer type, `W` one of 32 bits, `N` a number of any type, `T`
any type. A letter means the same type wherever it stands in a line.
";

const IN_BOTH: &str = "
## CUDA C and OpenCL C

In CUDA C `F` is the widest type of the arguments, and integers become `double`; with `f` behind the
name it is `float`. In OpenCL C all arguments have one type, or a vector of it. Forms with `native_`
and `half_` are exact here.
";

const IN_CUDA: &str = "\n## CUDA C\n";

const IN_OPENCL: &str = "
## OpenCL C

`n` is a number of components: 2, 3, 4, 8 or 16.
";

/// A function's declaration, and its other names.
fn line(function: &Function, language: Option<Language>) -> String {
    let mut names = function.names(language == OPENCL);
    if language == BOTH {
        names.extend(function.names(true).into_iter().skip(1));
    }
    let (first, more) = names.split_first().map_or(("", &[][..]), |(f, m)| (f.0.as_str(), m));
    let declared = match function.call {
        Call::Of(signature, _) => declaration(first, signature),
        Call::Cuda(rule) => filled(cuda_rule(rule), first),
        Call::OpenCl(rule) => filled(opencl_rule(rule), first),
        Call::Gone(_) => first.to_string(),
    };
    let more: Vec<&str> = more.iter().map(|(name, _)| name.as_str()).collect();
    if more.is_empty() { declared } else { format!("{declared} // {}", more.join(", ")) }
}

fn declaration(name: &str, signature: Signature) -> String {
    let letter = |over| match over {
        Over::Floats => "F",
        Over::Integers => "I",
        Over::Words => "W",
        Over::Numbers => "N",
    };
    let any = signature.over().map_or("", letter);
    let slot = |slot: &Slot| match slot {
        Slot::Is(plain) => plain.name().to_string(),
        Slot::To(plain) => format!("{} *", plain.name()),
        Slot::Any(_) => any.to_string(),
        Slot::ToAny => format!("{any} *"),
        Slot::Unsigned => format!("unsigned {any}"),
        Slot::Truth => "bool".to_string(),
    };
    let params: Vec<String> = signature.params.iter().map(slot).collect();
    format!("{} {name}({})", slot(&signature.result), params.join(", "))
}

/// The name in a declaration without it.
fn filled(text: &str, name: &str) -> String {
    let (result, rest) = text.split_once('(').unwrap_or((text, ")"));
    format!("{result} {name}({rest}")
}

fn cuda_rule(rule: CudaRule) -> &'static str {
    match rule {
        CudaRule::Smaller | CudaRule::Larger => "N(N, N)",
        CudaRule::Abs => "N(N)",
        CudaRule::SinCos { .. } => "void(F x, F *sine, F *cosine)",
        CudaRule::Atomic(_) => "T(T *address, T value)",
        CudaRule::AtomicCas => "T(T *address, T compare, T value)",
        CudaRule::Shuffle(_) => "T(unsigned mask, T value, int lane, int width = 32)",
        CudaRule::MatchAny => "unsigned(unsigned mask, T value)",
        CudaRule::WarpReduce(_) => "I(unsigned mask, I value)",
        CudaRule::Load => "T(const T *address)",
        CudaRule::Store => "void(T *address, T value)",
        CudaRule::Printf => "int(const char *format, ...)",
        CudaRule::Assert => "void(bool)",
    }
}

fn opencl_rule(rule: OpenClRule) -> &'static str {
    match rule {
        OpenClRule::WorkItem(_) => "size_t(uint dimension)",
        OpenClRule::Barrier | OpenClRule::Fence => "void(cl_mem_fence_flags)",
        OpenClRule::Atomic(_) => "T(T *, T)",
        OpenClRule::Step(_) => "T(T *)",
        OpenClRule::CompareExchange => "T(T *, T compare, T)",
        OpenClRule::LoadStore => "...(...)",
        OpenClRule::GroupCopy => "event_t(T *to, const T *from, size_t, ..., event_t)",
        OpenClRule::WaitForCopies => "void(int, event_t *)",
        OpenClRule::Prefetch => "void(const T *, size_t)",
        OpenClRule::Dot | OpenClRule::Distance => "F(Fn, Fn)",
        OpenClRule::Cross => "F4(F4, F4)",
        OpenClRule::Length => "F(Fn)",
        OpenClRule::Normalize => "Fn(Fn)",
        OpenClRule::Any | OpenClRule::All => "int(In)",
        OpenClRule::Select => "T(T, T, I)",
        OpenClRule::BitSelect => "T(T, T, T)",
        OpenClRule::Upsample => "I(I high, unsigned I low)",
        OpenClRule::Shuffle => "Tn(Tm, unsigned In)",
        OpenClRule::Shuffle2 => "Tn(Tm, Tm, unsigned In)",
        OpenClRule::Nan => "F(unsigned I)",
        OpenClRule::Convert | OpenClRule::Reinterpret => "Tn(Un)",
        OpenClRule::VecStep => "int(T)",
        OpenClRule::Printf => "int(constant char *format, ...)",
    }
}
