/* OpenCL as a program of others uses it: a picture in an image, blurred through a sampler.
   convolution N: N columns, of which the picture has 40; more of them are written outside of it.
   Exit code: 0 right, 1 a call failed, 2 wrong numbers. */
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 40, HEIGHT = 30 };

static const char *source =
    "__kernel void blur(__read_only image2d_t in, __write_only image2d_t out, sampler_t s)\n"
    "{\n"
    "    const int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
    "    float4 sum = 0.0f;\n"
    "    for (int y = -1; y <= 1; ++y)\n"
    "        for (int x = -1; x <= 1; ++x)\n"
    "            sum += read_imagef(in, s, at + (int2)(x, y)) /\n"
    "                   (float)((2 + abs(x)) * (2 + abs(y)));\n"
    "    write_imagef(out, at, sum);\n"
    "}\n";

static void check(cl_int result, const char *call)
{
    if (result == CL_SUCCESS) return;
    printf("%s: %d\n", call, result);
    exit(1);
}
#define TRY(call) check(call, #call)

static float at(const float *p, int x, int y)
{
    x = x < 0 ? 0 : x >= WIDTH ? WIDTH - 1 : x;
    y = y < 0 ? 0 : y >= HEIGHT ? HEIGHT - 1 : y;
    return p[y * WIDTH + x];
}

int main(int argc, char **argv)
{
    if (argc != 2) return 1;
    cl_platform_id platform;
    cl_device_id device;
    cl_uint count = 0;
    cl_int status;
    char name[64];
    TRY(clGetPlatformIDs(1, &platform, &count));
    TRY(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL));
    printf("%u platform, %s\n", count, name);
    TRY(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    TRY(status);
    cl_command_queue queue =
        clCreateCommandQueue(context, device, CL_QUEUE_PROFILING_ENABLE, &status);
    TRY(status);

    float picture[WIDTH * HEIGHT], result[WIDTH * HEIGHT];
    for (int i = 0; i < WIDTH * HEIGHT; i++) picture[i] = (float)(i * 7 % 64);
    cl_image_format format = { CL_R, CL_FLOAT };
    cl_image_desc desc = { .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = WIDTH,
                           .image_height = HEIGHT };
    cl_mem in = clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &format, &desc,
                              picture, &status);
    TRY(status);
    cl_mem out = clCreateImage(context, CL_MEM_WRITE_ONLY, &format, &desc, NULL, &status);
    TRY(status);
    cl_sampler sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE,
                                         CL_FILTER_NEAREST, &status);
    TRY(status);

    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    TRY(status);
    TRY(clBuildProgram(program, 1, &device, "-cl-std=CL1.2", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "blur", &status);
    TRY(status);
    TRY(clSetKernelArg(kernel, 0, sizeof in, &in));
    TRY(clSetKernelArg(kernel, 1, sizeof out, &out));
    TRY(clSetKernelArg(kernel, 2, sizeof sampler, &sampler));
    size_t range[2] = { (size_t)atoi(argv[1]), HEIGHT };
    cl_event event;
    cl_ulong start, end;
    TRY(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, range, NULL, 0, NULL, &event));
    TRY(clWaitForEvents(1, &event));
    TRY(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL));
    TRY(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
    size_t origin[3] = { 0, 0, 0 }, region[3] = { WIDTH, HEIGHT, 1 };
    TRY(clEnqueueReadImage(queue, out, CL_TRUE, origin, region, 0, 0, result, 0, NULL, NULL));

    for (int i = 0; i < WIDTH * HEIGHT; i++) {
        float sum = 0;
        for (int y = -1; y <= 1; y++)
            for (int x = -1; x <= 1; x++)
                sum += at(picture, i % WIDTH + x, i / WIDTH + y)
                     / (float)((2 + abs(x)) * (2 + abs(y)));
        if (sum != result[i]) {
            printf("texel %d is %g, not %g\n", i, result[i], sum);
            return 2;
        }
    }
    printf("%d texels are right, %s\n", WIDTH * HEIGHT, end > start ? "timed" : "not timed");
    TRY(clReleaseEvent(event));
    TRY(clReleaseKernel(kernel));
    TRY(clReleaseProgram(program));
    TRY(clReleaseSampler(sampler));
    TRY(clReleaseMemObject(in));
    TRY(clReleaseMemObject(out));
    TRY(clReleaseCommandQueue(queue));
    TRY(clReleaseContext(context));
    return 0;
}
