//! Wrong and unsupported sources with what is said about them.

/// Instructions of PTX that have the name of another one that is understood, and do something else.
pub const PTX: &[&str] = &[
    "add.rz.f32 %0, %0, %0;",
    "add.sat.s32 %0, %0, %0;",
    "fma.rn.relu.f16x2 %0, %0, %0, %0;",
    "max.NaN.f32 %0, %0, %0;",
    "max.f32 %0, %0, %0, %0;",
    "sin.approx.f16x2 %0, %0;",
    "rcp.approx.bf16 %0, %0;",
    "setp.lt.f16 p, %0, %0;",
    "cvt.rz.f32.s32 %0, %0;",
    "cvt.rn.relu.f16x2.f32 %0, %0, %0;",
    "cvt.sat.u8.s64 %0, %0;",
    "cvt.rn.sat.f16.f32 %0, %0;",
    "lop3.or.b32 %0|p, %0, %0, %0, 3, q;",
    "mul24.hi.s32 %0, %0, %0;",
    "mad.lo.sat.s32 %0, %0, %0, %0;",
    "red.global.add.f16x2 [%0], %0;",
    "red.global.max.noftz.f16x2 [%0], %0;",
    "match.all.sync.b32 %0, %0, 3;",
    "vote.sync.uni.pred p, q, 3;",
    "mma.sync.aligned.m8n8k16.row.col.satfinite.s32.s8.s8.s32 {%0,%0}, {%0}, {%0}, {%0,%0};",
];

/// Source and first line of the first message.
pub const REFUSED: &[(&str, &str)] = &[
    (r#"__global__ void k(float *a) { a[0] = b; }"#, r#"error: `b` is not declared"#),
    (
        "__global__ void k(float *a) { a[0] = thrust::plus()(a[0], a[1]); }",
        r#"error: `thrust` is not declared"#,
    ),
    (
        "#include <cub/cub.cuh>\n__global__ void k(int *a) { \
         using R = cub::BlockRunLengthDecode<int, 128, 4, 32>; a[0] = 1; }",
        r#"error: `cub` has no type `BlockRunLengthDecode`"#,
    ),
    (
        "namespace mine { template <typename T> struct Box { T x; }; } \
         __global__ void k(int *a) { mine::Bx<int> b; a[0] = b.x; }",
        r#"error: `mine` has no type `Bx`"#,
    ),
    (
        "namespace mine { namespace inner { struct A { int x; }; } } \
         __global__ void k(int *a) { mine::inner::B b; a[0] = b.x; }",
        r#"error: `mine::inner` has no type `B`"#,
    ),
    (
        "__global__ void k(float4 *a, cudaTextureObject_t t) { \
         a[0] = -texCubemap<float4>(t, 1, 2, 3); }",
        r#"error: the template `texCubemap` is not declared"#,
    ),
    (
        "__device__ int f(int n) { return n; } __device__ float f(float n) { return n; } \
         __device__ int (*op)(int) = f;",
        r#"error: `f` names several functions"#,
    ),
    (
        "__device__ int f(int n) { return n; } __global__ void k(int *a) { int (*op)(int) = f; \
         a[0] = op(1, 2); }",
        r#"error: `int (*)(int)` takes 1 argument(s), not 2"#,
    ),
    (
        "struct S { int n : 3; }; __global__ void k(int *a) { int S::*p = &S::n; }",
        r#"error: there are no pointers to bit-fields and references"#,
    ),
    (
        "struct S { int n; }; struct R { int n; }; __global__ void k(R *r) { \
         int S::*p = &S::n; r->*p = 1; }",
        r#"error: `S` is needed, but this is `R`"#,
    ),
    (
        "struct S { __device__ void f() {} }; __global__ void k(const S *s) { \
         void (S::*p)() = &S::f; (s->*p)(); }",
        r#"error: `void (S::*)()` may change its object, which is `const`"#,
    ),
    (
        "struct S { __device__ void f() {} }; __global__ void k(S *s) { \
         auto p = &S::f; s->*p; }",
        r#"error: `void (S::*)()` is no pointer to a data member"#,
    ),
    (
        "struct S { __device__ void f(int) {} }; __global__ void k(S *s) { \
         auto p = &S::f; (s->*p)(); }",
        r#"error: `void (S::*)(int)` takes 1 argument(s), not 0"#,
    ),
    (
        "struct S { int n : 3; }; __global__ void k(int *a) { a[0] = offsetof(S, n); }",
        r#"error: this member has no constant distance in bytes"#,
    ),
    (
        "__global__ void k(int *a) { int b = a[0]; int (*op)(int) = [b](int x) { return x + b; }; \
         a[0] = op(1); }",
        r#"error: `int (*)(int)` is needed, but this is `(lambda)`"#,
    ),
    (
        "__global__ void k(float *a) { a[0] = 1.5_km; }",
        r#"error: the function `operator""_km` is not declared"#,
    ),
    (
        "#include <concepts>\ntemplate <std::integral T> __device__ T f(T x) { return x; } \
         __global__ void k(float *a) { a[0] = f(a[0]); }",
        r#"error: `f` does not take these types"#,
    ),
    (
        "#include <concepts>\ntemplate <std::integral T> struct S { T x; }; \
         __global__ void k(float *a) { S<float> s; a[0] = s.x; }",
        r#"error: `S` does not take these types"#,
    ),
    (
        "int h(int n) { return n; } __global__ void k(int *a) { int (*op)(int) = h; \
         a[0] = op(1); }",
        r#"error: `h` has no address that device code could take"#,
    ),
    (
        r#"__global__ void k(int *a) { a[0] = ({ return; 1; }); }"#,
        r#"error: `return` inside of `({ })` is not supported"#,
    ),
    (
        r#"__global__ void k(float *a) { int threadidx = threadIdx.x; a[threadldx] = 1; }"#,
        r#"error: `threadldx` is not declared"#,
    ),
    (
        r#"__global__ void k(float *a) { a[threadIdx.X] = 1; }"#,
        r#"error: `uint3` has no member `X`"#,
    ),
    (
        r#"__global__ void k(float *a) { a[0] = 1 }"#,
        r#"error: `;` is missing after the expression"#,
    ),
    (
        r#"__global__ void k(float *a) { if (a[0] = 1) a[1] = 2; }"#,
        r#"warning: `=` assigns; this is not a comparison"#,
    ),
    (r#"__global__ void k(const float *a) { a[0] = 1; }"#, r#"error: this assigns to a constant"#),
    (
        r#"__global__ void k(int c) { const int a = c; int b = 2; (c ? a : b) = 5; }"#,
        r#"error: this assigns to a constant"#,
    ),
    (
        "struct P { int x; }; __global__ void k(int c, P *o) { const P a = {1}; P b = {2}; \
         (c ? a : b) = b; *o = b; }",
        r#"error: this assigns to a constant"#,
    ),
    (r#"__globl__ void k(float *a) { a[0] = 1; }"#, r#"error: unknown attribute `__globl__`"#),
    (
        r#"void k(float *a) __global__ { a[0] = 1; }"#,
        r#"error: `;` is missing after the declaration of the function"#,
    ),
    (r#"__global__ void k(flaot *a) { a[0] = 1; }"#, r#"error: unknown type name `flaot`"#),
    (
        r#"__global__ void k(float &a) { a = 1; }"#,
        r#"error: a kernel parameter cannot be a reference"#,
    ),
    (
        r#"__global__ void k(float *a) { goto x; int n = 1; x: a[0] = 1; }"#,
        r#"error: a `goto` passes the initial value of `n`"#,
    ),
    (
        r#"__global__ void k(float *a) { if (a[0] > 0) goto x; }"#,
        r#"error: no block around this `goto` has the label `x`"#,
    ),
    (
        r#"__global__ void k(float *a) { a[1.5] = 3; }"#,
        r#"error: an index is an integer, but this is `double`"#,
    ),
    (
        r#"__global__ void k(float *a, int n) { float t[n]; t[0] = 1; }"#,
        r#"error: the length of this array is not a constant"#,
    ),
    (
        r#"__global__ void k(float *a, int n) { __shared__ float t[n]; t[0] = 1; }"#,
        r#"error: the length of this array is not a constant"#,
    ),
    (
        r#"__global__ void k(float *a, int n) { __shared__ float t[]; t[0] = 1; }"#,
        r#"error: the `__shared__` array `t` has no length"#,
    ),
    (
        r#"__global__ void k(float *a) { a[0] = __shfl_down(a[0], 1); }"#,
        r#"error: `__shfl_down` is not available in device code"#,
    ),
    (
        r#"__global__ void k(float *a) { int *p = a; p[0] = 1; }"#,
        r#"error: `int *` is needed, but this is `float *`"#,
    ),
    (
        r#"__global__ void k(float *a) { float4 v = make_float4(1, 2); a[0] = v.x; }"#,
        r#"error: `make_float4` takes 4 argument(s), but 2 are given"#,
    ),
    (
        r#"__global__ void k(float4 *a) { a[0] = a[0] + a[1]; }"#,
        r#"error: `+` cannot be applied to `float4` and `float4`"#,
    ),
    (
        r#"__global__ void k(float *a) { float x; a[0] = x; }"#,
        r#"warning: `x` is read here, but has no value yet"#,
    ),
    (
        r#"__global__ void k(float *a) { a[0] == 3; }"#,
        r#"warning: the result of this comparison is not used"#,
    ),
    (
        "__device__ int f(int x) { if (x > 0) return 1; } \
         __global__ void k(int *a) { a[0] = f(a[1]); }",
        r#"warning: `f` does not return a value on every path"#,
    ),
    (
        r#"__global__ void k(int *a) { a[0] = f(a[1]); } __device__ int f(int x) { return x; }"#,
        r#"error: the function `f` is not declared"#,
    ),
    (
        r#"__global__ void k(int *a) { for (int i = 0; i < 3; i++); a[0] = 1; }"#,
        r#"warning: this `;` is the whole body of the loop"#,
    ),
    (
        r#"__global__ void k(int *a) { printf("%d %d\n", a[0]); printf("%s", 3); }"#,
        r#"error: the format asks for 2 values, but 1 is given"#,
    ),
    (
        r#"__global__ void k(int *a) { std::vector<int> v; }"#,
        r#"error: `std::vector` is not available in device code"#,
    ),
    (
        r#"__global__ void k(int *a) { a[0] = 1 / 0; int b[3]; b[5] = 1; }"#,
        r#"warning: division by zero"#,
    ),
    (
        r#"__global__ void k(int *a) { asm("wgmma.fence.sync.aligned;"); }"#,
        r#"error: the PTX instruction `wgmma.fence.sync.aligned` is not supported"#,
    ),
    (
        "__global__ void k(int *a) { asm(\"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 %0, \
         %1;\" : \"=r\"(a[0]) : \"r\"(a[1])); }",
        "error: the PTX instruction `mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32` is not \
         supported",
    ),
    (
        r#"__global__ void k(int *a) { try { a[0] = 1; } catch (...) {} }"#,
        r#"error: exceptions are not supported in device code"#,
    ),
    (r#"struct P { float x; }"#, r#"error: `;` is missing after the definition of a type"#),
    (r#"__global__ void k(P *a) { a->x = 1; }"#, r#"error: unknown type name `P`"#),
    (r#"__global__ void k(int *a) { a->x = 1; a.x = 2; }"#, r#"error: `int` has no members"#),
    (
        r#"__constant__ float c[3]; __global__ void k(int *a) { c[0] = 1; }"#,
        r#"error: this assigns to `__constant__` memory"#,
    ),
    (
        r#"int host_n = 3; __global__ void k(int *a) { a[0] = host_n; }"#,
        r#"error: `host_n` is a variable of the host: device code cannot use it"#,
    ),
    (
        r#"__global__ void k(int *a) { int x = 08; float y = 1.5ff; a[0] = 1f; }"#,
        r#"error: `08` is not a number: it has a wrong digit or suffix, or does not fit 64 bits"#,
    ),
    (
        r#"__global__ void k(int *a) { switch (a[0]) { case 1: break; case 1: break; } }"#,
        r#"error: the label 1 occurs twice"#,
    ),
    (
        r#"__global__ void k(int *a) { int a2[3] = {1,2,3,4}; int n = "x"; }"#,
        r#"error: too many initial values for `int[3]`"#,
    ),
    (r#"__global__ void k(int *a) { break; }"#, r#"error: `break` outside of a loop or `switch`"#),
    (
        r#"__global__ void k(int *a) { return 1; }"#,
        r#"error: the kernel `k` returns nothing, but here is a value"#,
    ),
    (
        r#"__global__ void k(int *a) { a[0] = max(1, 2.0f); a[1] = a[0] % 2.5f; }"#,
        r#"error: the call of `max` is ambiguous: one argument is an integer, the other is not"#,
    ),
    (
        r#"__global__ void k(int *a) { const int n = 3; n = 4; 3 = n; n++; }"#,
        r#"error: this assigns to a constant"#,
    ),
    (
        r#"__global__ void k(int *a) { int x = 1; int x = 2; }"#,
        r#"error: `x` is declared twice in one block"#,
    ),
    (
        r#"__global__ void k(int *a { a[0] = 1; }"#,
        r#"error: expected `,` or `)` after a parameter, found `{`"#,
    ),
    (r#"__global__ void k(int *a) { a[0] = 1; "#, r#"error: this `{` is never closed"#),
    (
        r#"__global__ void k(int *a) { a[0] = (1 + 2; a[1] = 2; }"#,
        r#"error: expected `)`, found `;`"#,
    ),
    (
        r#"__global__ void k(int *a) { void (*fp)(int) = a; }"#,
        r#"error: `void (*)(int)` is needed, but this is `int *`"#,
    ),
    (
        "__global__ void k(int *a) { atomicAdd(a[0], 1); atomicAdd((char*)a, 1); \
         atomicMin((float*)a, 1.f); }",
        r#"error: `atomicAdd` needs an address, this is `int`"#,
    ),
    (
        r#"__global__ void k(int *a) { __syncthreads; }"#,
        r#"error: `__syncthreads` is named but not called"#,
    ),
    (
        r#"__global__ void k(int *a) { int i = threadIdx; a[i] = 1; }"#,
        r#"error: `int` is needed, but this is `const uint3`"#,
    ),
    (r#"__global__ void k(int *a) { cout << a[0]; }"#, r#"error: `cout` is not declared"#),
    (
        "struct A { __device__ virtual int f() { return 1; } }; \
         struct B : A { __device__ int f() { return 2; } }; __device__ int g(A a) { return a.f(); \
         } __device__ int h() { B b; return g(b); }",
        "error: `B` would lose its class where it becomes `A`",
    ),
    (
        "__device__ int f(int... x) { return 0; }",
        "error: `...` stands behind something without a parameter pack",
    ),
    (
        "__global__ void k(int *a) { int i = blockIdx.x*blockDim.x+threadIdx.x if (i < 3) a[i] = \
         1; }",
        r#"error: `;` is missing after the declaration"#,
    ),
    (
        r#"__global__ void k(int *a) { sinf(); sqrtf(1, 2); __syncthreads(1); }"#,
        r#"error: `sinf` takes 1 argument, but 0 are given"#,
    ),
    (
        r#"__global__ void k(int *a) { a[0] = sizeof(int[3]) + undefined(3); }"#,
        r#"error: the function `undefined` is not declared"#,
    ),
    (r#"#include "missing.h""#, r#"error: the header `missing.h` was not found"#),
    (r#"#include "cuda_runtme.h""#, r#"error: the header `cuda_runtme.h` was not found"#),
    (
        "__global__ void k(int *a) { int s = 0; for (int i = 0; i < 10; i++ { s += i; } \
         a[0] = s; }",
        r#"error: expected `)` after the head of `for`, found `{`"#,
    ),
    (r#"__global__ void k(int *a) { else a[0] = 1; }"#, r#"error: `else` without `if`"#),
    (
        "__device__ float f(float x) { return x; } __global__ void k(int *a) { f(\"x\"); f(1,2); }",
        r#"error: the argument for `x` has the type `const char *`, but `float` is needed"#,
    ),
    (
        "__global__ void k(int n) { extern __shared__ float s[]; __shared__ int s2 = 3; \
         s[0] = n; }",
        r#"error: the `__shared__` variable `s2` cannot have an initial value"#,
    ),
    (
        r#"__shared__ int g = 3; __global__ void k() { g = 1; }"#,
        r#"error: the `__shared__` variable `g` cannot have an initial value"#,
    ),
    (
        r#"__global__ void k(int *a) { a[0] = 1; } __global__ void k(int *a) { a[0] = 2; }"#,
        r#"error: the function `k` is defined twice"#,
    ),
    (
        r#"__global__ void k(double *a) { a[0] = __sinf(a); int *p = &3; }"#,
        r#"error: argument 1 of `__sinf` has the type `double *`, but `float` is needed"#,
    ),
    (
        r#"extern "C" __global__ void k(int *a) { int i = 99999999999999999999; ´ }"#,
        "error: `99999999999999999999` is not a number: it has a wrong digit or suffix, or does \
         not fit 64 bits",
    ),
    (
        r#"struct S { char a; int b : 3, c : 7; };
__global__ void k(S *s) { s->c = 1; }"#,
        r#"error: the bits of `c` lie in two words, which is not supported"#,
    ),
    (
        r#"struct S { int x : 3; };
__global__ void k(S *s) { int *p = &s->x; *p = 1; }"#,
        r#"error: this has no address"#,
    ),
    (
        r#"struct S { int x : 3; };
__device__ void f(int &n) { n = 1; }
__global__ void k(S *s) { f(s->x); }"#,
        r#"error: a reference to `int` cannot be bound to this"#,
    ),
    (
        r#"struct S { short x : 17; };
__global__ void k(S *s) { s->x = 1; }"#,
        r#"error: a bit-field of this type has at most 16 bits"#,
    ),
    (
        r#"struct S { float x : 17; };
__global__ void k(S *s) { s->x = 1; }"#,
        r#"error: a bit-field is an integer, `x` is `float`"#,
    ),
    (
        r#"struct S { int x : 0; };
__global__ void k(S *s) { s->x = 1; }"#,
        r#"error: only a bit-field without a name can have no bits"#,
    ),
    (
        r#"struct S { int n; __device__ ~S() { n = 0; } }; __global__ void k(S *s) { S t = *s; }"#,
        r#"error: `S` has a destructor, but no constructor that copies"#,
    ),
    (
        "__global__ void k(int *a) { static int n = a[0]; a[0] = n++; }",
        "error: the initial value of `n` is not a constant",
    ),
    (
        r#"__device__ int f(int n); __global__ void k(int *a) { a[0] = f(3); }"#,
        r#"error: `f` is declared, but not defined in this file"#,
    ),
    (
        r#"int f(int n) { return n; } __global__ void k(int *a) { a[0] = f(3); }"#,
        r#"error: `f` is a host function: device code cannot call it"#,
    ),
    (
        r#"__global__ void k(int *a) { a[0] = std::max(a[1], 2); }"#,
        r#"warning: nvcc takes `std::max` on the device only with --expt-relaxed-constexpr"#,
    ),
    (r#"__global__ int k(int *a) { return 1; }"#, r#"error: the kernel `k` must return `void`"#),
    (
        r#"__global__ void a(int *x) {} __global__ void k(int *x) { a<<<1, 2>>>(x); }"#,
        r#"error: a kernel cannot launch another kernel here: `<<<` belongs in host code"#,
    ),
    (
        "__device__ void f(int x) {} __device__ void f(float x) {} \
         __global__ void k(double d) { f(d); }",
        r#"error: the call of `f` is ambiguous"#,
    ),
    (
        "template <class T> __device__ T f(int x) { return x; } \
         __global__ void k(int *a) { a[0] = f(3); }",
        r#"error: the template arguments of `f` cannot be told from this call"#,
    ),
    (
        r#"static_assert(sizeof(int) == 8, "int is small"); __global__ void k() {}"#,
        r#"error: the static assertion fails: int is small"#,
    ),
    (
        r#"struct P { float x; }
__global__ void k(P *a) { a->x = 1; }"#,
        r#"error: `;` is missing after the definition of a type"#,
    ),
    (
        r#"__global__ void k(int *a) { __constant__ int c = 3; a[0] = c; }"#,
        r#"error: `c` cannot be `__constant__` or `__device__` inside a function"#,
    ),
    (
        r#"__global__ void k(int *a) { int i = a; float *p = 3; a[0] = i; }"#,
        r#"error: `int` is needed, but this is `int *`"#,
    ),
    (
        r#"__constant__ float huge[20000]; __global__ void k(float *a) { a[0] = huge[0]; }"#,
        r#"error: `huge` has 80000 bytes, but constant memory has 65536"#,
    ),
    (
        r#"__global__ void k(int *a) { int x = 5; auto f = []() { return x; }; a[0] = f(); }"#,
        r#"error: `x` is not captured by the lambda"#,
    ),
    (
        r#"__global__ void k(int *a) { case 3: a[0] = 1; }"#,
        "error: a label of a `switch` stands inside another statement, or outside of any `switch`",
    ),
    (
        r#"__global__ void k(int *a) { tex2D(a, 1, 2); }"#,
        r#"error: no function `tex2D` takes (int *, int, int)"#,
    ),
    (
        r#"#define F(a) a
__global__ void k(int *a) { a[0] = F(1, 2); }"#,
        r#"error: the macro `F` takes 1 argument(s), but 2 were given"#,
    ),
    (
        r#"#include "../../etc/passwd"
__global__ void k() {}"#,
        r#"error: the header `../../etc/passwd` was not found"#,
    ),
    (
        r#"#error too small
"#,
        r#"error: #error too small"#,
    ),
];

/// Sources with one mistake that must give one message.
pub const SINGLE: &[&str] = &[
    r#"__global__ void k(float *a, int n) { float t[n]; t[0] = 1; a[0] = t[0]; }"#,
    r#"__global__ void k(float *a) { foo x = 3; a[0] = 1; }"#,
    r#"__global__ void k(float *a, bar b) { a[0] = b; }
__device__ int ok() { return 1; }"#,
    r#"__device__ flaot f(int x) { return x; } __global__ void k(float *a) { a[0] = 1; }"#,
    r#"__global__ void k(float *a) { float x = undefined_name; a[0] = x + x; a[1] = x; }"#,
    r#"__shared__ int g = 3; __global__ void k() { g = 1; g++; }"#,
    "struct P { flaot x; __device__ float get() { return 1; } }; \
     __global__ void k(P p) { p.get(); }",
];

/// Sources with all that is printed.
pub const GOLDEN: &[(&str, &str)] = &[
    (
        r#"extern "C" __global__ void add(float *c, const float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x
    if (i < n)
        c[idx] = a[i];
}
"#,
        r#"error: `;` is missing after the declaration
 --> t.cu:3:50
  |
3 |     int i = blockIdx.x * blockDim.x + threadIdx.x
  |                                                  ^ expected `;` here
error: `idx` is not declared
 --> t.cu:5:11
  |
5 |         c[idx] = a[i];
  |           ^^^ no such name here
  = help: declare it first: `int idx = blockIdx.x * blockDim.x + threadIdx.x;`
"#,
    ),
    (
        r#"__device__ float mix(float a, float b) { return 0.5f * (a + b); }
extern "C" __global__ void k(float *c)
{
    c[threadIdx.x] = mix(c[threadIdx.x]);
}
"#,
        r#"error: `mix` takes 2 arguments, but 1 is given
 --> t.cu:4:22
  |
4 |     c[threadIdx.x] = mix(c[threadIdx.x]);
  |                      ^^^^^^^^^^^^^^^^^^^
 ::: t.cu:1:18
  |
1 | __device__ float mix(float a, float b) { return 0.5f * (a + b); }
  |                  --- declared here
  = help: the parameter `b` gets no value
"#,
    ),
    (
        r#"#define AT(p, i) p[(i) * stride]
__global__ void k(float *x)
{
    float y = AT(x, threadIdx.x);
    x[0] = y;
}
"#,
        r#"error: `stride` is not declared
 --> t.cu:4:15
  |
4 |     float y = AT(x, threadIdx.x);
  |               ^^^^^^^^^^^^^^^^^^ no such name here
"#,
    ),
    (
        r#"__global__ void k(float *x, int n)
{
    if (n = 3)
        x[0] = 1;
}
"#,
        r#"warning: `=` assigns; this is not a comparison
 --> t.cu:3:9
  |
3 |     if (n = 3)
  |         ^^^^^
  = help: write `==` to compare, or a second pair of parentheses if the assignment is meant
"#,
    ),
    (
        r#"int round_up(int n) { return (n + 31) / 32 * 32; }
__global__ void k(int *x) { x[0] = round_up(3); }
"#,
        r#"error: `round_up` is a host function: device code cannot call it
 --> t.cu:2:36
  |
2 | __global__ void k(int *x) { x[0] = round_up(3); }
  |                                    ^^^^^^^^^^^ called from device code
 ::: t.cu:1:5
  |
1 | int round_up(int n) { return (n + 31) / 32 * 32; }
  |     -------- declared here without `__device__`
  = help: write `__device__` before the definition of `round_up`
"#,
    ),
    (
        r#"__global__ void k(float *x) { printf("%d\n", x[0]); }
"#,
        r#"error: `%d` prints an `int`, but this is `float`
 --> t.cu:1:46
  |
1 | __global__ void k(float *x) { printf("%d\n", x[0]); }
  |                                              ^^^^ of type `float`
 ::: t.cu:1:38
  |
1 | __global__ void k(float *x) { printf("%d\n", x[0]); }
  |                                      ------ the format
  = help: write `%f`
"#,
    ),
];
