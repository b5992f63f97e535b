//! What the labs' host code uses beside cust: kernels, reports, errors, files.
