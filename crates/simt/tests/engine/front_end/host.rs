//! Whole programs: what is for the host is read past, and said so only where the device needs it.

use super::messages;

const KERNEL: &str = "__global__ void k(int *a) { a[threadIdx.x] = 1; }";

/// Host code that must not keep the kernel behind it from being compiled.
const READ_PAST: &[&str] = &[
    "#include <strings.h>\n#include <stdexcept>\n#include <exception>\n#include <stdarg.h>\n\
     #include <sys/resource.h>\n#include <omp.h>\n#include \"helper_timer.h\"",
    "double seconds() throw();\nvoid check(int code) throw(std::runtime_error) { \
     if (code) throw std::runtime_error(\"bad\"); }",
    "int quiet(int a) noexcept(true) { return a; }\nint loud(int a) noexcept(sizeof(int) == 4);",
    "struct Timer { struct timeval start, *stop; struct rusage usage; FILE *log; \
     std::string name; };\nstatic Timer timer;",
    "using namespace std::chrono;\nusing clock_type = std::chrono::high_resolution_clock;\n\
     steady_clock::time_point begun;",
    "class Solver { public: virtual ~Solver() {} virtual void run(int n) = 0; \
     protected: int size_; };\nclass Fast : public Solver { public: void run(int n) override { \
     size_ = n; } };",
    "class Bad : public std::exception { public: const char *what() const throw() { \
     return \"bad\"; } };",
    "template <typename... Args> void say(const char *format, Args... args) { \
     printf(format, args...); }",
    "template <class T, template <class> class C> void fill(C<T> &c) { \
     for (auto &x : c) x = T(); }",
    "template <typename T> const T pi = T(3.14159);",
    "auto twice = [](int x) { return 2 * x; };",
    "static_assert(sizeof(float) == 4, \"float\");\n\
     static_assert(std::is_same<int, int>::value, \"same\");",
    "int main(int argc, char **argv) { auto f = [&](int x) -> int { return x + argc; }; \
     std::vector<int> v{1, 2}; try { k<<<1, 1>>>(0); } catch (...) { return 1; } return f(2); }",
    "typedef int (*operation)(int, int);\nstatic operation table[2];\n\
     int apply(operation f) { return f(1, 2); }",
    "struct node; typedef struct node { struct node *next; int (*visit)(struct node *); } node_t;",
    "enum class Mode : unsigned { quick, exact };\n\
     std::map<std::string, Mode> modes = {{\"quick\", Mode::quick}};",
    "namespace { std::mutex guard; void locked() { std::lock_guard<std::mutex> hold(guard); } }",
    "struct Error { Error(const char *file, int line, cudaError_t code) : file_(file), \
     line_(line), code_(code) {} const char *file_; int line_; cudaError_t code_; };",
    "inline void gpuAssert(cudaError_t code, const char *file, int line, bool abort = true) { \
     if (code != cudaSuccess) { fprintf(stderr, \"%s\", cudaGetErrorString(code)); \
     if (abort) exit(code); } }",
    "std::ostream &operator<<(std::ostream &out, const dim3 &d) { return out << d.x; }",
    "extern \"C\" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);\n\
     extern \"C\" { void dgemm_(char *, int *); }",
    "template <typename T> struct DeviceBuffer { T *data = nullptr; \
     explicit DeviceBuffer(size_t n) { cudaMalloc(&data, n * sizeof(T)); } \
     ~DeviceBuffer() { cudaFree(data); } DeviceBuffer(const DeviceBuffer &) = delete; };",
];

#[test]
fn host_code_is_read_past() {
    let mut failures = Vec::new();
    for source in READ_PAST {
        for text in [format!("{source}\n{KERNEL}"), format!("{KERNEL}\n{source}\n")] {
            let said = messages(&text);
            if !said.is_empty() {
                failures.push(said);
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} of {}:\n{}",
        failures.len(),
        2 * READ_PAST.len(),
        failures.join("\n")
    );
}

#[test]
fn unknown_headers_are_a_warning_and_blamed_for_what_is_missing() {
    let text = format!("#include <mylib/solver.hpp>\n{KERNEL}");
    let said = messages(&text);
    assert!(
        said.starts_with("warning: the header `mylib/solver.hpp` is not known here and not read"),
        "{said}"
    );
    let text = "#include <mylib/solver.hpp>\n__global__ void k(int *a) { a[0] = quick(1); }";
    let said = messages(text);
    assert!(said.contains("error: the function `quick` is not declared"), "{said}");
    assert!(said.contains("perhaps from <mylib/solver.hpp>"), "{said}");
}

#[test]
fn a_namespace_that_is_opened_again_goes_on() {
    let text = "namespace d { struct S { int a; }; template <class T> struct V { T x; }; }\n\
        namespace d { __device__ int f(S *s, V<int> v) { return s->a + v.x; } }\n\
        namespace e { namespace d { struct Z { int a; }; } }\n\
        namespace e { namespace d { __device__ int g(Z z) { return z.a; } } }\n\
        __global__ void k(int *a, d::S *s) { d::V<int> v = {1}; a[0] = d::f(s, v); }";
    assert_eq!(messages(text), "");
}

#[test]
fn sources_in_latin_1_are_read() {
    let bytes = [b"// Andr\xe9\n".as_slice(), KERNEL.as_bytes()].concat();
    let text = simt::source::decode(bytes);
    assert!(text.starts_with("// Andr\u{e9}\n"));
    assert_eq!(messages(&text), "");
    assert_eq!(simt::source::decode("\u{e9}".into()), "\u{e9}");
}

#[test]
fn an_error_is_not_lost_among_warnings() {
    let headers: String = (0..25).map(|k| format!("#include <library{k}/all.h>\n")).collect();
    let text = headers + "__global__ void k(int *a) { a[0] = nowhere; }\n";
    let error = simt::Program::compile(&text, &simt::CompileOptions::default()).unwrap_err();
    let said: Vec<&str> = error.diagnostics.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(said, ["`nowhere` is not declared"]);
}
