__kernel void mirror(__global float *x, __local float *tile)
{
    int t = get_local_id(0), n = get_local_size(0);
    tile[t] = x[get_global_id(0)];
    x[get_global_id(0)] = tile[n - 1 - t];
}
