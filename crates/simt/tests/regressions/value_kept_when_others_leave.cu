// Lanes that continue, break or return take their values home; what follows is reached by other
// lanes, whose values are still where they were. Found as seeds 3000037196 (a switch that continues
// the loop around it) and 3000016391 (a return out of a loop) of the random kernels.
//
//@ buffer out i32 6 empty
//@ run leave <<<1, 1>>> (out, 10)
//@ expect out 3 3 12 15 2 1

__device__ int early(int &v, int n)
{
    v += 5;
    int k = 3;
    while (k-- > 0 && n > 100)
        if (72.5f < 80) return 1;
    return 2;
}

extern "C" __global__ void leave(int *out, int n)
{
    int a = 1;
    for (int i = 2; i > 0; i--) {
        ++a;
        switch (a) {
        case 0:
            break;
        default:
            continue;
        case 3:
            break;
        }
    }
    out[0] = a;
    int b = 1;
#pragma unroll
    for (int i = 2; i > 0; i--) {
        ++b;
        switch (b) {
        case 3:
            break;
        default:
            if (i != 100) continue;
        }
    }
    out[1] = b;
    int c = n;
    while (true) {
        ++c;
        switch (c) {
        case 11:
            continue;
        }
        break;
    }
    out[2] = c;
    int d = n;
    int e = early(d, n);
    out[3] = d;
    out[4] = e;
    int f = n;
    out[5] = early(f, 1000);
}
