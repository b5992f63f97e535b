/*
 * Parses numbers out of fixed-width text records, in the C style of error paths: every check that
 * fails jumps to the place that puts things back in order.
 */
//@ buffer text i8 40 list 52 50 32 32 32 32 32 32 45 55 32 32 32 32 32 32 49 120 32 32 32 32 32 32 32 32 32 32 32 32 32 32 57 57 57 57 57 57 57 57
//@ buffer value i32 5 fill -1
//@ buffer status i32 5 fill -1
//@ run parse_records <<<1, 32>>> (text, value, status, 5)
//@ expect value 42 -7 0 0 0
//@ expect status 0 0 2 1 3
#include <stdio.h>
#include <stdlib.h>

#define WIDTH 8
enum { OK, EMPTY, BAD_DIGIT, TOO_LARGE };

__global__ void parse_records(const char *text, int *value, int *status, int records)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    const char *p, *end;
    int sign, digits, sum, code;

    if (r >= records)
        goto done;
    p = text + r * WIDTH;
    end = p + WIDTH;
    sign = 1;
    digits = 0;
    sum = 0;
    code = OK;

skip:
    if (p == end) {
        code = EMPTY;
        goto fail;
    }
    if (*p == ' ') {
        ++p;
        goto skip;
    }
    if (*p == '-') {
        sign = -1;
        ++p;
    }
    for (; p < end && *p != ' '; ++p) {
        if (*p < '0' || *p > '9') {
            code = BAD_DIGIT;
            goto fail;
        }
        if (++digits > 6) {
            code = TOO_LARGE;
            goto fail;
        }
        sum = 10 * sum + (*p - '0');
    }
    value[r] = sign * sum;
    goto report;

fail:
    value[r] = 0;
report:
    status[r] = code;
done:
    return;
}

int main(void)
{
    char *text = NULL;
    int *value = NULL, *status = NULL, rc = 1;
    if (cudaMalloc((void **)&text, 40) != cudaSuccess) goto out;
    if (cudaMalloc((void **)&value, 5 * sizeof(int)) != cudaSuccess) goto out;
    if (cudaMalloc((void **)&status, 5 * sizeof(int)) != cudaSuccess) goto out;
    parse_records<<<1, 32>>>(text, value, status, 5);
    rc = cudaDeviceSynchronize() != cudaSuccess;
out:
    cudaFree(status);
    cudaFree(value);
    cudaFree(text);
    return rc;
}
