// A linked list per bucket: the head is exchanged, the old one becomes the successor.
// Twin: head read and written by plain accesses.
//
//@ buffer head i32 4 fill -1
//@ buffer next i32 64 empty
//@ buffer length i32 4 empty
//@ run cas_list_head <<<2, 32>>> (head, next)
//@ run cas_list_head_length <<<1, 4>>> (head, next, length)
//@ expect length 16 16 16 16
//@ fault RACE-G

extern "C" __global__ void cas_list_head(int *head, int *next)
{
    int i = blockIdx.x * 32 + threadIdx.x;
#ifdef FAULTY
    next[i] = head[i % 4];
    head[i % 4] = i; // <- fault
#else
    next[i] = atomicExch(&head[i % 4], i);
#endif
}

extern "C" __global__ void cas_list_head_length(const int *head, const int *next, int *length)
{
    int n = 0;
    for (int i = head[threadIdx.x]; i >= 0; i = next[i])
        ++n;
    length[threadIdx.x] = n;
}
