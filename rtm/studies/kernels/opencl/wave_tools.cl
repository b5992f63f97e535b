// What a simulation does between two steps, and the copy that bandwidth is measured with.

// field[cell] += amount.
kernel void add_to_cell(global float *field, int cell, float amount) {
    if (get_global_id(0) == 0) field[cell] += amount;
}

// samples[i] = field[cells[i]].
kernel void record(global float *samples, const global float *field, const global int *cells, int n)
{
    const int i = get_global_id(0);
    if (i < n) samples[i] = field[cells[i]];
}

// The sponge: every cell times the factors of its x, y and z. Factors: nx of x, then ny of y, then
// nz of z.
kernel void damp(global float *field, const global float *factors, int nx, int ny, int nz,
                 int padding)
{
    const int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    if (x >= nx || y >= ny || z >= nz) return;
    field[padding + (z * ny + y) * nx + x] *= factors[x] * factors[nx + y] * factors[nx + ny + z];
}

kernel void copy_all(global float4 *to, const global float4 *from, int n) {
    const int i = get_global_id(0);
    if (i < n) to[i] = from[i];
}
