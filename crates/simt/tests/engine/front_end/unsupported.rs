//! What the compiler understands but does not support: an example of each, from which
//! docs/language/refused.md is made, and the list of functions, docs/language/functions.md.
//! `BLESS=1 cargo test -p simt --test engine _page` writes both anew.

use std::path::Path;

use simt::{CompileOptions, Language, Program};

/// Construct, why it is refused, and an example.
const CUDA: &[(&str, &str, &str)] = &[
    (
        "`goto` into a block",
        "lanes that part meet again where the label's block goes on",
        "__global__ void k(int *a) { goto in; { in: a[1] = 2; } }",
    ),
    ("exceptions", "no GPU has them", "__global__ void k(int *a) { throw 1; }"),
    (
        "run-time types",
        "an object knows its class by a number only",
        "struct A {}; __global__ void k(A *a) { A *b = dynamic_cast<A *>(a); }",
    ),
    (
        "copies of objects with a destructor, without a constructor that copies",
        "two objects would end what is there once",
        "struct S { int *p; __device__ ~S() { *p = 0; } }; __device__ void f(S s) {} \
         __global__ void k(int *a) { S s; s.p = a; f(s); }",
    ),
    (
        "temporary objects with a destructor",
        "destructors run at the end of a block, not of a statement",
        "struct S { int *p; __device__ S(int *q) : p(q) {} __device__ ~S() { *p = 0; } }; \
         __device__ void f(const S &s) {} __global__ void k(int *a) { f(S(a)); }",
    ),
    (
        "bit-fields in two words",
        "each access is to one integer",
        "struct S { char a; int b : 3, c : 7; }; __global__ void k(S *s) { s->c = 1; }",
    ),
    (
        "virtual base classes",
        "an object's parts lie at fixed distances",
        "struct A {}; struct B : virtual A {};",
    ),
    ("array designators", "C, not C++", "__global__ void k(int *a) { int b[2] = {[1] = 2}; }"),
    (
        "`return` out of `({ })`",
        "the value of the block is that of its last statement",
        "__global__ void k(int *a) { a[0] = ({ return; 1; }); }",
    ),
    (
        "arrays of many objects with constructors",
        "each constructor is written out",
        "struct S { int n; __device__ S() : n(1) {} }; __global__ void k() { S s[5000]; }",
    ),
    (
        "launches from kernels",
        "a launch has one kernel",
        "__global__ void c() {} __global__ void k() { c<<<1, 1>>>(); }",
    ),
    (
        "clusters of blocks",
        "blocks share no memory but the global one",
        "#include <cooperative_groups.h>\n\
         __global__ void k() { cooperative_groups::this_cluster().sync(); }",
    ),
    (
        "Thrust",
        "it is a library of the host",
        "__global__ void k(int *a) { thrust::sort(a, a + 1); }",
    ),
    (
        "other generators of cuRAND",
        "few programs have them",
        "#include <curand_kernel.h>\n__global__ void k(curandStateMtgp32 *s) {}",
    ),
    (
        "Bessel functions of the second kind",
        "few programs have them",
        "__global__ void k(float *a) { a[0] = y0f(a[0]); }",
    ),
    (
        "cube maps and gradients of textures",
        "few programs have them",
        "__global__ void k(float *a, cudaTextureObject_t t) { \
         a[0] = texCubemap<float>(t, 0.0f, 0.0f, 1.0f); }",
    ),
    (
        "barriers with a number",
        "a block has one barrier",
        "__global__ void k() { asm volatile(\"bar.sync 1, 64;\"); }",
    ),
    (
        "functions of the host",
        "they are not compiled",
        "int h(int x) { return x; } __global__ void k(int *a) { a[0] = h(1); }",
    ),
    (
        "PTX instructions without a form in C",
        "kernels are run from their source",
        "__global__ void k(int *a) { asm volatile(\"mbarrier.inval.b64 [%0];\" ::\"l\"(a)); }",
    ),
    (
        "warp functions without a mask",
        "GPUs from Volta on do not have them",
        "__global__ void k(int *a) { a[0] = __shfl_down(a[0], 1); }",
    ),
];

const OPENCL: &[(&str, &str, &str)] = &[
    (
        "images of depths",
        "one channel of a common image does it",
        "__kernel void k(__read_only image2d_depth_t a) {}",
    ),
    ("pipes", "OpenCL 3.0, optional", "__kernel void k(write_only pipe int p) {}"),
    (
        "sub-groups of another size",
        "a sub-group is a warp",
        "__attribute__((intel_reqd_sub_group_size(64))) __kernel void k() {}",
    ),
    (
        "blocks",
        "OpenCL 2.0",
        "__kernel void k(__global int *a) { int (^b)(int) = ^(int x) { return x; }; }",
    ),
    ("channels", "one vendor's FPGA compiler", "channel int c; __kernel void k() {}"),
    ("queues of the device", "OpenCL 3.0, optional", "__kernel void k(queue_t q) {}"),
    (
        "the generic address space in OpenCL C 1.2",
        "OpenCL 2.0",
        "__kernel void k(__generic int *p) {}",
    ),
    (
        "launches from kernels",
        "OpenCL 2.0",
        "__kernel void k(__global int *a) { enqueue_kernel(a); }",
    ),
    (
        "recursion",
        "OpenCL C has none",
        "int f(int n) { return n ? f(n - 1) : 0; } \
         __kernel void k(__global int *a) { a[0] = f(3); }",
    ),
    ("`goto` into a block", "as in CUDA C", "__kernel void k() { goto in; { in: ; } }"),
];

/// The first message of a source and its help.
fn said(language: Language, text: &str) -> (String, String) {
    let file = if language == Language::OpenClC { "k.cl" } else { "k.cu" };
    let options = CompileOptions { file: file.into(), language, ..CompileOptions::default() };
    let refusal = Program::compile(text, &options).err().unwrap_or_else(|| panic!("{text}"));
    let first = refusal.diagnostics.iter().find(|d| d.severity == simt::diag::Severity::Error);
    let first = first.expect("an error");
    let help = first.help.clone().unwrap_or_default();
    // What is not supported is known by its kind; here its words are compared with that.
    let named = first.message.contains("not supported");
    assert_eq!(help.ends_with(PAGE), named, "{text}: {}: {help}", first.message);
    (first.message.clone(), help)
}

/// What the help for a construct ends with that is not supported.
const PAGE: &str = "all that is refused: docs/language/refused.md";

fn page() -> String {
    let mut out = String::from(
        "# What kernels cannot have\n\n\
         Constructs that the compiler knows and refuses, with the message, the reason, and what \
         to\n\
         write instead. The page is made from the compiler's own messages, by\n\
         `BLESS=1 cargo test -p simt --test engine refused_page`.\n",
    );
    for (title, language, table) in
        [("CUDA C", Language::CudaC, CUDA), ("OpenCL C", Language::OpenClC, OPENCL)]
    {
        out += &format!(
            "\n## {title}\n\n| construct | message | why | instead |\n|---|---|---|---|\n"
        );
        for (name, why, example) in table {
            let (message, help) = said(language, example);
            assert!(!help.is_empty(), "{name}: no word of what to write instead: {message}");
            let help = help.replace(&format!("; {PAGE}"), "");
            let cell = |text: &str| text.replace('|', "\\|").replace('\n', " ");
            out += &format!("| {name} | {} | {why} | {} |\n", cell(&message), cell(&help));
        }
    }
    out
}

#[test]
fn the_refused_page_is_what_the_compiler_says() {
    is_or_becomes("docs/language/refused.md", &page());
}

/// Compares a page with what it is made from; writes it if that was asked for.
fn is_or_becomes(file: &str, page: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(file);
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, page).expect("the page can be written");
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(there, page, "{file}: run it with BLESS=1");
}

#[test]
fn the_functions_page_is_what_the_tables_say() {
    is_or_becomes("docs/language/functions.md", &simt::builtins::page());
}

/// Every text of the compiler that says that something is not supported is on the page.
#[test]
fn the_refused_page_is_complete() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../compiler/src");
    let page = page();
    let mut missing = Vec::new();
    let mut folders = vec![root];
    while let Some(folder) = folders.pop() {
        for file in std::fs::read_dir(folder).expect("the compiler's sources") {
            let path = file.expect("an entry").path();
            let Ok(text) = std::fs::read_to_string(&path) else {
                folders.push(path);
                continue;
            };
            for part in text.split('"').skip(1).step_by(2) {
                // The beginning of the message, up to what is filled in.
                let Some(at) = part.find(" not supported") else { continue };
                let words = part[..at].rsplit(['{', '}', '`', ',']).next().unwrap_or("").trim();
                if !page.contains(&format!("{words} not supported")) {
                    missing.push(format!("{}: {part}", path.display()));
                }
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}
