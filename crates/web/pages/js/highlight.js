// Splits a text into words with a kind, for colours: CUDA C, OpenCL C, Rust and TOML.

const KERNEL_WORDS = new Set(
  (
    "auto bool break case char class const constexpr continue default do double else enum extern " +
    "float for half if inline int int2 int3 int4 long namespace operator private public return " +
    "short signed sizeof static struct switch template this typedef typename union unsigned " +
    "using void volatile while float2 float3 float4 double2 uchar uchar4 uint uint2 uint3 " +
    "uint4 size_t ulong ushort int8_t uint8_t int32_t uint32_t int64_t uint64_t dim3 true false " +
    "nullptr __global__ __device__ __host__ __shared__ __constant__ __restrict__ " +
    "__launch_bounds__ __forceinline__ __noinline__ __kernel kernel __global __local " +
    "__constant __private global local constant"
  ).split(" "),
);
const RUST_WORDS = new Set(
  (
    "as async await bool break const continue crate dyn else enum extern f32 f64 false fn for " +
    "i32 i64 if impl in let loop match mod move mut pub ref return self Self static str " +
    "String struct super trait true type u8 u32 u64 unsafe use usize Vec where while"
  ).split(" "),
);
const BUILT_IN =
  /^(threadIdx|blockIdx|blockDim|gridDim|warpSize|__\w+|atomic\w+|get_\w+|barrier|printf|assert)$/;

/** One expression of alternatives; the number of the group that matched is the kind. */
const either = (...parts) => new RegExp(parts.map((part) => `(${part.source})`).join("|"), "gm");

const STRING = /"(?:\\.|[^"\\\n])*"?/;
const KERNEL = either(
  /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$(?![\s\S]))/,
  new RegExp(`${STRING.source}|'(?:\\\\.|[^'\\\\\\n])*'?`),
  /^[ \t]*#[^\n]*/,
  /\b(?:0[xX][\da-fA-F]+|\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+)[fFuUlLhH]*/,
  /[A-Za-z_]\w*/,
);
const TOML = either(/#[^\n]*/, STRING, /^\[[^\n]*\]/, /\b\d[\d_.]*/, /[A-Za-z_][\w-]*/);

/** `[start, end, kind]` in order; what is between has no kind. */
export function words(text, file) {
  const kind = file.split(".").pop();
  const toml = kind === "toml" || kind === "dbg";
  const rust = kind === "rs";
  const known = rust ? RUST_WORDS : KERNEL_WORDS;
  const out = [];
  for (const found of text.matchAll(toml ? TOML : KERNEL)) {
    const [all, comment, string, line, number, word] = found;
    let of = null;
    if (comment) of = "comment";
    else if (string) of = "string";
    else if (line) of = "line";
    else if (number) of = "number";
    else if (toml) of = /^\s*=/.test(text.slice(found.index + all.length)) ? "word" : null;
    else if (known.has(word)) of = "word";
    else if (!rust && BUILT_IN.test(word)) of = "known";
    if (of) out.push([found.index, found.index + all.length, of]);
  }
  return out;
}
