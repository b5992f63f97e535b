// Dot products of bytes and sums of differences, as in image matching.
//@ buffer a i32 4 list 16843009 33686018 -1 2130706432
//@ buffer b i32 4 list 16843009 50529027 16843009 16777216
//@ buffer out i32 9 zero
//@ run match <<<1, 4>>> (a, b, out)
//@ expect out 4 24 -4 127 0 4 8 126 147
__global__ void match(const int *a, const int *b, int *out)
{
    int i = threadIdx.x;
    int d = __dp4a(a[i], b[i], 0);
    out[i] = d;
    out[4 + i] = __vsads4(a[i], b[i]);
    atomicAdd(&out[8], d - (i == 0 ? 4 : 0));
}
int main() { return 0; }
