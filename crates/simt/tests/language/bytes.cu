// memcpy and memset in device code.
//
//@ buffer from i32 8 iota 1 1
//@ buffer to i32 8 zero
//@ run bytes <<<1, 1>>> (to, from)
//@ expect to 3 4 5 -1 0 6 7 16843009

struct Three { int a[3]; };

extern "C" __global__ void bytes(int *to, const int *from)
{
    Three t;
    memcpy(&t, from + 2, sizeof(t));
    memcpy(to, t.a, sizeof t.a);
    memset(to + 3, 0xff, 4);
    memcpy((char *)to + 20, (const char *)(from + 5), 8);
    memset(&to[7], 1, sizeof(int));
}
