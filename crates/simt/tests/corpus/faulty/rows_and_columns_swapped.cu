// A 16 x 64 matrix indexed as if it had 64 rows.
//
//@ buffer m f32 1024 zero
//@ run rows_and_columns_swapped <<<(4, 1), (16, 16)>>> (m, 64, 16)
//@ fault OOB-G m[1024] thread (0,0,0) block (1,0,0)
//@ sanitizer memcheck

extern "C" __global__ void rows_and_columns_swapped(float *m, int cols, int rows)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    m[col * cols + row] = 1.0f; // <- fault
}
