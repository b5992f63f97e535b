// memcpy of structures in device code.
//@ buffer q i32 12 list 1 2 3 4 5 6 0 0 0 0 0 0
//@ run rotate <<<1, 1>>> (q)
//@ expect q 4 5 6 1 2 3 1 2 3 -1 -1 -1
struct Job { int id, size, prio; };
__global__ void rotate(Job *q)
{
    Job keep;
    memcpy(&keep, &q[0], sizeof(Job));
    memcpy(q, q + 1, sizeof(Job));
    memcpy(q + 1, &keep, sizeof keep);
    q[2] = keep;
    memset(&q[3], 0xff, sizeof(Job));
}
int main() { Job *h = new Job[4]; delete[] h; return 0; }
