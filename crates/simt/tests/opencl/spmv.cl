// Sparse matrix (three diagonals, compressed rows) times a vector: a row per work-item, and a row
// per work-group.
//
//@ buffer start i32 65 iota 0 3
//@ buffer vals f32 192 rand 29 -1 1
//@ buffer x f32 66 rand 31 -1 1
//@ buffer scalar f32 64 empty
//@ buffer group f32 64 empty
//@ run spmv <<<64, 32>>> (start, vals, x, scalar, 64)
//@ run spmv_group <<<512, 8>>> (start, vals, x, group)
//@ check scalar exact
//@ check group within 1e-6

typedef struct {
    int first, last;
} row_t;

row_t row_of(__global const int *start, int row)
{
    row_t r = { .first = start[row], .last = start[row + 1] };
    return r;
}

__kernel void spmv(__global const int *start, __global const float *vals, __global const float *x,
                   __global float *y, int rows)
{
    int row = get_global_id(0);
    if (row >= rows)
        return;
    const row_t r = row_of(start, row);
    float sum = 0;
    for (int e = r.first; e < r.last; e++)
        sum += vals[e] * x[row + (e - r.first)];
    y[row] = sum;
}

__kernel void spmv_group(__global const int *start, __global const float *vals,
                         __global const float *x, __global float *y)
{
    __local float part[8];
    int row = get_group_id(0), t = get_local_id(0);
    const row_t r = row_of(start, row);
    part[t] = r.first + t < r.last ? vals[r.first + t] * x[row + t] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (t == 0) {
        float8 all = vload8(0, part);
        float4 half_sum = all.lo + all.hi;
        y[row] = half_sum.x + half_sum.y + half_sum.z + half_sum.w;
    }
}
