//! Exercise 3.4.7: the whole benchmark on the device.

use cust::prelude::*;
use lab3_libraries::e3_4_04::fft3d;
use lab3_libraries::e3_4_05::{checksum, clear};
use lab3_libraries::e3_4_06::setup_concurrent;
use lab3_libraries::ft::{
    C64, Class, Clock, Layout, Params, Phase, SharedLines, Times, Work, fft3d_direct,
};
use labkit::{Lab, LabError, kernel_file};

/// Threads of a block.
const BLOCK: u32 = 128;

/// Device memory that a run needs, in bytes: four fields of 16 bytes an element (u0, u1, y0, y1),
/// the indexmap of 4, the tables.
pub fn bytes_needed(p: &Params) -> u64 {
    // <lab
    let largest = p.niter * (p.nx * p.nx + p.ny * p.ny + p.nz * p.nz) / 4;
    ((4 * 16 + 4) * p.elements() + 8 * (largest + 1) + 16 * p.longest() + 16 * p.niter) as u64
    //~ let _ = p;
    //~ 0
    // lab>
}

/// True if the checksums of all iterations are right: `|found - wanted| <= 1e-12 |wanted|` as
/// complex numbers.
pub fn verified(class: &Class, found: &[C64]) -> bool {
    // <lab
    let right = |(found, [re, im]): (&C64, &[f64; 2])| {
        let wanted = C64::new(*re, *im);
        (found - wanted).norm() <= 1e-12 * wanted.norm()
    };
    found.len() == class.checksums.len() && found.iter().zip(class.checksums).all(right)
    //~ let _ = (class, found);
    //~ false
    // lab>
}

/// FT on the device: the checksums of all iterations, and the times of its phases. The benchmark's
/// time begins with the set-up.
///
/// # Errors
/// More memory than is free, before anything is allocated; whatever the driver refuses.
pub fn ft_gpu(lab: &Lab, p: &Params, layout: Layout) -> Result<(Vec<C64>, Times), LabError> {
    let fft = lab.module(kernel_file!("ft.cu"), &[])?;
    let setup = lab.module(kernel_file!("ft_setup.cu"), &[])?;
    let evolve = lab.module(kernel_file!("ft_evolve.cu"), &[])?;
    let check = lab.module(kernel_file!("ft_checksum.cu"), &[])?;
    let shared = SharedLines::new(lab, layout, p)?;
    // <lab
    use labkit::During;
    let (free, _) = cust::memory::mem_get_info()?;
    if bytes_needed(p) > free as u64 {
        return Err(LabError::refused(format!(
            "FT needs {} bytes of device memory, {free} are free",
            bytes_needed(p)
        )));
    }
    let n = p.elements();
    let work = Work::new(n)?;
    // SAFETY: evolve writes it before anything reads it.
    let u1 = unsafe { DeviceBuffer::<C64>::uninitialized(n)? };
    let mut sums = DeviceBuffer::<f64>::zeroed(2 * (p.niter + 1))?;
    clear(&mut sums)?;

    let mut clock = Clock::new(lab)?;
    let arrays = clock.phase(Phase::Setup, || setup_concurrent(lab, &setup, p))?;
    let transform = |u: &DeviceBuffer<C64>, sign| match layout {
        Layout::Paper => fft3d(lab, &fft, p, (u, &arrays.u), &work, sign, BLOCK),
        Layout::Direct => fft3d_direct(lab, &fft, p, (u, &arrays.u), &work, sign, BLOCK),
        Layout::Shared => shared.fft3d(lab, u, sign),
    };
    // The transformed field stays in the array of the initial one.
    let u0 = &arrays.u1;
    clock.phase(Phase::Fft, || transform(u0, 1))?;
    let kernel = evolve.get_function("ft_evolve").during("ft_evolve")?;
    let stream = lab.stream();
    for t in 1..=p.niter {
        clock.phase(Phase::Evolve, || {
            // SAFETY: the arguments match the kernel's parameters; the table reaches t |k|^2.
            unsafe {
                launch!(kernel<<<(n as u32).div_ceil(BLOCK), BLOCK, 0, stream>>>(
                    u1.as_device_ptr(),
                    u0.as_device_ptr(),
                    arrays.ex.as_device_ptr(),
                    arrays.indexmap.as_device_ptr(),
                    t as i32,
                    n as i32
                ))
            }
            .during("launch of ft_evolve")
        })?;
        clock.phase(Phase::Fft, || transform(&u1, -1))?;
        clock.phase(Phase::Checksum, || checksum(lab, &check, t, (&u1, &sums), p, BLOCK))?;
    }
    let times = clock.end()?;
    let mut values = vec![0.0; sums.len()];
    sums.copy_to(&mut values)?;
    let sums = values.chunks_exact(2).skip(1).map(|s| C64::new(s[0], s[1])).collect();
    Ok((sums, times))
    //~ // Memory; `Work::new`, u1, the sums; then `Clock::new`, the set-up, the forward transform,
    //~ // and for t = 1..=niter evolve, the inverse transform, the checksum, each as
    //~ // `clock.phase(Phase::.., || ..)?`; `clock.end()?`.
    //~ let _ = (p, layout, &fft, &setup, &evolve, &check, &shared, BLOCK);
    //~ let _ = (fft3d, fft3d_direct, checksum, clear, setup_concurrent, Work::new);
    //~ let _ = (Clock::new, Phase::Fft);
    //~ let _ = DeviceBuffer::<f64>::zeroed(1)?;
    //~ Err(LabError::msg("ft_gpu is not written yet"))
    // lab>
}
