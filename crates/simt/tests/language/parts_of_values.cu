// Names for parts of a value, `for` over lists and objects, `T &&`, `static` in functions, unions
// as values, sums of more than 1,500 terms, shared objects whose constructor does nothing.
//
//@ buffer out i32 20 zero
//@ run parts <<<1, 1>>> (out, 1065353216)
//@ expect out 1 2 5 6 3 3 1 2 6 7 8 1065353216 2 3 1065353216 2000 4 5 9 0
struct Pair { int a, b; };
__device__ Pair pair() { return {1, 2}; }
struct Span {
    int *p;
    int n;
    __device__ int *begin() const { return p; }
    __device__ int *end() const { return p + n; }
};
__device__ int kind(int &) { return 1; }
__device__ int kind(int &&) { return 2; }
__device__ int table(int i)
{
    static const int t[3] = {1, 2, 3};
    return t[i];
}
__device__ int next()
{
    static int n = 6;
    return ++n;
}
union Word {
    float f;
    unsigned u;
    unsigned char b[4];
};
__device__ Word word(float x)
{
    Word w;
    w.f = x;
    return w;
}
__device__ unsigned bits(Word w) { return w.u; }
union Given {
    int i;
    float f;
};
struct Complex {
    float re, im;
    __host__ __device__ Complex() {}
    __host__ __device__ Complex(float a, float b) : re(a), im(b) {}
};
#define TEN(x) x + x + x + x + x + x + x + x + x + x
#define THOUSAND(x) TEN(TEN(TEN(x)))

extern "C" __global__ void parts(int *out, Given given)
{
    auto [a, b] = pair();
    out[0] = a, out[1] = b;
    int x[2] = {3, 4};
    auto &[p, q] = x;
    p = 5;
    out[2] = x[0];
    for (int v : {1, 2, 3})
        out[3] += v;
    int many[] = {7, 8, 3};
    for (int v : Span{many, 3})
        out[4] = v;
    for (const auto &v : many)
        out[5] = v;
    int one = 1;
    out[6] = kind(one), out[7] = kind(3);
    out[8] = table(0) + table(1) + table(2);
    out[9] = next(), out[10] = next();
    Word w = word(1.0f);
    out[11] = bits(w);
    Word zero;
    zero.u = 0;
    zero.b[0] = 2;
    Word copy = zero;
    out[12] = copy.u;
    union { int i; float f; } local = {3};
    out[13] = local.i;
    out[14] = given.i;
    out[15] = THOUSAND(one) + THOUSAND(one);
    __shared__ Complex c[2];
    c[0] = Complex(4, 5);
    out[16] = (int)c[0].re, out[17] = (int)c[0].im;
    Word choice = out[16] == 4 ? word(2.0f) : zero;
    out[18] = choice.f == 2.0f ? 9 : 0;
}
