// Surfaces written and read by bytes.
//@ buffer img u8 8 iota 0 1
//@ texture surf img 4 2 1 1
//@ run invert <<<1, (4,2)>>> (surf)
//@ expect img 255 254 253 252 251 250 249 248
__global__ void invert(cudaSurfaceObject_t surf)
{
    int x = threadIdx.x, y = threadIdx.y;
    unsigned char v;
    surf2Dread(&v, surf, x, y);
    surf2Dwrite((unsigned char)(255 - v), surf, x, y);
}
int main()
{
    cudaArray_t a;
    cudaChannelFormatDesc d = cudaCreateChannelDesc(8, 0, 0, 0, cudaChannelFormatKindUnsigned);
    cudaMallocArray(&a, &d, 4, 2, cudaArraySurfaceLoadStore);
    return 0;
}
