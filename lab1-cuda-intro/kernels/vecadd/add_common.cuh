// What kernels that add share: the index of a thread, and the addition of one element.
// A header may be included by several files of one program, and so twice in one of them.
// <lab
// Declare the interface here:
//   __device__ inline int global_index()         number of this thread in the launch, along x
//   __device__ inline ELEM add1(ELEM a, ELEM b)  a + b
// lab>
