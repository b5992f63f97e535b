// Old style: texture references bound on the host, constants for the centres.
//@ buffer features f32 8 list 1 9 2 8 1 9 2 8
//@ texture t_features features 8 1 1 1
//@ symbol c_clusters f32 4 list 1 1 9 9
//@ buffer membership i32 4 zero
//@ run kmeansPoint <<<1, 4>>> (2, 4, 2, membership)
//@ expect membership 0 1 0 1
#include <stdio.h>
#include <cuda.h>
#define ASSUMED_NR_CLUSTERS 32
texture<float, 1, cudaReadModeElementType> t_features;
__constant__ float c_clusters[4];
__global__ void kmeansPoint(int nfeatures, int npoints, int nclusters, int *membership)
{
    const unsigned int point_id = blockIdx.x * blockDim.x + threadIdx.x;
    int index = -1;
    if (point_id < npoints) {
        float min_dist = 3.402823466e+38F;
        for (int i = 0; i < nclusters; i++) {
            float ans = 0.0;
            for (int j = 0; j < nfeatures; j++) {
                int addr = point_id + j * npoints;
                float diff = (tex1Dfetch(t_features, addr) - c_clusters[i * nfeatures + j]);
                ans += diff * diff;
            }
            if (ans < min_dist) { min_dist = ans; index = i; }
        }
        membership[point_id] = index;
    }
}
extern "C" int kmeansCuda(float **feature, int nfeatures, int npoints)
{
    cudaChannelFormatDesc chDesc0 = cudaCreateChannelDesc<float>();
    t_features.filterMode = cudaFilterModePoint;
    t_features.normalized = false;
    t_features.channelDesc = chDesc0;
    if (cudaBindTexture(NULL, &t_features, feature, &chDesc0,
                        npoints * nfeatures * sizeof(float)) != CUDA_SUCCESS)
        printf("Couldn't bind features array to texture!\n");
    return 0;
}
