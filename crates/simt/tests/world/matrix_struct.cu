// A Matrix struct passed by value, sub-matrices by device functions.
//@ buffer a f32 16 iota 0 1
//@ buffer b f32 16 list 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1
//@ buffer c f32 16 zero
//@ run MatMulRaw <<<(2,2), (2,2)>>> (a, b, c, 4)
//@ expect c 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
#define BLOCK_SIZE 2
typedef struct { int width; int height; int stride; float *elements; } Matrix;
__device__ float GetElement(const Matrix A, int row, int col)
{ return A.elements[row * A.stride + col]; }
__device__ void SetElement(Matrix A, int row, int col, float value)
{ A.elements[row * A.stride + col] = value; }
__device__ Matrix GetSubMatrix(Matrix A, int row, int col)
{
    Matrix Asub;
    Asub.width = BLOCK_SIZE;
    Asub.height = BLOCK_SIZE;
    Asub.stride = A.stride;
    Asub.elements = &A.elements[A.stride * BLOCK_SIZE * row + BLOCK_SIZE * col];
    return Asub;
}
__device__ void MatMulDevice(Matrix A, Matrix B, Matrix C)
{
    int blockRow = blockIdx.y, blockCol = blockIdx.x, row = threadIdx.y, col = threadIdx.x;
    Matrix Csub = GetSubMatrix(C, blockRow, blockCol);
    float Cvalue = 0;
    for (int m = 0; m < (A.width / BLOCK_SIZE); ++m) {
        Matrix Asub = GetSubMatrix(A, blockRow, m), Bsub = GetSubMatrix(B, m, blockCol);
        __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
        __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];
        As[row][col] = GetElement(Asub, row, col);
        Bs[row][col] = GetElement(Bsub, row, col);
        __syncthreads();
        for (int e = 0; e < BLOCK_SIZE; ++e) Cvalue += As[row][e] * Bs[e][col];
        __syncthreads();
    }
    SetElement(Csub, row, col, Cvalue);
}
__global__ void MatMulKernel(Matrix A, Matrix B, Matrix C) { MatMulDevice(A, B, C); }
__global__ void MatMulRaw(float *a, float *b, float *c, int n)
{
    Matrix A = {n, n, n, a}, B = {n, n, n, b}, C = {n, n, n, c};
    MatMulDevice(A, B, C);
}
void MatMul(const Matrix A, const Matrix B, Matrix C)
{
    Matrix d_A;
    d_A.width = d_A.stride = A.width;
    MatMulKernel<<<1, 1>>>(d_A, d_A, d_A);
}
