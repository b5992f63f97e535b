// Sums of products that the tensor cores make, with what they are made of, infinite numbers and
// all: the table that `crates/simt/src/exec/tensor.rs` is tested with.
//
//     nvcc -std=c++17 -O3 -arch=sm_90 tools/rates/mma_table.cu -o mma_table
//     ./mma_table > crates/simt/tests/measured/tensor_cores.csv
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

static void check(int error, const char *what)
{
    if (error) { fprintf(stderr, "error: %s: %d\n", what, error); exit(1); }
}
#define OK(call) check((int)(call), #call)

// Number format of the factors: bits of exponent and fraction.
struct Format { int exponent, fraction; };
struct Kind {
    const char *name;
    Format factors, sums;
    bool deep; // 8 words of each factor, not 4
};
static const Format f16 = {5, 10}, bf16 = {8, 7}, tf32 = {8, 10}, f32 = {8, 23};
static const Kind kinds[] = {
    {"f16", f16, f32, true},      {"f16", f16, f32, false},   {"bf16", bf16, f32, true},
    {"bf16", bf16, f32, false},   {"tf32", tf32, f32, true},  {"tf32", tf32, f32, false},
    {"f16_f16", f16, f16, true},  {"f16_f16", f16, f16, false},
};

// A lane's registers: four of A, two of B, four of the sums. A warp multiplies.
template <int KIND> __global__ void multiply(unsigned *out, const unsigned *in)
{
    const int at = blockIdx.x * 32 + threadIdx.x;
    const unsigned *r = in + at * 10;
    unsigned d[4] = {r[6], r[7], r[8], r[9]};
#define DEEP "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]), "r"(r[4]), "r"(r[5])
#define FLAT "r"(r[0]), "r"(r[1]), "r"(r[4])
#define LARGE(TYPES)                                                                               \
    asm volatile("mma.sync.aligned." TYPES                                                         \
                 " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                \
                 : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])                                  \
                 : DEEP)
#define SMALL(TYPES)                                                                               \
    asm volatile("mma.sync.aligned." TYPES " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"  \
                 : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])                                  \
                 : FLAT)
    float s[4];
    for (int k = 0; k < 4; k++)
        s[k] = __uint_as_float(d[k]);
    if (KIND == 0) LARGE("m16n8k16.row.col.f32.f16.f16.f32");
    if (KIND == 1) SMALL("m16n8k8.row.col.f32.f16.f16.f32");
    if (KIND == 2) LARGE("m16n8k16.row.col.f32.bf16.bf16.f32");
    if (KIND == 3) SMALL("m16n8k8.row.col.f32.bf16.bf16.f32");
    if (KIND == 4) LARGE("m16n8k8.row.col.f32.tf32.tf32.f32");
    if (KIND == 5) SMALL("m16n8k4.row.col.f32.tf32.tf32.f32");
    if (KIND < 6)
        for (int k = 0; k < 4; k++)
            d[k] = __float_as_uint(s[k]);
    if (KIND == 6)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5},"
                     " {%6, %7}, {%0, %1};" : "+r"(d[0]), "+r"(d[1]) : DEEP);
    if (KIND == 7)
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, "
                     "{%0, %1};" : "+r"(d[0]), "+r"(d[1]) : FLAT);
    for (int k = 0; k < 4; k++)
        out[at * 4 + k] = d[k];
}

static uint64_t state = 12345;
static uint32_t chance()
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return state >> 32;
}

// A number of about 1 (ways 0, 1 and 5: by few, many and some powers of two), or now and then a
// subnormal (way 2), infinite, NaN or very large (way 3), or zero (way 4).
static uint32_t number(Format f, int way)
{
    const int bias = (1 << (f.exponent - 1)) - 1;
    const int spread = way == 0 ? 2 : way == 1 ? (f.exponent == 5 ? 12 : 14) : way == 5 ? 6 : 4;
    int e = bias + (int)(chance() % (2 * spread + 1)) - spread;
    uint32_t m = chance() & ((1u << f.fraction) - 1);
    const uint32_t negative = chance() & 1, fate = chance() % 24;
    if (way == 2 && fate < 12) e = fate % 3;
    if (way == 2 && fate >= 20 && f.exponent == 8) e = bias - 60 - fate;
    if (way == 3 && fate < 2) e = 2 * bias + 1;
    if (way == 3 && fate == 0) m = 0;
    if (way == 3 && fate >= 2 && fate < 6) e = 2 * bias - fate % 2;
    if (way == 4 && fate < 16) e = m = 0;
    return negative << (f.exponent + f.fraction) | (uint32_t)e << f.fraction | m;
}

static uint32_t word(Format f, int way)
{
    if (f.exponent + f.fraction < 16)
        return number(f, way) | number(f, way) << 16;
    // tf32: what a register has below is not looked at.
    return f.fraction == 10 ? number(f, way) << 13 | (chance() & 0x1fff) : number(f, way);
}

int main()
{
    const int ways = 6, cases = 6;
    printf("kind,c,8 words of a,8 words of b,sum on an H200 (hexadecimal; "
           "tools/rates/mma_table.cu)\n");
    for (int kind = 0; kind < 8; kind++) {
        const Kind &k = kinds[kind];
        std::vector<unsigned> in(ways * cases * 320), out(ways * cases * 128);
        for (size_t i = 0; i < in.size(); i++)
            in[i] = word(i % 10 < 6 ? k.factors : k.sums, i / 320 / cases);
        unsigned *d_in, *d_out;
        OK(cudaMalloc(&d_in, in.size() * 4));
        OK(cudaMalloc(&d_out, out.size() * 4));
        OK(cudaMemcpy(d_in, in.data(), in.size() * 4, cudaMemcpyHostToDevice));
#define RUN(K) if (kind == K) multiply<K><<<ways * cases, 32>>>(d_out, d_in);
        RUN(0) RUN(1) RUN(2) RUN(3) RUN(4) RUN(5) RUN(6) RUN(7)
        OK(cudaGetLastError());
        OK(cudaMemcpy(out.data(), d_out, out.size() * 4, cudaMemcpyDeviceToHost));
        for (int c = 0; c < ways * cases; c++) {
            // One element of each product.
            const int row = c * 7 % 16, column = c * 5 % 8;
            const int lane = row % 8 * 4 + column / 2, place = row / 8 * 2 + column % 2;
            auto of = [&](int lane, int r) { return in[(c * 32 + lane) * 10 + r]; };
            auto half = [&](unsigned pair) { return pair >> column % 2 * 16 & 0xffff; };
            const bool halves = k.sums.exponent == 5;
            printf("%s,%x", k.name, halves ? half(of(lane, 6 + row / 8)) : of(lane, 6 + place));
            for (int w = 0; w < 8; w++)
                printf(",%x", w < 4 || k.deep ? of(row % 8 * 4 + w % 4, w / 4 * 2 + row / 8) : 0);
            for (int w = 0; w < 8; w++)
                printf(",%x", w < 4 || k.deep ? of(column * 4 + w % 4, 4 + w / 4) : 0);
            const unsigned *d = &out[(c * 32 + lane) * 4];
            printf(",%x\n", halves ? half(d[row / 8]) : d[place]);
        }
        cudaFree(d_in);
        cudaFree(d_out);
    }
}
