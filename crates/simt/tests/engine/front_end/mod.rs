//! The front end on whole sources: what compiles, what is refused, and with which words.

use proptest::prelude::*;
use simt::compile::{CompileOptions, expression_in_scope, front_end, preprocess, tokens};
use simt::hir::{Expr, ExprKind, FuncId, Stmt, StmtKind, Ty};
use simt::source::Span;

mod host;
mod refused;
mod unsupported;

fn options() -> CompileOptions {
    CompileOptions { file: "t.cu".into(), ..CompileOptions::default() }
}

/// Messages of a source, as printed; empty if it compiles without warnings.
fn messages(text: &str) -> String {
    match front_end(text, &options()) {
        Ok((module, warnings)) => warnings.iter().map(|d| d.render(&module.sources)).collect(),
        Err(e) => e.to_string(),
    }
}

/// Sources that must compile without a word.
const GOOD: &[(&str, &str)] = &[
    (
        "vector add",
        r#"extern "C" __global__ void add(float *c, const float *a, const float *b, int n) {
            int i = blockIdx.x * blockDim.x + threadIdx.x;
            if (i < n) c[i] = a[i] + b[i];
        }"#,
    ),
    (
        "idioms of newer code",
        r#"#include <cstdint>
        template <typename T> __device__ T clamped(T x, T low = T(0), T high = T(1)) {
            return x < low ? low : x > high ? high : x;
        }
        struct Lock {
            int *flag;
            friend struct Holder;
            __device__ ~Lock() {}
            __device__ void take() { while (atomicCAS(flag, 0, 1) != 0); }
        };
        __global__ void k(float *a, int *flag) {
            Lock lock = {flag};
            lock.take();
            a[0] = clamped(a[1]) + clamped(a[2], -1.0f) + (INT64_C(1) << 40) + UINT32_C(7);
        }"#,
    ),
    (
        "tiled matmul",
        r#"#include <cuda_runtime.h>
        #define TILE 16
        __global__ void matmul(const float *A, const float *B, float *C, int n) {
            __shared__ float As[TILE][TILE];
            __shared__ float Bs[TILE][TILE];
            int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
            float sum = 0.0f;
            for (int t = 0; t < (n + TILE - 1) / TILE; ++t) {
                As[threadIdx.y][threadIdx.x] = A[row * n + t * TILE + threadIdx.x];
                Bs[threadIdx.y][threadIdx.x] = B[(t * TILE + threadIdx.y) * n + col];
                __syncthreads();
        #pragma unroll
                for (int k = 0; k < TILE; k++) sum += As[threadIdx.y][k] * Bs[k][threadIdx.x];
                __syncthreads();
            }
            C[row * n + col] = sum;
        }
        int main() {
            float *d;
            cudaMalloc(&d, 4);
            matmul<<<1, 2>>>(d, d, d, 3);
            std::cout << "x";
            return 0;
        }"#,
    ),
    (
        "julia with a class",
        r#"struct cuComplex {
            float r, i;
            __device__ cuComplex(float a, float b) : r(a), i(b) {}
            __device__ float magnitude2(void) { return r * r + i * i; }
            __device__ cuComplex operator*(const cuComplex &a) {
                return cuComplex(r * a.r - i * a.i, i * a.r + r * a.i);
            }
            __device__ cuComplex operator+(const cuComplex &a) {
                return cuComplex(r + a.r, i + a.i);
            }
        };
        __device__ int julia(int x, int y, float scale) {
            float jx = scale * (float)(500 - x) / 500;
            cuComplex c(-0.8, 0.156);
            cuComplex a(jx, jx);
            for (int i = 0; i < 200; i++) { a = a * a + c; if (a.magnitude2() > 1000) return 0; }
            return 1;
        }
        __global__ void kernel(unsigned char *ptr) {
            int x = blockIdx.x, y = blockIdx.y, offset = x + y * gridDim.x;
            int v = julia(x, y, 1.5f);
            ptr[offset * 4 + 0] = 255 * v;
            uchar4 p = make_uchar4(1, 2, 3, 255);
            *(uchar4 *)(ptr + offset * 4) = p;
        }"#,
    ),
    (
        "templates",
        r#"template <typename T, int N> struct Vec {
            T v[N];
            __device__ T &operator[](int i) { return v[i]; }
        };
        template <typename T> __device__ T twice(T x) { return x + x; }
        template <unsigned int blockSize>
        __global__ void reduce(const float *in, float *out, unsigned n) {
            extern __shared__ float s[];
            unsigned tid = threadIdx.x, i = blockIdx.x * blockSize + tid;
            s[tid] = i < n ? in[i] : 0.f;
            __syncthreads();
            if (blockSize >= 512) { if (tid < 256) s[tid] += s[tid + 256]; __syncthreads(); }
            float v = s[tid];
            for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
            Vec<float, 3> q; q[0] = twice(v); q[1] = twice<float>(1);
            if (tid == 0) out[blockIdx.x] = q[0] + max(1, 2);
        }
        template __global__ void reduce<256>(const float *, float *, unsigned);"#,
    ),
    (
        "printf, clock, atomics, lambda",
        r#"#include <stdio.h>
        __constant__ float coef[3] = {1.f, 2.f, 3.f};
        __device__ int counter;
        extern "C" __global__ void k(int *a, unsigned *dur, int n) {
            unsigned t = (unsigned)clock();
            auto f = [=](int i) { return a[i] + n; };
            printf("Block(%u,%u,%u), clk=%u: %d %f\n", blockIdx.x, blockIdx.y, blockIdx.z, t, f(3),
                   coef[threadIdx.x % 3]);
            atomicAdd(&counter, 1);
            dur[0] = clock() - t;
            switch (n) { case 1: case 2: a[0] = 1; break; default: a[0] = 2; }
        }"#,
    ),
];

/// One source with every construct of the language.
const EVERYTHING: &str = include_str!("everything.cu");

/// `#line`: what generated sources say of where their lines are from, in refusals and in faults.
#[test]
fn messages_name_the_file_and_line_of_a_line_directive() {
    let refused =
        messages("#line 40 \"gen/a.template\"\n__global__ void k(int *a) {\n  a[0] = b;\n}");
    assert!(refused.contains("gen/a.template:41:10"), "{refused}");
    assert!(refused.contains("41 |   a[0] = b;"), "{refused}");

    let cuda = "#line 7 \"k.in\"\n__global__ void k(int *a) {\n  a[1] = 2;\n}";
    let opencl = cuda.replace("__global__", "__kernel").replace("int *a", "__global int *a");
    for (file, text) in [("k.cu", cuda), ("k.cl", &opencl)] {
        let options = CompileOptions {
            file: file.into(),
            language: simt::compile::Language::of_file(file),
            ..CompileOptions::default()
        };
        let program = simt::Program::compile(text, &options).unwrap_or_else(|e| panic!("{e}"));
        let memory = simt::Memory::new(1 << 20);
        let a = memory.alloc(4, "a").unwrap();
        let instance = simt::Instance::load(&program, &memory).unwrap();
        let args = vec![a.to_le_bytes().to_vec()];
        let launch = simt::Launch { grid: [1; 3], block: [1; 3], args, ..simt::Launch::default() };
        let device = simt::device::model("h200").unwrap();
        let options = simt::ExecOptions::default();
        let symbol = &program.kernels()[0].symbol;
        let fault =
            simt::launch(device, &memory, &instance, symbol, &launch, &options).unwrap_err();
        let site = fault.site.as_ref().unwrap();
        assert_eq!(
            (site.at.to_string(), site.line_text.as_str()),
            ("k.in:8:3".into(), "  a[1] = 2;")
        );
        assert!(fault.render().contains("8 |   a[1] = 2;"), "{}", fault.render());
    }
}

#[test]
fn good_sources_compile_without_a_word() {
    for (name, text) in GOOD {
        assert_eq!(messages(text), "", "{name}");
    }
    assert_eq!(messages(EVERYTHING), "");
}

#[test]
fn what_is_not_supported_is_refused_by_name() {
    for instruction in refused::PTX {
        let text = format!("__global__ void k(int *a) {{ asm(\"{instruction}\" : \"+r\"(*a)); }}");
        let name = instruction.split(' ').next().unwrap_or_default();
        let said = messages(&text);
        let want = format!("error: the PTX instruction `{name}` is not supported\n");
        assert!(said.starts_with(&want), "{instruction}\n{said}");
    }
    for (text, want) in refused::REFUSED {
        let got = messages(text);
        let mut heads =
            got.lines().filter(|l| l.starts_with("error: ") || l.starts_with("warning: "));
        assert_eq!(heads.next(), Some(*want), "{text}\n{got}");
    }
}

#[test]
fn one_mistake_gives_one_message() {
    for text in refused::SINGLE {
        let got = messages(text);
        let heads = got.lines().filter(|l| l.starts_with("error: ")).count();
        assert_eq!(heads, 1, "{text}\n{got}");
    }
}

#[test]
fn several_mistakes_are_reported_in_one_go() {
    let text = "__global__ void k(int *a) {\n    a[0] = x;\n    int i = 1\n    a[i] = y;\n    \
                b();\n}\n__global__ void l(flaot *a) {}\n";
    let got = messages(text);
    let lines: Vec<&str> = got.lines().filter(|l| l.starts_with(" --> ")).collect();
    assert_eq!(
        lines,
        [" --> t.cu:2:12", " --> t.cu:3:14", " --> t.cu:4:12", " --> t.cu:5:5", " --> t.cu:7:19"]
    );
}

#[test]
fn messages_are_printed_exactly_so() {
    for (text, want) in refused::GOLDEN {
        assert_eq!(messages(text), *want, "{text}");
    }
}

#[test]
fn more_than_twenty_errors_are_cut_off() {
    let mut text = String::from("__global__ void k(int *a) {\n");
    for i in 0..100 {
        text += &format!("a[{i}] = x{i};\n");
    }
    text += "}\n";
    let error = front_end(&text, &options()).unwrap_err();
    assert_eq!(error.diagnostics.len(), 20);
}

/// Symbols of the kernels of a source.
fn symbols(text: &str) -> Vec<String> {
    let (module, _) = front_end(text, &options()).unwrap_or_else(|e| panic!("{e}"));
    module.functions.iter().filter_map(|f| f.kernel.as_ref().map(|k| k.symbol.clone())).collect()
}

/// The names that g++ gives to the same declarations.
#[test]
fn symbols_are_those_of_the_itanium_abi() {
    let head = "struct P { float x; }; namespace geo { struct V {}; \
                template <class T> struct W {}; } enum E { X };\n";
    for (text, want) in [
        ("__global__ void k0() {}", "_Z2k0v"),
        ("extern \"C\" __global__ void k(float *a) {}", "k"),
        ("extern \"C\" { __global__ void k(float *a) {} }", "k"),
        (
            "__global__ void k1(float *a, const float *b, const float *__restrict__ c, int n) {}",
            "_Z2k1PfPKfS1_i",
        ),
        (
            "__global__ void k2(P p, P *q, const P *r, geo::V v, geo::W<float> w, geo::V *z) {}",
            "_Z2k21PPS_PKS_N3geo1VENS3_1WIfEEPS4_",
        ),
        (
            "__global__ void k3(unsigned char *a, unsigned char *b, long long c, unsigned long d, \
             bool e, double f, const double *const g, short s, E x) {}",
            "_Z2k3PhS_xmbdPKds1E",
        ),
        (
            "template <class T> __global__ void t1(T *a, const T *b, int n) {} \
             template __global__ void t1<float>(float *, const float *, int);",
            "_Z2t1IfEvPT_PKS0_i",
        ),
        (
            "template <int N> __global__ void t2(float *a) {} \
             template __global__ void t2<256>(float *);",
            "_Z2t2ILi256EEvPf",
        ),
        (
            "template <int N> __global__ void t2(float *a) {} \
             template __global__ void t2<-1>(float *);",
            "_Z2t2ILin1EEvPf",
        ),
        (
            "template <class T, unsigned N, bool B> __global__ void t3(T a, T *b, T **c) {} \
             template __global__ void t3<int, 3u, true>(int, int *, int **);",
            "_Z2t3IiLj3ELb1EEvT_PS0_PS1_",
        ),
        ("namespace ns { __global__ void k4(float *a, geo::V b) {} }", "_ZN2ns2k4EPfN3geo1VE"),
    ] {
        assert_eq!(symbols(&format!("{head}{text}")), [want], "{text}");
    }
}

/// The value that a kernel `__global__ void k(T *a, ...) { a[0] = E; }` stores, without its
/// conversion to T.
fn stored(ty: &str, e: &str) -> Expr {
    let text = format!(
        "__device__ constexpr int cube(int n) {{ int r = 1; for (int i = 0; i < 3; i++) r *= n; \
         return r; }}\n__global__ void k({ty} \
         *a, int i, unsigned u, long l, float f, double d, unsigned char c, short s, bool b) {{ \
         a[0] = {e}; }}"
    );
    let (module, _) = front_end(&text, &options()).unwrap_or_else(|e| panic!("{e}"));
    let body = &module.functions.iter().find(|f| f.kernel.is_some()).unwrap().body;
    let [Stmt { kind: StmtKind::Expr(Expr { kind: ExprKind::Assign(_, v), .. }), .. }] = &body[..]
    else {
        panic!("{body:?}")
    };
    (**v).clone()
}

#[test]
fn operands_meet_in_the_type_that_c_says() {
    for (e, ty) in [
        ("i + u", Ty::U32),
        ("i + l", Ty::I64),
        ("u + l", Ty::I64),
        ("c + c", Ty::I32),
        ("s << 1u", Ty::I32),
        ("u >> l", Ty::U32),
        ("i + f", Ty::F32),
        ("f * 2.0", Ty::F64),
        ("f * 2.0f", Ty::F32),
        ("f + i * 1.0", Ty::F64),
        ("b + b", Ty::I32),
        ("i < u", Ty::Bool),
        ("-c", Ty::I32),
        ("~u", Ty::U32),
        ("b ? i : f", Ty::F32),
        ("sizeof(i) * i", Ty::U64),
        ("'a' + 1", Ty::I32),
        ("1 << 3", Ty::I32),
        ("0x80000000", Ty::U32),
        ("2147483648", Ty::I64),
        ("1ull", Ty::U64),
        ("sqrt(f)", Ty::F32),
        ("sqrt(i)", Ty::F64),
        ("sqrtf(d)", Ty::F32),
        ("pow(f, d)", Ty::F64),
        ("max(i, u)", Ty::U32),
        ("abs(i)", Ty::I32),
        ("threadIdx.x + i", Ty::U32),
        ("l + 1u", Ty::I64),
    ] {
        let auto = format!(
            "__global__ void k(double *a, int i, unsigned u, long l, float f, double d, \
             unsigned char c, short s, bool b) {{ auto x = {e}; a[0] = x; }}"
        );
        let (module, _) = front_end(&auto, &options()).unwrap_or_else(|m| panic!("{m}"));
        let x = module.functions[0].locals.iter().find(|l| l.name == "x").unwrap();
        assert_eq!(x.ty, ty, "{e}");
    }
}

#[test]
fn constants_are_folded_where_c_wants_constants() {
    for (e, want) in [
        ("4 * 4", 16),
        ("sizeof(float4)", 16),
        ("(7 + 31) / 32 * 32", 32),
        ("cube(2) + 1", 9),
        ("1 ? 3 : 1 / 0", 3),
        ("(int)3.9f", 3),
        ("'A'", 65),
        ("-7 / 2 + 10", 7),
        ("-7 % 4 + 10", 7),
        ("~0u >> 28", 15),
        ("1 << 4 | 1", 17),
        ("(unsigned char)300", 44),
        ("3 > 2 && 2 > 1", 1),
    ] {
        let text = format!(
            "constexpr int cube(int n) {{ int r = 1; for (int i = 0; i < 3; i++) r *= n; \
             return r; }}\n__global__ void k(int *a) {{ __shared__ int s[{e}]; a[0] = s[0]; }}"
        );
        let (module, _) = front_end(&text, &options()).unwrap_or_else(|m| panic!("{e}: {m}"));
        let k = module.functions.iter().find(|f| f.kernel.is_some()).unwrap();
        let s = k.locals.iter().find(|l| l.name == "s").unwrap();
        assert_eq!(s.ty, Ty::Array(Box::new(Ty::I32), want), "{e}");
    }
    assert!(matches!(stored("int", "3").kind, ExprKind::Int(3)));
}

#[test]
fn globals_get_their_bytes() {
    let text = "struct S { char c; float f; short s[2]; };\n\
                __constant__ S table[2] = {{1, 2.0f, {3, 4}}, {5}};\n\
                __device__ int n = -2, m; static __device__ double d = 1 / 4.0;\n\
                __global__ void k(int *a) { a[0] = n + m + table[1].c + (int)d; }";
    let (module, _) = front_end(text, &options()).unwrap_or_else(|m| panic!("{m}"));
    let find = |name: &str| module.globals.iter().find(|g| g.name == name).unwrap();
    let mut want = vec![1, 0, 0, 0];
    want.extend(2.0f32.to_le_bytes());
    want.extend([3, 0, 4, 0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(find("table").init.as_deref(), Some(&want[..]));
    assert_eq!(find("n").init.as_deref(), Some(&(-2i32).to_le_bytes()[..]));
    assert_eq!(find("m").init, None);
    assert_eq!(find("d").init.as_deref(), Some(&0.25f64.to_le_bytes()[..]));
    assert!(find("d").is_static && !find("n").is_static);
}

#[test]
fn only_what_a_kernel_reaches_is_kept() {
    let text = "__device__ int used() { return 1; } __device__ int unused() { return unused(); }\n\
                __global__ void k(int *a) { a[0] = used(); }";
    let (module, _) = front_end(text, &options()).unwrap_or_else(|m| panic!("{m}"));
    let names: Vec<&str> = module.functions.iter().map(|f| &*f.name).collect();
    assert_eq!(names, ["used", "k"]);
}

#[test]
fn locals_are_in_memory_only_if_they_must_be() {
    let text = "__device__ void set(int &x) { x = 1; }\n\
                __global__ void k(int *a, int n) { int plain = n, taken = n, byref = n; \
                int fixed[2] = {1, 2}, moving[2] = {1, 2}; int *p = &taken; set(byref); \
                a[0] = plain + *p + fixed[1] + moving[n] + byref + sizeof(moving[n]); }";
    let (module, _) = front_end(text, &options()).unwrap_or_else(|m| panic!("{m}"));
    let k = module.functions.iter().find(|f| f.kernel.is_some()).unwrap();
    for (name, want) in [
        ("plain", false),
        ("taken", true),
        ("byref", true),
        ("fixed", false),
        ("moving", true),
        ("p", false),
    ] {
        assert_eq!(k.locals.iter().find(|l| l.name == name).unwrap().needs_memory, want, "{name}");
    }
}

#[test]
fn stages_as_text() {
    let text = "#define N 4\nint a[N]; // c\n";
    assert_eq!(preprocess(text, &options()).unwrap(), "int a[4];\n");
    let list = tokens(text, &options()).unwrap();
    assert_eq!(list[0], "t.cu:2:1 word int");
    assert_eq!(list[3], "t.cu:2:7 number 4");
    assert!(preprocess("#if", &options()).is_err());
}

#[test]
fn the_debugger_sees_the_names_in_scope() {
    let text = "struct P { float x, y; };\n__constant__ float c[3];\n\
                __global__ void k(float *a, int n, P p) {\n    int i = threadIdx.x;\n    if (i < \
                n) {\n        float v = a[i];\n        a[i] = v;\n    }\n    a[0] = 1;\n}\n";
    let (module, _) = front_end(text, &options()).unwrap_or_else(|m| panic!("{m}"));
    let f = FuncId(0);
    let file = module.functions[0].span.file;
    let at = |needle: &str| {
        let lo = text.find(needle).unwrap() as u32;
        Span { file, lo, hi: lo + 1 }
    };
    let inside = at("a[i] = v");
    for (e, ty) in [
        ("i + 1", Ty::I32),
        ("a[i] * 2", Ty::F32),
        ("v", Ty::F32),
        ("p.x + c[1]", Ty::F32),
        ("threadIdx.x == 3 && i < n", Ty::Bool),
        ("&a[i]", Ty::F32.ptr()),
        ("sqrtf(v)", Ty::F32),
        ("(int)v", Ty::I32),
    ] {
        assert_eq!(
            expression_in_scope(e, &module, f, inside).unwrap_or_else(|m| panic!("{e}: {m}")).ty,
            ty,
            "{e}"
        );
    }
    for (e, want) in [
        ("w", "error: `w` is not declared"),
        ("i = 3", "error: an expression here must not change anything"),
        ("i++", "error: an expression here must not change anything"),
        ("__syncthreads()", "error: `__syncthreads` has an effect and cannot be called here"),
        ("i +", "error: expected an expression, found the end of the file"),
        ("i j", "error: this does not belong to the expression"),
    ] {
        let got = expression_in_scope(e, &module, f, inside).unwrap_err().to_string();
        assert_eq!(got.lines().next(), Some(want), "{e}");
    }
    assert!(expression_in_scope("v", &module, f, at("a[0] = 1")).is_err());
}

#[test]
fn hostile_sources_end_with_a_message() {
    let deep = |open: &str, close: &str, n: usize| {
        format!("__global__ void k(int *a) {{ a[0] = {}1{}; }}", open.repeat(n), close.repeat(n))
    };
    let mut sources = vec![
        deep("(", ")", 100_000),
        deep("-", "", 100_000),
        deep("a[", "]", 100_000),
        deep("1+", "", 100_000),
        deep("1?1:", "", 100_000),
        deep("(int)", "", 100_000),
        deep("f(", ")", 100_000),
        deep("[=]{return ", ";}()", 10_000),
        format!("__global__ void k() {{ {} }}", "{".repeat(100_000)),
        format!("__global__ void k() {{ {} ; }}", "if(1)".repeat(100_000)),
        format!("__global__ void k() {{ int {} a; }}", "*".repeat(100_000)),
        format!("__global__ void k() {{ int a{}; }}", "[2]".repeat(100)),
        "struct S {".repeat(50_000),
        "namespace n {".repeat(50_000),
        "template <int N> struct F { static const int v = F<N - 1>::v; }; \
         __global__ void k(int *a) { a[0] = F<1000000>::v; }"
            .into(),
        "template <int N> __device__ int f() { return f<N + 1>(); } \
         __global__ void k(int *a) { a[0] = f<0>(); }"
            .into(),
        "constexpr int f(int n) { while (true) n++; return n; } \
         __global__ void k(int *a) { int b[f(1)]; }"
            .into(),
        "__global__ void k(int *a) { int b[1 << 30][1 << 30][1 << 30]; }".into(),
        "__global__ void k(int *a) { int b[1000000000] = {}; }".into(),
        "__device__ int b[1000000000] = {1};".into(),
        "__device__ char b[] = \"".into(),
        "#include \"t.cu\"\n".into(),
        "#define A A A\nA".into(),
        format!("#define F(x) x x\n{}1{}\n", "F(".repeat(30), ")".repeat(30)),
        "#if 1\n".repeat(10_000),
        "template <".repeat(10_000),
        "__global__ void k(".repeat(10_000),
        "/*".into(),
        "\"".into(),
        "\u{feff}\u{0}\u{1}".into(),
    ];
    sources.push(format!("__global__ void k(int *a) {{ {} }}", "x = 1; ".repeat(20_000)));
    for text in &sources {
        let start: String = text.chars().take(60).collect();
        let result = front_end(text, &options());
        if !start.contains("A A A") && !start.starts_with("#include") && !start.contains("if(1)") {
            assert!(result.is_err(), "{start}");
        }
    }
}

/// Pieces that mutations insert.
const SPICE: &[&str] = &[
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    ",",
    "<",
    ">",
    ">>",
    "::",
    "#",
    "##",
    "template",
    "typename",
    "struct",
    "operator",
    "auto",
    "__shared__",
    "__device__",
    "__global__",
    "const",
    "int",
    "float4",
    "0",
    "1.5f",
    "\"",
    "'",
    "/*",
    "//",
    "\\\n",
    "sizeof",
    "return",
    "case",
    "default:",
    "?",
    ":",
    "*",
    "&",
    "&&",
    "=",
    "~",
    "this",
    "T",
    "...",
    "using",
    "namespace",
    "enum",
    "#define X X(",
    "#if",
    "if",
    "for(;;)",
    "[=]",
    "[&](auto x){",
    "static_cast<",
    "decltype(",
    "constexpr",
    "extern \"C\"",
    "99999999999999999999",
    "\u{17c}",
    "\0",
];

fn corpus() -> Vec<String> {
    let mut out: Vec<String> = GOOD.iter().map(|g| g.1.to_string()).collect();
    out.push(EVERYTHING.to_string());
    out.extend(refused::REFUSED.iter().map(|r| r.0.to_string()));
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, ..ProptestConfig::default() })]

    /// Whatever is done to a source, the compiler answers; its work is bounded by its own budgets.
    #[test]
    fn no_source_makes_the_compiler_panic(
        which in any::<prop::sample::Index>(),
        edits in prop::collection::vec(
            (any::<prop::sample::Index>(), 0usize..5, any::<prop::sample::Index>(), any::<u8>()),
            1..8,
        ),
    ) {
        let corpus = corpus();
        let text = &corpus[which.index(corpus.len())];
        // Tokens with the blanks before them.
        let mut parts: Vec<String> = Vec::new();
        for c in text.chars() {
            let of_word = |c: char| c.is_alphanumeric() || c == '_';
            match parts.last_mut() {
                Some(last) if of_word(c) && last.ends_with(of_word) => last.push(c),
                _ => parts.push(c.to_string()),
            }
        }
        for (at, kind, other, byte) in edits {
            if parts.is_empty() {
                break;
            }
            let i = at.index(parts.len());
            match kind {
                0 => {
                    parts.remove(i);
                }
                1 => {
                    let copy = parts[other.index(parts.len())].clone();
                    parts.insert(i, copy);
                }
                2 => parts[i] = SPICE[other.index(SPICE.len())].to_string(),
                3 => {
                    let j = other.index(parts.len());
                    parts.swap(i, j);
                }
                _ => parts[i] = char::from(byte).to_string(),
            }
        }
        let text: String = parts.concat();
        if let Err(e) = front_end(&text, &options()) {
            prop_assert!(!e.diagnostics.is_empty());
            prop_assert!(!e.to_string().is_empty());
        }
    }

    #[test]
    fn random_bytes_make_no_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let text = String::from_utf8_lossy(&bytes);
        let _ = front_end(&text, &options());
    }
}
