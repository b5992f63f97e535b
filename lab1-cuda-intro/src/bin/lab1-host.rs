//! The child process in which the judge runs lab 1's host functions: one JSON request in, one JSON reply out.

fn main() {
    // Becomes `labkit::serve::run(lab1_cuda_intro::host::handlers())`.
}
