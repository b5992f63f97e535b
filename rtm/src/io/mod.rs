//! Files: SU, SEG-Y, NPY, raw cubes.
