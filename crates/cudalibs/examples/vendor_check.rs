//! On a GPU: the vendor's libraries and the CPU do the same calls on the same buffers, and must
//! agree.
//!
//! `cargo run --release -p cudalibs --example vendor_check`

use cudalibs::blas::{Blas, Diag, Fill, Op, Side, get_matrix, get_vector, set_matrix, set_vector};
use cudalibs::fft::{BatchLayout, Complex, Direction, FftType, Plan};
use cudalibs::{Error, Provider};
use cust::memory::{CopyDestination, DeviceBuffer};
use labkit::{Backend, Lab, LabError};
use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

type C64 = Complex<f64>;
type C32 = Complex<f32>;

/// What one side computed.
type Found = Result<Vec<f64>, LabError>;

struct Check {
    failed: usize,
    done: usize,
}

impl Check {
    /// Runs `f` on both sides and compares.
    fn both(&mut self, what: &str, tolerance: f64, f: impl Fn(Provider) -> Found) {
        self.done += 1;
        let off = match (f(Provider::Vendor), f(Provider::Cpu)) {
            (Ok(a), Ok(b)) => {
                let norm = b.iter().map(|v| v * v).sum::<f64>().sqrt();
                let off = a.iter().zip(&b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
                let relative = off / (norm + 1e-300);
                (a.len() == b.len() && relative <= tolerance)
                    .then_some(relative)
                    .ok_or(format!("{relative:e}"))
            }
            (Err(a), _) => Err(format!("vendor: {a}")),
            (_, Err(b)) => Err(format!("CPU: {b}")),
        };
        match off {
            Ok(off) => println!("ok    {what}: {off:.1e}"),
            Err(why) => {
                self.failed += 1;
                println!("WRONG {what}: {why}");
            }
        }
    }
}

fn random(seed: u64, n: usize) -> Vec<f64> {
    let mut rng = ChaCha8Rng::seed_from_u64(seed);
    (0..n).map(|_| f64::from(rng.random_range(-1.0f32..1.0))).collect()
}

fn single(seed: u64, n: usize) -> Vec<f32> {
    random(seed, n).iter().map(|v| *v as f32).collect()
}

fn down(buffer: &DeviceBuffer<f64>) -> Found {
    cust::context::CurrentContext::synchronize()?;
    let mut out = vec![0.0; buffer.len()];
    buffer.copy_to(&mut out)?;
    Ok(out)
}

fn down_single(buffer: &DeviceBuffer<f32>) -> Found {
    cust::context::CurrentContext::synchronize()?;
    let mut out = vec![0.0; buffer.len()];
    buffer.copy_to(&mut out)?;
    Ok(out.iter().map(|v| f64::from(*v)).collect())
}

fn blas(check: &mut Check) {
    let (m, n, k) = (37, 29, 41);
    for op in [Op::N, Op::T, Op::C] {
        check.both(&format!("sgemv {op:?}"), 1e-6, |p| {
            let blas = Blas::with(p)?;
            let (a, x) = (
                DeviceBuffer::from_slice(&single(1, 40 * n))?,
                DeviceBuffer::from_slice(&single(2, 200))?,
            );
            let mut y = DeviceBuffer::from_slice(&single(3, 200))?;
            blas.sgemv(op, m, n, 1.5, &a, 40, &x, 3, 0.5, &mut y, -2)?;
            down_single(&y)
        });
        for other in [Op::N, Op::T] {
            check.both(&format!("dgemm {op:?} {other:?}"), 1e-14, |p| {
                let blas = Blas::with(p)?;
                let (a, b) = (
                    DeviceBuffer::from_slice(&random(1, 50 * 50))?,
                    DeviceBuffer::from_slice(&random(2, 50 * 50))?,
                );
                let mut c = DeviceBuffer::from_slice(&random(3, 45 * n))?;
                blas.dgemm(op, other, m, n, k, 1.5, &a, 50, &b, 50, 0.5, &mut c, 45)?;
                blas.dgemm_strided_batched(
                    op, other, 5, 6, 7, 1.0, &a, 10, 70, &b, 10, 0, 1.0, &mut c, 5, 30, 4,
                )?;
                down(&c)
            });
        }
        for fill in [Fill::Lower, Fill::Upper] {
            check.both(&format!("ssyrk {fill:?} {op:?}"), 1e-6, |p| {
                let blas = Blas::with(p)?;
                let a = DeviceBuffer::from_slice(&single(1, 50 * 50))?;
                let mut c = DeviceBuffer::from_slice(&single(3, 45 * n))?;
                blas.ssyrk(fill, op, n, k, 1.5, &a, 50, 0.5, &mut c, 45)?;
                down_single(&c)
            });
            for side in [Side::Left, Side::Right] {
                check.both(
                    &format!("dtrsm, dtrmv, dtrsv, dsymm, dsymv, dsyr {side:?} {fill:?} {op:?}"),
                    1e-12,
                    |p| {
                        let blas = Blas::with(p)?;
                        let mut a = random(1, 50 * 50);
                        a.iter_mut().for_each(|v| *v *= 0.03);
                        (0..50).for_each(|i| a[51 * i] += 2.0);
                        let mut a = DeviceBuffer::from_slice(&a)?;
                        let mut b = DeviceBuffer::from_slice(&random(2, 45 * n))?;
                        let mut x = DeviceBuffer::from_slice(&random(3, 3 * n))?;
                        blas.dtrsm(side, fill, op, Diag::NonUnit, m, n, 1.5, &a, 50, &mut b, 45)?;
                        blas.dtrmv(fill, op, Diag::Unit, n, &a, 50, &mut x, 2)?;
                        blas.dtrsv(fill, op, Diag::NonUnit, n, &a, 50, &mut x, -3)?;
                        let mut c = DeviceBuffer::from_slice(&random(4, 45 * n))?;
                        blas.dsymm(side, fill, m, n, 0.5, &a, 50, &b, 45, 2.0, &mut c, 45)?;
                        blas.dsyr(fill, n, 0.5, &x, 1, &mut a, 50)?;
                        let mut y = DeviceBuffer::from_slice(&random(5, n))?;
                        blas.dsymv(fill, n, 0.5, &a, 50, &x, -1, 2.0, &mut y, 1)?;
                        Ok([down(&a)?, down(&b)?, down(&c)?, down(&x)?, down(&y)?].concat())
                    },
                );
            }
        }
    }
    check.both("vectors, scalars in device memory", 1e-6, |p| {
        let blas = Blas::with(p)?;
        let (mut x, mut y) = (
            DeviceBuffer::from_slice(&single(1, 400))?,
            DeviceBuffer::from_slice(&single(2, 400))?,
        );
        let mut s = DeviceBuffer::from_slice(&[0.0f32])?;
        let mut found = vec![
            blas.isamax(100, &x, 3)? as f64,
            blas.isamin(100, &x, 4)? as f64,
            blas.sasum(100, &x, 2)?.into(),
            blas.snrm2(400, &x, 1)?.into(),
            blas.sdot(100, &x, -2, &y, 3)?.into(),
            blas.snrm2(0, &x, 1)?.into(),
            blas.isamax(10, &x, -1)? as f64,
        ];
        blas.sdot_into(50, &x, 1, &y, 1, &mut s)?;
        blas.saxpy(100, &*s, &x, 2, &mut y, -3)?;
        blas.snrm2_into(50, &x, 1, &mut s)?;
        blas.sscal(100, &*s, &mut y, 2)?;
        blas.sasum_into(50, &x, 1, &mut s)?;
        blas.sswap(50, &mut x, 2, &mut y, -1)?;
        blas.srot(50, &mut x, 2, &mut y, 1, 0.6, 0.8)?;
        let mut z = DeviceBuffer::from_slice(&single(3, 400))?;
        blas.scopy(90, &x, 2, &mut z, -4)?;
        let mut a = DeviceBuffer::from_slice(&single(4, 400))?;
        blas.sger(10, 20, 0.5, &x, 2, &y, 1, &mut a, 12)?;
        blas.sgeam(Op::T, Op::N, 10, 12, 1.0, &a, 12, 2.0, &y, 10, &mut z, 11)?;
        for buffer in [&s, &x, &y, &z, &a] {
            found.extend(down_single(buffer)?);
        }
        Ok(found)
    });
}

/// Copies, which know no provider: by the variable.
fn copies(check: &mut Check) {
    check.both("set and get", 0.0, |p| {
        let wish = if p == Provider::Cpu { "cpu" } else { "vendor" };
        // SAFETY: one thread.
        unsafe { std::env::set_var("LAB_LIBRARIES", wish) };
        let host = random(1, 60);
        let mut device = DeviceBuffer::from_slice(&[0.0f64; 60])?;
        let mut out = vec![0.0; 100];
        set_vector(7, &host, 3, &mut device, 2)?;
        get_vector(7, &device, 2, &mut out, 3)?;
        set_matrix(3, 5, &host, 4, &mut device, 6)?;
        get_matrix(3, 5, &device, 6, &mut out[30..], 5)?;
        out.extend(down(&device)?);
        Ok(out)
    });
}

fn flat(x: &[C64]) -> Vec<f64> {
    x.iter().flat_map(|v| [v.re, v.im]).collect()
}

fn fetched<T: cust::memory::DeviceCopy + Clone>(
    buffer: &DeviceBuffer<T>,
    zero: T,
) -> Result<Vec<T>, LabError> {
    cust::context::CurrentContext::synchronize()?;
    let mut out = vec![zero; buffer.len()];
    buffer.copy_to(&mut out)?;
    Ok(out)
}

fn fft(check: &mut Check) {
    let zero = C64::new(0.0, 0.0);
    for shape in [
        &[16usize] as &[usize],
        &[30],
        &[97],
        &[8, 6],
        &[5, 9],
        &[4, 8, 16],
        &[3, 5, 7],
        &[64, 64, 64],
    ] {
        let (n, last) = (shape.iter().product::<usize>(), shape[shape.len() - 1]);
        let (half, batch) = (n / last * (last / 2 + 1), 3);
        let x: Vec<C64> =
            random(1, 2 * n * batch).chunks(2).map(|v| C64::new(v[0], v[1])).collect();
        for direction in [Direction::Forward, Direction::Inverse] {
            check.both(&format!("z2z {shape:?} {direction:?}"), 1e-14, |p| {
                let mut plan = Plan::with(p, shape, None, FftType::Z2Z, batch)?;
                let mut data = DeviceBuffer::from_slice(&x)?;
                plan.exec_z2z_in_place(&mut data, direction)?;
                Ok(flat(&fetched(&data, zero)?))
            });
        }
        check.both(&format!("c2c {shape:?}"), 1e-6, |p| {
            let mut plan = Plan::with(p, shape, None, FftType::C2C, batch)?;
            let narrow: Vec<C32> = x.iter().map(|v| C32::new(v.re as f32, v.im as f32)).collect();
            let mut out = DeviceBuffer::from_slice(&narrow)?;
            plan.exec_c2c(&*DeviceBuffer::from_slice(&narrow)?, &mut out, Direction::Forward)?;
            let out = fetched(&out, C32::new(0.0, 0.0))?;
            Ok(out.iter().flat_map(|v| [f64::from(v.re), f64::from(v.im)]).collect())
        });
        check.both(&format!("d2z and z2d {shape:?}"), 1e-14, |p| {
            let real = random(2, n * batch);
            let mut forward = Plan::with(p, shape, None, FftType::D2Z, batch)?;
            let mut inverse = Plan::with(p, shape, None, FftType::Z2D, batch)?;
            let mut out = DeviceBuffer::from_slice(&vec![zero; half * batch])?;
            let mut back = DeviceBuffer::from_slice(&real)?;
            forward.exec_d2z(&*DeviceBuffer::from_slice(&real)?, &mut out)?;
            let mut found = flat(&fetched(&out, zero)?);
            inverse.exec_z2d(&mut out, &mut back)?;
            found.extend(fetched(&back, 0.0)?);
            Ok(found)
        });
        check.both(&format!("d2z and z2d in place {shape:?}"), 1e-14, |p| {
            let padded = random(3, 2 * half * batch);
            let mut forward = Plan::with(p, shape, None, FftType::D2Z, batch)?;
            let mut inverse = Plan::with(p, shape, None, FftType::Z2D, batch)?;
            let mut data = DeviceBuffer::from_slice(&padded)?;
            forward.exec_d2z_in_place(&mut data)?;
            let mut found = fetched(&data, 0.0)?;
            inverse.exec_z2d_in_place(&mut data)?;
            // The padding is nobody's.
            let width = 2 * (last / 2 + 1);
            found.extend(fetched(&data, 0.0)?.chunks(width).flat_map(|row| row[..last].to_vec()));
            Ok(found)
        });
    }
    check.both("a layout with strides", 1e-14, |p| {
        let input = BatchLayout { embed: vec![3, 6, 7], stride: 2, dist: 300 };
        let output = BatchLayout { embed: vec![9, 4, 5], stride: 1, dist: 64 };
        let x: Vec<C64> = random(1, 1200).chunks(2).map(|v| C64::new(v[0], v[1])).collect();
        let mut plan = Plan::with(p, &[3, 4, 5], Some((input, output)), FftType::Z2Z, 2)?;
        let mut y = DeviceBuffer::from_slice(&x[..124])?;
        plan.exec_z2z(&*DeviceBuffer::from_slice(&x)?, &mut y, Direction::Forward)?;
        Ok(flat(&fetched(&y, zero)?))
    });
}

fn run() -> Result<(), LabError> {
    let lab = Lab::new()?;
    if labkit::backend() != Backend::Cuda {
        println!("skipped: there is no GPU here");
        return Ok(());
    }
    println!("{}", lab.gpu_name()?);
    let mut check = Check { failed: 0, done: 0 };
    blas(&mut check);
    fft(&mut check);
    copies(&mut check);
    let refused: Result<f32, Error> =
        Blas::with(Provider::Vendor)?.snrm2(5, &*DeviceBuffer::from_slice(&[1.0f32; 4])?, 1);
    println!("{}", refused.map_or_else(|e| e.to_string(), |_| "not refused".into()));
    println!("{} of {} agree", check.done - check.failed, check.done);
    if check.failed > 0 {
        return Err(LabError::msg(format!("{} calls disagree", check.failed)));
    }
    Ok(())
}

fn main() -> std::process::ExitCode {
    labkit::exit(run())
}
