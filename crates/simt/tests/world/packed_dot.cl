// Products of packed bytes, vectors sent through a sub-group, and spaces of pointers.
//@ options -cl-std=CL3.0
//@ buffer out i32 8 zero
//@ buffer where i32 4 zero
//@ run dots <<<32, 32>>> (out)
//@ run spaces <<<1, 1>>> (where)
//@ expect out 8 264 8 264 2147483647 6 3 0
//@ expect where 1 0 0 1
__kernel void dots(__global int *out)
{
    const uint a = 0x01020304u, b = 0xff010101u;
    const int t = get_local_id(0);
    const int2 sent = sub_group_broadcast((int2)(t, 2 * t), 3);
    if (t == 0) {
        out[0] = dot_4x8packed_ss_int(a, b);
        out[1] = dot_4x8packed_uu_uint(a, b);
        out[2] = dot_4x8packed_us_int(a, b);
        out[3] = dot_4x8packed_su_int(a, b);
        out[4] = dot_acc_sat_4x8packed_ss_int(a, b, INT_MAX - 2);
        out[5] = sent.y;
        out[6] = sent.x;
    }
}
__kernel void spaces(__global int *where)
{
    __local int here[1];
    int *any = where;
    where[0] = to_global(any) == where;
    where[1] = to_local(any) != 0;
    any = here;
    where[2] = to_global(any) != 0;
    where[3] = to_local(any) == here;
}
