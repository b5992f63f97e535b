// CUB's collectives: reductions, scans, loads, stores and a sort.
//
//@ buffer in i32 256 iota 1 1
//@ buffer keys f32 128 rand 5 -9 9
//@ buffer out i32 12 zero
//@ buffer loaded i32 256 zero
//@ buffer wrong i32 1 zero
//@ buffer most i32 1 zero
//@ run block_parts <<<1, 64>>> (out, in, loaded)
//@ run sorts <<<1, 64>>> (keys, wrong)
//@ run without_storage <<<1, 64>>> (most, in)
//@ expect most 128
//@ expect out 2080 64 55 4 6 32896 0 136 528 496 10 37
//@ expect wrong 0
//@ expect loaded 256 255 254 253 252 251 250 249 248 247 246 245 244 243 242 241 240 239 238 237 236 235 234 233 232 231 230 229 228 227 226 225 224 223 222 221 220 219 218 217 216 215 214 213 212 211 210 209 208 207 206 205 204 203 202 201 200 199 198 197 196 195 194 193 192 191 190 189 188 187 186 185 184 183 182 181 180 179 178 177 176 175 174 173 172 171 170 169 168 167 166 165 164 163 162 161 160 159 158 157 156 155 154 153 152 151 150 149 148 147 146 145 144 143 142 141 140 139 138 137 136 135 134 133 132 131 130 129 128 127 126 125 124 123 122 121 120 119 118 117 116 115 114 113 112 111 110 109 108 107 106 105 104 103 102 101 100 99 98 97 96 95 94 93 92 91 90 89 88 87 86 85 84 83 82 81 80 79 78 77 76 75 74 73 72 71 70 69 68 67 66 65 64 63 62 61 60 59 58 57 56 55 54 53 52 51 50 49 48 47 46 45 44 43 42 41 40 39 38 37 36 35 34 33 32 31 30 29 28 27 26 25 24 23 22 21 20 19 18 17 16 15 14 13 12 11 10 9 8 7 6 5 4 3 2 1

#include <cub/cub.cuh>

extern "C" __global__ void block_parts(int *out, const int *in, int *loaded)
{
    typedef cub::BlockReduce<int, 64> Reduce;
    typedef cub::BlockScan<int, 64, cub::BLOCK_SCAN_WARP_SCANS> Scan;
    typedef cub::BlockLoad<int, 64, 4, cub::BLOCK_LOAD_TRANSPOSE> Load;
    typedef cub::BlockStore<int, 64, 4, cub::BLOCK_STORE_TRANSPOSE> Store;
    __shared__ union {
        typename Reduce::TempStorage reduce;
        typename Scan::TempStorage scan;
        typename Load::TempStorage load;
        typename Store::TempStorage store;
    } temp;
    __shared__ cub::WarpReduce<int, 16>::TempStorage warp[4];
    __shared__ cub::WarpScan<int>::TempStorage scans[2];
    int t = threadIdx.x;
    int sum = Reduce(temp.reduce).Sum(in[t]);
    __syncthreads();
    int most = Reduce(temp.reduce).Reduce(in[t], cub::Max());
    __syncthreads();
    int first_ten = Reduce(temp.reduce).Sum(in[t], 10);
    if (t == 0)
        out[0] = sum, out[1] = most, out[2] = first_ten;
    __syncthreads();
    int before, upto, all;
    Scan(temp.scan).ExclusiveSum(1, before);
    if (t == 4)
        out[3] = before;
    __syncthreads();
    Scan(temp.scan).InclusiveSum(in[t], upto, all);
    if (t == 2)
        out[4] = upto;
    __syncthreads();
    int items[4];
    Load(temp.load).Load(in, items);
    __syncthreads();
    int four = Reduce(temp.reduce).Sum(items);
    if (t == 0)
        out[5] = four, out[6] = all - 2080;
    __syncthreads();
    for (int &i : items)
        i = 257 - i;
    int turned[4] = {items[3], items[2], items[1], items[0]};
    (void)turned;
    Store(temp.store).Store(loaded, items);
    int part = cub::WarpReduce<int, 16>(warp[t / 16]).Sum(in[t]);
    if (t == 0)
        out[7] = part;
    int run, total;
    cub::WarpScan<int>(scans[t / 32]).InclusiveSum(in[t], run, total);
    if (t == 3)
        out[8] = total, out[10] = run;
    __syncwarp();
    cub::WarpScan<int>(scans[t / 32]).ExclusiveSum(in[t], run);
    if (t == 31)
        out[9] = run;
    __syncthreads();
    Scan(temp.scan).ExclusiveScan(in[t], run, 36, cub::Max());
    if (t == 37)
        out[11] = run;
}

__device__ int larger(int a, int b) { return a > b ? a : b; }

template <int N> struct Allreduce {
    using Reduce = cub::BlockReduce<int, N>;
    typename Reduce::TempStorage temp;
    int out;
};

extern "C" __global__ void without_storage(int *most, const int *in)
{
    using Reduce = cub::BlockReduce<int, 64>;
    __shared__ Allreduce<64> all;
    __shared__ Reduce::TempStorage temp;
    int (*op)(int, int) = larger;
    int a = cub::BlockReduce<int, 64>().Reduce(in[threadIdx.x], op);
    int b = Allreduce<64>::Reduce(all.temp).Reduce(in[threadIdx.x], cub::Max());
    int c = Reduce(temp).Sum(1);
    if (threadIdx.x == 0)
        *most = a + b + c - 64;
}

extern "C" __global__ void sorts(float *keys, int *wrong)
{
    typedef cub::BlockRadixSort<float, 64, 2, int> Sort;
    __shared__ Sort::TempStorage temp;
    int t = threadIdx.x;
    float own[2] = {keys[2 * t], keys[2 * t + 1]};
    int where[2] = {2 * t, 2 * t + 1};
    Sort(temp).Sort(own, where);
    for (int i = 0; i < 2; ++i)
        if (keys[where[i]] != own[i])
            atomicAdd(wrong, 1);
    __syncthreads();
    for (int i = 0; i < 2; ++i)
        keys[2 * t + i] = own[i];
    __syncthreads();
    if (t > 0 && (keys[2 * t - 1] > keys[2 * t] || keys[2 * t] > keys[2 * t + 1]))
        atomicAdd(wrong, 1);
}
