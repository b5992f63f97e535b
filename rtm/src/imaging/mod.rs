//! From the sums over time of each shot to the image: imaging conditions, Laplacian filter, illumination.
