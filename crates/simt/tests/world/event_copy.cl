// async_work_group_copy with an event.
//@ buffer x i32 16 iota 0 1
//@ buffer y i32 16 zero
//@ run rev <<<16, 8>>> (x, y)
//@ expect y 7 6 5 4 3 2 1 0 15 14 13 12 11 10 9 8
__kernel void rev(__global const int *x, __global int *y)
{
    __local int t[8];
    event_t e = async_work_group_copy(t, x + get_group_id(0) * 8, 8, 0);
    wait_group_events(1, &e);
    y[get_global_id(0)] = t[7 - get_local_id(0)];
}
