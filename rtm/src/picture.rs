//! PNG pictures of models, gathers, snapshots and images.
