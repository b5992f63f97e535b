//! What the compiler knows without reading a file: headers and the macros that they define.

/// The text of a header of ours, as `build.rs` leaves it.
macro_rules! header {
    ($name:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/", $name))
    };
}

/// Headers whose content the compiler knows itself, or that only host code uses: C, C++, POSIX, the
/// CUDA toolkit, its samples.
pub(super) const KNOWN_HEADERS: &[&str] = &[
    "cuda.h",
    "cuda_runtime.h",
    "cuda_runtime_api.h",
    "cuda_device_runtime_api.h",
    "device_launch_parameters.h",
    "device_functions.h",
    "device_atomic_functions.h",
    "sm_20_atomic_functions.h",
    "builtin_types.h",
    "vector_types.h",
    "vector_functions.h",
    "math.h",
    "cmath",
    "math_constants.h",
    "math_functions.h",
    "stdio.h",
    "cstdio",
    "stdint.h",
    "cstdint",
    "stdlib.h",
    "cstdlib",
    "string.h",
    "cstring",
    "assert.h",
    "cassert",
    "float.h",
    "cfloat",
    "limits.h",
    "climits",
    "limits",
    "stddef.h",
    "cstddef",
    "stdbool.h",
    "time.h",
    "ctime",
    "sys/time.h",
    "unistd.h",
    "iostream",
    "iomanip",
    "fstream",
    "sstream",
    "vector",
    "string",
    "algorithm",
    "numeric",
    "functional",
    "random",
    "chrono",
    "memory",
    "utility",
    "type_traits",
    "array",
    "map",
    "set",
    "complex",
    "tuple",
    "thread",
    "cuda_profiler_api.h",
    "helper_cuda.h",
    "helper_functions.h",
    "nvrtc.h",
    "errno.h",
    "cerrno",
    "ctype.h",
    "cctype",
    "exception",
    "stdexcept",
    "new",
    "typeinfo",
    "initializer_list",
    "iterator",
    "list",
    "deque",
    "queue",
    "stack",
    "unordered_map",
    "unordered_set",
    "bitset",
    "valarray",
    "ratio",
    "optional",
    "variant",
    "any",
    "string_view",
    "filesystem",
    "regex",
    "locale",
    "ios",
    "iosfwd",
    "istream",
    "ostream",
    "streambuf",
    "mutex",
    "shared_mutex",
    "condition_variable",
    "future",
    "atomic",
    "bit",
    "cstdarg",
    "csignal",
    "csetjmp",
    "clocale",
    "cwchar",
    "cwctype",
    "cinttypes",
    "cfenv",
    "ciso646",
    "cuchar",
    "typeindex",
    "span",
    "ranges",
    "execution",
    "barrier",
    "latch",
    "semaphore",
    "source_location",
    "format",
    "compare",
    "version",
    "system_error",
    "scoped_allocator",
    "memory_resource",
    "charconv",
    "stdarg.h",
    "strings.h",
    "signal.h",
    "setjmp.h",
    "locale.h",
    "inttypes.h",
    "fenv.h",
    "complex.h",
    "tgmath.h",
    "wchar.h",
    "malloc.h",
    "memory.h",
    "alloca.h",
    "getopt.h",
    "pthread.h",
    "sched.h",
    "dirent.h",
    "fcntl.h",
    "libgen.h",
    "poll.h",
    "sys/types.h",
    "sys/stat.h",
    "sys/resource.h",
    "sys/mman.h",
    "sys/wait.h",
    "sys/param.h",
    "sys/times.h",
    "sys/ioctl.h",
    "sys/socket.h",
    "netinet/in.h",
    "arpa/inet.h",
    "netdb.h",
    "omp.h",
    "mpi.h",
    "windows.h",
    "conio.h",
    "io.h",
    "direct.h",
    "values.h",
    "search.h",
    "features.h",
    "byteswap.h",
    "endian.h",
    "cuda_occupancy.h",
    "driver_types.h",
    "host_defines.h",
    "host_config.h",
    "device_double_functions.h",
    "surface_types.h",
    "texture_types.h",
    "vector_functions.hpp",
    "channel_descriptor.h",
    "sm_11_atomic_functions.h",
    "sm_12_atomic_functions.h",
    "sm_13_double_functions.h",
    "sm_20_intrinsics.h",
    "sm_30_intrinsics.h",
    "sm_35_intrinsics.h",
    "sm_60_atomic_functions.h",
    "crt/host_defines.h",
    "crt/device_functions.h",
    "nvToolsExt.h",
    "nvtx3/nvToolsExt.h",
    "cublas.h",
    "cublas_v2.h",
    "cufft.h",
    "cufftXt.h",
    "curand.h",
    "cusparse.h",
    "cusparse_v2.h",
    "cusolverDn.h",
    "cusolverSp.h",
    "cudnn.h",
    "npp.h",
    "nppi.h",
    "nvml.h",
    "nccl.h",
    "cutil.h",
    "cutil_inline.h",
    "helper_timer.h",
    "helper_string.h",
    "helper_image.h",
    "helper_cuda_gl.h",
    "helper_gl.h",
    "helper_cuda_drvapi.h",
    "helper_cusolver.h",
    "exception.h",
    "sdkHelper.h",
    "shrUtils.h",
    "shrQATest.h",
    "rendercheck_gl.h",
    "GL/glew.h",
    "GL/glut.h",
    "GL/gl.h",
    "GL/freeglut.h",
    "cuda_gl_interop.h",
];

/// A header of a library that only hosts use, which programs write in quotes as well.
pub(super) fn of_host_library(name: &str) -> bool {
    let folders = [
        "ATen/",
        "torch/",
        "c10/",
        "pybind11/",
        "thrust/",
        "GL/",
        "EGL/",
        "nvtx3/",
        "nvmedia_utils/",
    ];
    // The toolkit's own names: no program calls a header of its own so.
    let starts = [
        "cublas",
        "cudla",
        "nvmedia",
        "nvsci",
        "cudnn",
        "cufft",
        "curand",
        "cusolver",
        "cusparse",
        "cutensor",
        "nvml",
        "nvrtc",
        "nvJitLink",
        "cupti",
        "cudaGL",
        "cuda_gl",
        "cudaEGL",
        "cudaVDPAU",
        "cuda_texture",
        "cuda_surface",
        "nccl",
        "npp",
        "nvjpeg",
        "device_types",
        "cudalibxt",
        "cuda_fp4",
        "cuda_fp6",
        "cuda_stdint",
        "cuda_vdpau",
        "cuda_egl",
        "cuda_d3d",
        "cudaProfiler",
        "cudaTypedefs",
    ];
    name == "Python.h"
        || folders.iter().any(|folder| name.starts_with(folder))
        || starts.iter().any(|start| name.starts_with(start))
}

/// Headers written by us in CUDA C, included when asked for.
pub(super) const OWN_HEADERS: &[(&str, &str)] = &[
    ("curand_kernel.h", header!("curand_kernel.h")),
    ("cooperative_groups.h", header!("cooperative_groups.h")),
    ("cooperative_groups/reduce.h", "#include <cooperative_groups.h>\n"),
    ("cuComplex.h", header!("cuComplex.h")),
    ("cuda_fp16.h", header!("cuda_fp16.h")),
    ("helper_math.h", header!("helper_math.h")),
    ("cutil_math.h", "#include <helper_math.h>\n"),
    ("std.h", header!("std.h")),
    ("concepts", header!("concepts.h")),
    ("cuda/cmath", header!("cuda_math.h")),
    ("cuda/functional", "#include <cuda/cmath>\n"),
    ("texture.h", header!("texture.h")),
    ("cub/cub.cuh", header!("cub.h")),
    ("cub.cuh", "#include <cub/cub.cuh>\n"),
    ("cuda_bf16.h", header!("cuda_bf16.h")),
    ("cuda_bf16.hpp", "#include <cuda_bf16.h>\n"),
    ("cuda_fp16.hpp", "#include <cuda_fp16.h>\n"),
    ("cooperative_groups/scan.h", "#include <cooperative_groups.h>\n"),
    ("cooperative_groups/memcpy_async.h", "#include <cooperative_groups.h>\n"),
    ("memory functions", header!("memory.h")),
    // Twice: a header of ours sees the macros of those that it includes first, no others.
    ("cuda_fp16_words.h", header!("words.h")),
    ("cuda_bf16_words.h", header!("words.h")),
    ("cuda/std/complex", header!("complex.h")),
    ("thrust/complex.h", "#include <cuda/std/complex>\n"),
    ("cuda/atomic", header!("cuda_atomic.h")),
    ("cuda/std/atomic", "#include <cuda/atomic>\n"),
    ("cuda/barrier", header!("cuda_barrier.h")),
    ("cuda/std/barrier", "#include <cuda/barrier>\n"),
    ("cuda/pipeline", "#include <cuda/barrier>\n"),
    ("cuda_pipeline.h", header!("cuda_pipeline.h")),
    ("cuda_pipeline_primitives.h", "#include <cuda_pipeline.h>\n"),
    ("cuda_awbarrier.h", "#include <cuda/barrier>\n"),
    ("cuda_fp8.h", header!("cuda_fp8.h")),
    ("int128.h", header!("int128.h")),
    ("heap.h", header!("heap.h")),
    ("mma.h", header!("mma.h")),
    ("crt/mma.h", "#include <mma.h>\n"),
    ("simd.h", header!("simd.h")),
    ("spaces.h", header!("spaces.h")),
    ("hints.h", header!("hints.h")),
    ("functions.h", header!("functions.h")),
    ("rounding.h", header!("rounding.h")),
    ("special_functions.h", header!("special_functions.h")),
    ("ptx_functions.h", header!("ptx_functions.h")),
    ("host types", header!("host_types.h")),
];

/// The warp functions without `_sync`, for GPUs before Volta.
pub(super) const OLD_WARP: (&str, &str) = ("old warp functions", header!("old_warp.h"));

/// Headers of ours that a source needs without asking for them: some word of the list occurs.
pub(super) const ON_DEMAND: &[(&str, &[&str])] = &[
    (
        "std.h",
        &[
            "numeric_limits",
            "is_same",
            "enable_if",
            "is_integral",
            "integral_constant",
            "true_type",
            "false_type",
            "is_floating_point",
            "conditional<",
            "conditional_t",
            "make_unsigned",
            "remove_c",
            "remove_reference",
            "std::min",
            "std::max",
            "std::swap",
            "std::clamp",
            "std::pair",
            "std::array",
            "cuda::std",
            "std::move",
            "std::forward",
            "std::exchange",
            "std::tuple",
            "std::optional",
            "index_sequence",
            "integer_sequence",
            "void_t",
            "bit_cast",
            "std::bit_",
            "std::popcount",
            "std::count",
            "std::rot",
            "std::has_single_bit",
            "declval",
        ],
    ),
    ("concepts", &["concept"]),
    ("cuda/cmath", &["numbers::", "std::invoke", "std::identity"]),
    ("cuda/std/complex", &["thrust::complex", "cuda::std::complex"]),
    (
        "simd.h",
        &[
            "__vadd",
            "__vsub",
            "__vcmp",
            "__vset",
            "__vmin",
            "__vmax",
            "__vabs",
            "__vavg",
            "__vhadd",
            "__vneg",
            "__vsad",
            "dp4a",
            "dp2a",
            "vabsdiff4",
        ],
    ),
    (
        "functions.h",
        &[
            "normcdf",
            "__funnelshift_lc",
            "__funnelshift_rc",
            "shf.l.clamp",
            "shf.r.clamp",
            "cudaGridDependencySynchronize",
            "cudaTriggerProgrammaticLaunchCompletion",
        ],
    ),
    (
        "host types",
        &[
            "cudaStream_t",
            "cudaEvent_t",
            "cudaError_t",
            "cudaArray",
            "cudaExtent",
            "cudaPitchedPtr",
            "cudaMemcpyKind",
            "CUcontext",
            "CUstream",
            "CUdeviceptr",
            "cufft",
            "FILE ",
        ],
    ),
    (
        "rounding.h",
        &[
            "__fadd_r",
            "__fsub_r",
            "__fmul_r",
            "__fdiv_r",
            "__frcp_r",
            "__fsqrt_r",
            "__fmaf_r",
            "__dadd_r",
            "__dsub_r",
            "__dmul_r",
            "__ddiv_r",
            "__drcp_r",
            "__dsqrt_r",
            "__fma_r",
            "2float_r",
            "2double_r",
        ],
    ),
    (
        "special_functions.h",
        &[
            "rcbrt",
            "rhypot",
            "norm3d",
            "norm4d",
            "erfcx",
            "erfcinv",
            "erfinv",
            "normcdfinv",
            "jn(",
            "jnf(",
            "j0(",
            "j0f(",
            "j1(",
            "j1f(",
            "cyl_bessel",
            "ilogb",
            "logb",
            "scalbln",
            "remquo",
            "nan(",
            "nanf(",
            "isnormal",
            "__isnan",
            "__isinf",
            "__finite",
            "__isfinite",
            "__signbit",
            "2hiint",
            "2loint",
            "hiloint2double",
            "__hadd",
            "__uhadd",
            "__fns",
            "fns.b32",
            "__match_all_sync",
        ],
    ),
    ("ptx_functions.h", &["mma.sync", "ldmatrix", "movmatrix", ".f16", ".bf16", ".tf32"]),
    ("cuda_pipeline.h", &["cp.async"]),
    // The headers of the vendor's libraries include it.
    ("cuComplex.h", &["cufft", "cublas", "cusparse", "cusolver"]),
    ("spaces.h", &["__isShared", "__isLocal", "__isGlobal", "isspacep", "__cvta_"]),
    ("hints.h", &["__builtin_", "__assume"]),
    ("int128.h", &["int128"]),
    ("cub/cub.cuh", &["cub/", "cub::"]),
    ("heap.h", &["malloc(", "malloc (", "free(", "new ", "delete"]),
    ("memory functions", &["memcpy", "memset", "memmove", "memcmp", "strlen"]),
    (
        "texture.h",
        &[
            "tex1D",
            "tex2D",
            "tex3D",
            "texture<",
            "texture <",
            "cudaTextureObject_t",
            "cudaSurfaceObject_t",
            "CUtexObject",
            "CUsurfObject",
            "surf1D",
            "surf2D",
            "surf3D",
            "surface<",
        ],
    ),
];

/// `INT64_C(c)` and its like: what is put behind the number.
pub(super) const INTEGER_SUFFIXES: &[(&str, &str)] =
    &[("INT32_C", ""), ("INT64_C", "L"), ("UINT32_C", "U"), ("UINT64_C", "UL")];

/// Macros of C's headers that every language has.
pub(super) const LIMITS: &str = "\
__STDC__ 1
__linux__ 1
__x86_64__ 1
NULL 0
CHAR_BIT 8
SCHAR_MIN (-128)
SCHAR_MAX 127
UCHAR_MAX 255
CHAR_MIN (-128)
CHAR_MAX 127
SHRT_MIN (-32768)
SHRT_MAX 32767
USHRT_MAX 65535
INT_MIN (-2147483647-1)
INT_MAX 2147483647
UINT_MAX 4294967295u
LONG_MIN (-9223372036854775807L-1)
LONG_MAX 9223372036854775807L
ULONG_MAX 18446744073709551615UL
LLONG_MIN (-9223372036854775807LL-1)
LLONG_MAX 9223372036854775807LL
ULLONG_MAX 18446744073709551615ULL
INT8_MIN (-128)
INT8_MAX 127
UINT8_MAX 255
INT16_MIN (-32768)
INT16_MAX 32767
UINT16_MAX 65535
INT32_MIN (-2147483647-1)
INT32_MAX 2147483647
UINT32_MAX 4294967295u
INT64_MIN (-9223372036854775807L-1)
INT64_MAX 9223372036854775807L
UINT64_MAX 18446744073709551615UL
SIZE_MAX 18446744073709551615UL
RAND_MAX 2147483647
FLT_MAX 3.402823466e+38f
FLT_MIN 1.175494351e-38f
FLT_EPSILON 1.192092896e-07f
FLT_DIG 6
FLT_MANT_DIG 24
DBL_MAX 1.7976931348623157e+308
DBL_MIN 2.2250738585072014e-308
DBL_EPSILON 2.2204460492503131e-16
DBL_DIG 15
DBL_MANT_DIG 53
";

/// Mathematical constants, in `double`.
pub(super) const MATH: &str = "\
M_E 2.7182818284590452354
M_LOG2E 1.4426950408889634074
M_LOG10E 0.43429448190325182765
M_LN2 0.69314718055994530942
M_LN10 2.30258509299404568402
M_PI 3.14159265358979323846
M_PI_2 1.57079632679489661923
M_PI_4 0.78539816339744830962
M_1_PI 0.31830988618379067154
M_2_PI 0.63661977236758134308
M_2_SQRTPI 1.12837916709551257390
M_SQRT2 1.41421356237309504880
M_SQRT1_2 0.70710678118654752440
";

/// Macros that the CUDA headers define as plain numbers.
pub(super) const CUDA: &str = "\
__CUDACC__ 1
__CUDA_ARCH__ 900
__NVCC__ 1
__cplusplus 201703L
__CUDACC_VER_MAJOR__ 13
__CUDACC_VER_MINOR__ 0
CUDART_VERSION 13000
CUDA_VERSION 13000
CUDART_CB
CUDA_CB
INFINITY __int_as_float(0x7f800000)
NAN __int_as_float(0x7fffffff)
HUGE_VALF __int_as_float(0x7f800000)
HUGE_VAL __longlong_as_double(0x7ff0000000000000LL)
CUDART_PI_F 3.141592654f
CUDART_PI 3.1415926535897931e+0
CUDART_PIO2_F 1.570796327f
CUDART_PIO4_F 0.785398163f
CUDART_INF_F __int_as_float(0x7f800000)
CUDART_INF __longlong_as_double(0x7ff0000000000000LL)
CUDART_NAN_F __int_as_float(0x7fffffff)
CUDART_NAN __longlong_as_double(0xfff8000000000000ULL)
CUDART_SQRT_TWO_F 1.414213562f
CUDART_SQRT_TWO 1.4142135623730951e+0
CUDART_L2E_F 1.442695041f
CUDART_LN2_F 0.693147181f
CUDART_MAX_NORMAL_F 3.402823466e38f
CUDART_MIN_DENORM_F 1.401298464e-45f
CUDART_ZERO_F 0.0f
CUDART_ONE_F 1.0f
CUDART_ZERO 0.0
CUDART_ONE 1.0
";

/// What OpenCL C defines before the first line. [`MATH`] is there in `float`, too, as `M_PI_F` and
/// so on.
pub(super) const OPENCL: &str = "\
CL_VERSION_1_0 100
CL_VERSION_1_1 110
CL_VERSION_1_2 120
__ENDIAN_LITTLE__ 1
__IMAGE_SUPPORT__ 1
cl_khr_fp64 1
cl_khr_fp16 1
cl_khr_byte_addressable_store 1
cl_khr_global_int32_base_atomics 1
cl_khr_global_int32_extended_atomics 1
cl_khr_local_int32_base_atomics 1
cl_khr_local_int32_extended_atomics 1
cl_khr_int64_base_atomics 1
cl_khr_int64_extended_atomics 1
cl_intel_required_subgroup_size 1
CLK_LOCAL_MEM_FENCE 1u
CLK_GLOBAL_MEM_FENCE 2u
CLK_IMAGE_MEM_FENCE 4u
CLK_NORMALIZED_COORDS_FALSE 0u
CLK_NORMALIZED_COORDS_TRUE 1u
CLK_ADDRESS_NONE 0u
CLK_ADDRESS_CLAMP_TO_EDGE 2u
CLK_ADDRESS_CLAMP 4u
CLK_ADDRESS_REPEAT 6u
CLK_ADDRESS_MIRRORED_REPEAT 8u
CLK_FILTER_NEAREST 0x10u
CLK_FILTER_LINEAR 0x20u
CLK_R 0x10B0
CLK_A 0x10B1
CLK_RG 0x10B2
CLK_RA 0x10B3
CLK_RGB 0x10B4
CLK_RGBA 0x10B5
CLK_BGRA 0x10B6
CLK_ARGB 0x10B7
CLK_INTENSITY 0x10B8
CLK_LUMINANCE 0x10B9
CLK_SNORM_INT8 0x10D0
CLK_SNORM_INT16 0x10D1
CLK_UNORM_INT8 0x10D2
CLK_UNORM_INT16 0x10D3
CLK_UNORM_SHORT_565 0x10D4
CLK_UNORM_SHORT_555 0x10D5
CLK_UNORM_INT_101010 0x10D6
CLK_SIGNED_INT8 0x10D7
CLK_SIGNED_INT16 0x10D8
CLK_SIGNED_INT32 0x10D9
CLK_UNSIGNED_INT8 0x10DA
CLK_UNSIGNED_INT16 0x10DB
CLK_UNSIGNED_INT32 0x10DC
CLK_HALF_FLOAT 0x10DD
CLK_FLOAT 0x10DE
MAXFLOAT 3.402823466e+38f
INFINITY as_float(0x7f800000)
NAN as_float(0x7fc00000)
HUGE_VALF as_float(0x7f800000)
HUGE_VAL as_double(0x7ff0000000000000L)
FLT_RADIX 2
FLT_MAX_10_EXP 38
FLT_MAX_EXP 128
FLT_MIN_10_EXP (-37)
FLT_MIN_EXP (-125)
DBL_MAX_10_EXP 308
DBL_MAX_EXP 1024
DBL_MIN_10_EXP (-307)
DBL_MIN_EXP (-1021)
FP_ILOGB0 (-2147483647)
FP_ILOGBNAN 2147483647
";

/// What is defined from `-cl-std=CL2.0` on.
pub(super) const OPENCL_2: &str = "\
CL_VERSION_2_0 200
memory_order_relaxed 0u
memory_order_acquire 1u
memory_order_release 2u
memory_order_acq_rel 3u
memory_order_seq_cst 4u
memory_scope_work_item 0u
memory_scope_work_group 1u
memory_scope_device 2u
memory_scope_all_svm_devices 3u
memory_scope_all_devices 3u
memory_scope_sub_group 4u
ATOMIC_FLAG_INIT 0
cl_khr_subgroups 1
cl_khr_subgroup_ballot 1
cl_khr_subgroup_clustered_reduce 1
cl_khr_subgroup_non_uniform_arithmetic 1
cl_khr_subgroup_non_uniform_vote 1
cl_khr_subgroup_rotate 1
cl_khr_subgroup_shuffle 1
cl_khr_subgroup_shuffle_relative 1
cl_khr_3d_image_writes 1
";

/// What is defined for `-cl-std=CL3.0`: the optional features that there are.
pub(super) const OPENCL_3: &str = "\
CL_VERSION_3_0 300
__opencl_c_int64 1
__opencl_c_fp64 1
__opencl_c_images 1
__opencl_c_3d_image_writes 1
__opencl_c_read_write_images 1
__opencl_c_generic_address_space 1
__opencl_c_program_scope_global_variables 1
__opencl_c_atomic_order_acq_rel 1
__opencl_c_atomic_order_seq_cst 1
__opencl_c_atomic_scope_device 1
__opencl_c_subgroups 1
__opencl_c_work_group_collective_functions 1
__opencl_c_integer_dot_product_input_4x8bit 1
__opencl_c_integer_dot_product_input_4x8bit_packed 1
";

/// Our own functions for OpenCL C that only some programs need, and words that these contain.
pub(super) const OPENCL_ON_DEMAND: &[((&str, &str), &[&str])] = &[
    (("images", header!("images.h")), &["image", "sampler_t"]),
    (("groups", header!("groups.h")), &["sub_group", "work_group_", "linear_id"]),
    (
        ("atomics", header!("atomics.h")),
        &[
            "_explicit",
            "atomic_fetch",
            "atomic_load",
            "atomic_store",
            "atomic_exchange",
            "atomic_compare",
            "atomic_init",
            "atomic_flag",
            "atomic_work_item",
        ],
    ),
    (("dot", header!("dot.h")), &["8packed"]),
    (("hints", header!("hints.h")), &["__builtin_"]),
];

/// Our own functions for OpenCL C: name and text.
pub(super) const OPENCL_HEADER: (&str, &str) = ("opencl", header!("opencl.h"));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lex::{Tok, lex};
    use crate::source::SourceMap;
    use crate::squeeze::squeezed;

    #[test]
    fn headers_say_the_same_without_comments() {
        let read = |text: &str| {
            let mut sources = SourceMap::default();
            let file = sources.add("header", text);
            let mut diags = Vec::new();
            let tokens = lex(text, file, &mut diags);
            assert!(diags.is_empty(), "{diags:?}");
            let place = |t: &crate::lex::Token| sources.locate(t.span).line;
            // All but the end, which may lie on another line.
            let all: Vec<(Tok, bool, u32)> =
                tokens.iter().map(|t| (t.kind.clone(), t.first, place(t))).collect();
            all.into_iter().filter(|t| t.0 != Tok::Eof).collect::<Vec<_>>()
        };
        let on_demand = OPENCL_ON_DEMAND.iter().map(|(header, _)| header);
        let headers = OWN_HEADERS.iter().chain(on_demand).chain([&OLD_WARP, &OPENCL_HEADER]);
        for (name, text) in headers {
            let short = squeezed(text);
            assert!(short.len() <= text.len() && read(text) == read(&short), "{name}");
        }
    }
}
