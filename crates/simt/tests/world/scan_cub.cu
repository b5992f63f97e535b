// CUB's block scan under a typedef, storage in a union.
//@ buffer in i32 128 fill 2
//@ buffer out i32 128 zero
//@ run ScanKernel<128> <<<1, 128>>> (in, out)
//@ expect out 0 2 4 6 8 10 12 14 16 18 20 22 24 26 28 30 32 34 36 38 40 42 44 46 48 50 52 54 56 58 60 62 64 66 68 70 72 74 76 78 80 82 84 86 88 90 92 94 96 98 100 102 104 106 108 110 112 114 116 118 120 122 124 126 128 130 132 134 136 138 140 142 144 146 148 150 152 154 156 158 160 162 164 166 168 170 172 174 176 178 180 182 184 186 188 190 192 194 196 198 200 202 204 206 208 210 212 214 216 218 220 222 224 226 228 230 232 234 236 238 240 242 244 246 248 250 252 254
#include <cub/cub.cuh>
#include <cstdio>
template <int THREADS> __global__ void ScanKernel(const int *d_in, int *d_out)
{
    using BlockScanT = cub::BlockScan<int, THREADS, cub::BLOCK_SCAN_RAKING>;
    using BlockLoadT = cub::BlockLoad<int, THREADS, 1>;
    __shared__ union TempStorage {
        typename BlockLoadT::TempStorage load;
        typename BlockScanT::TempStorage scan;
    } temp_storage;
    int data[1];
    BlockLoadT(temp_storage.load).Load(d_in, data);
    __syncthreads();
    int aggregate;
    BlockScanT(temp_storage.scan).ExclusiveSum(data[0], data[0], aggregate);
    d_out[threadIdx.x] = data[0];
}
template __global__ void ScanKernel<128>(const int *, int *);
int main()
{
    cub::CachingDeviceAllocator g_allocator(true);
    void *d_temp_storage = NULL;
    size_t temp_storage_bytes = 0;
    ScanKernel<128><<<1, 128>>>(NULL, NULL);
    return 0;
}
