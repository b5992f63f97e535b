//! Exercise 3.4.4: the three-dimensional transform on the device, three kernels for each axis. They
//! are in `kernels/ft.cu`.

use cust::module::Module;
use cust::prelude::*;
use lab3_libraries::ft::{C64, Params, Work};
use labkit::{During, Lab, LabError};

/// Transforms `u[z][y][x]` in place, not scaled: axes x, y, z for sign 1, z, y, x for sign -1. Nine
/// launches on the lab's stream, in order.
///
/// # Arguments
/// * `module` - `kernels/ft.cu`
/// * `(u, roots)` - the field, and the roots of exercise 3.4.1 for the longest axis
/// * `work` - two arrays as large as `u`
/// * `block` - threads of a block
///
/// # Errors
/// What the driver refuses.
pub fn fft3d(
    lab: &Lab,
    module: &Module,
    p: &Params,
    (u, roots): (&DeviceBuffer<C64>, &DeviceBuffer<C64>),
    work: &Work,
    sign: i32,
    block: u32,
) -> Result<(), LabError> {
    let stream = lab.stream();
    let [nx, ny, nz] = p.sizes();
    for axis in Params::axes(sign) {
        let find = |part: &str| {
            let name = format!("ft_{part}{axis}");
            module.get_function(&name).during(name)
        };
        let (copy_in, transform, copy_out) = (find("in")?, find("fft")?, find("out")?);
        let lines = p.elements() / [p.nx, p.ny, p.nz][axis - 1];
        // <lab
        let grid = (p.elements() as u32).div_ceil(block);
        let line_grid = (lines as u32).div_ceil(block);
        let (u, y0) = (u.as_device_ptr(), work.y0.as_device_ptr());
        let (y1, roots) = (work.y1.as_device_ptr(), roots.as_device_ptr());
        // SAFETY: the arguments match the kernels' parameters; all three arrays have nx ny nz
        // elements.
        unsafe {
            launch!(copy_in<<<grid, block, 0, stream>>>(u, y0, nx, ny, nz)).during("copy in")?;
            launch!(transform<<<line_grid, block, 0, stream>>>(y0, y1, roots, nx, ny, nz, sign))
                .during("transform")?;
            launch!(copy_out<<<grid, block, 0, stream>>>(y0, u, nx, ny, nz)).during("copy out")?;
        }
        //~ // Three launches: copies with a thread for each element, the transform with one for
        //~ // each of `lines` lines.
        //~ let _ = (copy_in, transform, copy_out, lines, stream, u, roots, work);
        //~ let _ = (nx, ny, nz, sign, block);
        //~ if p.elements() > 0 {
        //~     return Err(LabError::msg("fft3d: the launches are missing"));
        //~ }
        // lab>
    }
    Ok(())
}
