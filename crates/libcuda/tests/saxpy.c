/* The driver API as a program of others uses it: y = a x + y, then the largest of y by a grid that
   waits for itself. saxpy FILE.cu N M: N elements, of which the kernel is told that there are M.
   Exit code: 0 right, 1 a call failed, 2 wrong numbers. */
#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>

static void check(CUresult result, const char *call)
{
    if (result == CUDA_SUCCESS) return;
    const char *name = "?";
    cuGetErrorName(result, &name);
    printf("%s: %s\n", call, name);
    exit(1);
}
#define TRY(call) check(call, #call)

int main(int argc, char **argv)
{
    if (argc != 4) return 1;
    int n = atoi(argv[2]), m = atoi(argv[3]), count = 0, major = 0, minor = 0;
    CUdevice device;
    CUcontext context;
    TRY(cuInit(0));
    TRY(cuDeviceGetCount(&count));
    TRY(cuDeviceGet(&device, 0));
    TRY(cuDeviceComputeCapability(&major, &minor, device));
    TRY(cuCtxCreate(&context, NULL, CU_CTX_SCHED_AUTO, device));
    printf("%d device, compute capability %d.%d\n", count, major, minor);

    CUmodule module;
    CUfunction saxpy;
    TRY(cuModuleLoad(&module, argv[1]));
    TRY(cuModuleGetFunction(&saxpy, module, "saxpy"));

    float *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y), a = 3;
    for (int i = 0; i < n; i++) x[i] = i, y[i] = 1;
    CUdeviceptr dx, dy;
    TRY(cuMemAlloc(&dx, n * sizeof *x));
    TRY(cuMemAlloc(&dy, n * sizeof *y));
    TRY(cuMemcpyHtoD(dx, x, n * sizeof *x));
    TRY(cuMemcpyHtoD(dy, y, n * sizeof *y));
    void *params[] = { &m, &a, &dx, &dy };
    TRY(cuLaunchKernel(saxpy, (m + 127) / 128, 1, 1, 128, 1, 1, 0, NULL, params, NULL));
    TRY(cuCtxSynchronize());
    TRY(cuMemcpyDtoH(y, dy, n * sizeof *y));
    for (int i = 0; i < n; i++)
        if (y[i] != 3.0f * i + 1) return 2;
    printf("%d elements are right\n", n);

    CUfunction largest;
    void *of[] = { &n, &dy };
    TRY(cuModuleGetFunction(&largest, module, "largest"));
    TRY(cuLaunchCooperativeKernel(largest, (n + 127) / 128, 1, 1, 128, 1, 1, 0, NULL, of));
    TRY(cuMemcpyDtoH(y, dy, sizeof *y));
    printf("the largest is %g\n", y[0]);

    /* The other vector is left: the emulated device says so. */
    TRY(cuMemFree(dx));
    TRY(cuCtxDestroy(context));
    return 0;
}
