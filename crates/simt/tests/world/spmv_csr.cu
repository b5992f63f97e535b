// Sparse matrix times vector, one warp for a row, host code in namespaces with templates.
//@ buffer val f64 5 list 1 2 3 4 5
//@ buffer cols i32 5 list 0 1 1 0 2
//@ buffer rows i32 4 list 0 2 3 5
//@ buffer vec f64 3 list 1 10 100
//@ buffer out f64 3 zero
//@ run spmv_csr_vector_kernel<double> <<<3, 32>>> (val, vec, cols, rows, 3, out)
//@ expect out 21 30 504
#include <vector>
#include <map>
#include <algorithm>
namespace host
{
template <typename T, typename Cmp = std::less<T>>
void sort_rows(std::vector<T> &v, Cmp cmp = Cmp())
{ std::sort(v.begin(), v.end(), cmp); }
enum class Format { csr, ell };
std::map<Format, int> sizes;
}
template <typename fpType>
__global__ void spmv_csr_vector_kernel(const fpType *__restrict__ val,
                                       const fpType *__restrict__ vec, const int *__restrict__ cols,
                                       const int *__restrict__ rowDelimiters, const int dim,
                                       fpType *__restrict__ out)
{
    int t = threadIdx.x, id = t & (warpSize - 1),
        myRow = blockIdx.x * (blockDim.x / warpSize) + t / warpSize;
    if (myRow < dim) {
        fpType mySum = 0;
        for (int j = rowDelimiters[myRow] + id; j < rowDelimiters[myRow + 1]; j += warpSize)
            mySum += val[j] * __ldg(&vec[cols[j]]);
        for (int o = 16; o; o >>= 1) mySum += __shfl_xor_sync(~0u, mySum, o);
        if (id == 0) out[myRow] = mySum;
    }
}
template __global__ void spmv_csr_vector_kernel<double>(const double *, const double *, const int *,
                                                        const int *, const int, double *);
int main()
{
    std::vector<int> v{3, 1, 2};
    host::sort_rows(v);
    return static_cast<int>(host::Format::csr);
}
