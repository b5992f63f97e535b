//! Vectors and matrices between host and device: `cublasSetVector` and its kin. They wait until the
//! copy is done.

use std::os::raw::c_void;

use bytemuck::Pod;
use cuda_driver::library::{Operation, Run, Work};
use cust::memory::{DeviceCopy, DeviceSlice};

use super::operand::Call;
use super::status::{NOT_INITIALIZED, STATUSES};
use super::vendor::Copies;
use super::{Error, Result, cublas};
use crate::device::{Elements, Place, Session};
use crate::provider::{Chosen, Provider};
use crate::remote;

const DEFAULT: *mut c_void = std::ptr::null_mut();
/// Most bytes of a copy for a program: as much as the largest device memory that is emulated.
const MOST: u64 = 4 << 30;

/// Copies `n` elements of a host vector to a device vector (`cublasSetVector`); neighbours are
/// `incx` and `incy` elements apart.
///
/// # Errors
/// An increment below 1, a slice that is too short.
pub fn set_vector<T: Pod + DeviceCopy>(
    n: usize,
    x: &[T],
    incx: usize,
    y: &mut DeviceSlice<T>,
    incy: usize,
) -> Result<()> {
    let call = Call("cublasSetVector");
    moved(call, || {
        let host = strided(call, "x", x.len(), n, incx)?;
        let rows = strided(call, "y", y.len(), n, incy)?;
        let to = Elements::rows(Place::from(&*y), rows.clone());
        let [n32, ix, iy] = [call.int("n", n)?, call.int("incx", incx)?, call.int("incy", incy)?];
        match chosen(call)? {
            Chosen::Vendor => {
                let (from, to) = (x.as_ptr().cast(), Place::from(&*y).address);
                // SAFETY: both sides were checked for their lengths.
                forwarded(call, |l| unsafe {
                    (l.set_vector)(n32, size_of::<T>() as i32, from, ix, to, iy)
                })
            }
            Chosen::Cpu => upload(call, &to, &gathered(x, host)),
        }
    })
}

/// Copies `n` elements of a device vector to a host vector (`cublasGetVector`). The host waits.
///
/// # Errors
/// An increment below 1, a slice that is too short.
pub fn get_vector<T: Pod + DeviceCopy>(
    n: usize,
    x: &DeviceSlice<T>,
    incx: usize,
    y: &mut [T],
    incy: usize,
) -> Result<()> {
    let call = Call("cublasGetVector");
    moved(call, || {
        let from = Elements::rows(x.into(), strided(call, "x", x.len(), n, incx)?);
        let host = strided(call, "y", y.len(), n, incy)?;
        let [n32, ix, iy] = [call.int("n", n)?, call.int("incx", incx)?, call.int("incy", incy)?];
        match chosen(call)? {
            Chosen::Vendor => {
                let (from, to) = (Place::from(x).address, y.as_mut_ptr().cast());
                // SAFETY: both sides were checked for their lengths.
                forwarded(call, |l| unsafe {
                    (l.get_vector)(n32, size_of::<T>() as i32, from, ix, to, iy)
                })
            }
            Chosen::Cpu => download(call, "x", &from, y, host),
        }
    })
}

/// Copies a `rows` x `columns` matrix of the host, stored by columns `lda` elements apart, to one
/// of the device, stored by columns `ldb` elements apart (`cublasSetMatrix`).
///
/// # Errors
/// A leading dimension below `rows`, a slice that is too short.
pub fn set_matrix<T: Pod + DeviceCopy>(
    rows: usize,
    columns: usize,
    a: &[T],
    lda: usize,
    b: &mut DeviceSlice<T>,
    ldb: usize,
) -> Result<()> {
    let call = Call("cublasSetMatrix");
    moved(call, || {
        let to = call.matrix("B", (Place::from(&*b), ldb), (rows, columns))?;
        let here = Place { address: 0, len: a.len(), element: size_of::<T>() };
        let from = call.matrix("A", (here, lda), (rows, columns))?;
        match chosen(call)? {
            Chosen::Vendor => {
                let (host, device) = (a.as_ptr().cast(), to.place.address);
                // SAFETY: both sides were checked for their lengths.
                forwarded(call, |l| unsafe {
                    (l.set_matrix)(
                        rows as i32,
                        columns as i32,
                        size_of::<T>() as i32,
                        host,
                        lda as i32,
                        device,
                        ldb as i32,
                    )
                })
            }
            Chosen::Cpu => {
                let parts = (0..columns).map(|j| (j * from.ld, rows));
                upload(call, &to.elements(), &gathered(a, parts))
            }
        }
    })
}

/// Copies a `rows` x `columns` matrix of the device to one of the host (`cublasGetMatrix`). The
/// host waits.
///
/// # Errors
/// A leading dimension below `rows`, a slice that is too short.
pub fn get_matrix<T: Pod + DeviceCopy>(
    rows: usize,
    columns: usize,
    a: &DeviceSlice<T>,
    lda: usize,
    b: &mut [T],
    ldb: usize,
) -> Result<()> {
    let call = Call("cublasGetMatrix");
    moved(call, || {
        let from = call.matrix("A", (a.into(), lda), (rows, columns))?;
        let here = Place { address: 0, len: b.len(), element: size_of::<T>() };
        call.matrix("B", (here, ldb), (rows, columns))?;
        match chosen(call)? {
            Chosen::Vendor => {
                let (device, host) = (from.place.address, b.as_mut_ptr().cast());
                // SAFETY: both sides were checked for their lengths.
                forwarded(call, |l| unsafe {
                    (l.get_matrix)(
                        rows as i32,
                        columns as i32,
                        size_of::<T>() as i32,
                        device,
                        lda as i32,
                        host,
                        ldb as i32,
                    )
                })
            }
            Chosen::Cpu => {
                download(call, "A", &from.elements(), b, (0..columns).map(|j| (j * ldb, rows)))
            }
        }
    })
}

/// A copy, in the log as an operation of the default stream.
fn moved(call: Call, f: impl FnOnce() -> Result<()>) -> Result<()> {
    STATUSES.logged(call.0, DEFAULT, |_| f())
}

fn chosen(call: Call) -> Result<Chosen> {
    let refused = |what| Error::new(call.0, NOT_INITIALIZED, what);
    // The judge's library copies as the CPU's does: what is in the elements, packed.
    let chosen = Provider::Auto.choose().map_err(refused)?;
    Ok(if cuda_driver::library::judged() { Chosen::Cpu } else { chosen })
}

fn forwarded(call: Call, f: impl FnOnce(&Copies) -> u32) -> Result<()> {
    let copies = cublas(call.0)?.copies.as_ref();
    copies.map_or(Ok(()), |copies| STATUSES.check(call.0, f(copies)))
}

/// The places of a vector, as rows of one element (or one row, if there are no gaps).
fn strided(
    call: Call,
    name: &str,
    len: usize,
    n: usize,
    inc: usize,
) -> Result<impl Iterator<Item = (usize, usize)> + Clone> {
    let place = Place { address: 0, len, element: 1 };
    call.vector(name, (place, call.int(name, inc)?), n)?;
    let (count, width) = if inc == 1 { (1, n) } else { (n, 1) };
    Ok((0..count).map(move |i| (i * inc, width)))
}

fn gathered<T: Pod>(x: &[T], rows: impl Iterator<Item = (usize, usize)>) -> Vec<T> {
    rows.flat_map(|(first, count)| x[first..first + count].iter().copied()).collect()
}

fn upload<T: Pod>(call: Call, to: &Elements, values: &[T]) -> Result<()> {
    if cuda_driver::library::judged() {
        let blob = bytemuck::cast_slice(values).to_vec();
        return STATUSES.check(call.0, remote::ask(call.0, copied(to), vec![blob]).0);
    }
    let mut session = Session::begin(call.0, DEFAULT).map_err(|e| call.driver(e))?;
    session.upload(to, values).map_err(|e| call.driver(e))?;
    session.end(copy_of(size_of_val(values)));
    Ok(())
}

fn download<T: Pod>(
    call: Call,
    what: &str,
    from: &Elements,
    y: &mut [T],
    rows: impl Iterator<Item = (usize, usize)>,
) -> Result<()> {
    let values: Vec<T> = if cuda_driver::library::judged() {
        let (code, mut back) = remote::ask(call.0, copied(from), vec![what.as_bytes().to_vec()]);
        STATUSES.check(call.0, code)?;
        let bytes = back.blobs.pop().filter(|b| b.len() == from.count() * size_of::<T>());
        let bytes = bytes.ok_or_else(|| call.driver_gone())?;
        bytemuck::allocation::pod_collect_to_vec(&bytes)
    } else {
        let mut session = Session::begin(call.0, DEFAULT).map_err(|e| call.driver(e))?;
        let values: Vec<T> = session.download(what, from).map_err(|e| call.driver(e))?;
        session.end(copy_of(size_of_val(values.as_slice())));
        values
    };
    let mut rest = values.as_slice();
    for (first, count) in rows {
        let (now, later) = rest.split_at(count);
        y[first..first + count].copy_from_slice(now);
        rest = later;
    }
    Ok(())
}

fn copy_of(bytes: usize) -> Work {
    Work { link_bytes: bytes as u64, waits: true, ..Work::default() }
}

/// What the judge's library must know of a copy: the bytes of an element, and the runs.
fn copied(elements: &Elements) -> Vec<u64> {
    let runs = elements.runs();
    let words = runs.iter().flat_map(|run| [run.address, run.bytes]);
    [elements.element() as u64].into_iter().chain(words).collect()
}

/// A copy in the judge's library: the words of [`copied`], and bytes to the device or the name of
/// the operand.
pub(super) fn for_a_program(name: &str, words: &[u64], blob: &[u8]) -> Option<Result<Vec<u8>>> {
    let known = ["cublasSetVector", "cublasGetVector", "cublasSetMatrix", "cublasGetMatrix"];
    let call = Call(known.into_iter().find(|known| *known == name)?);
    let (element, runs) = words.split_first()?;
    let runs: Vec<Run> = runs
        .as_chunks()
        .0
        .iter()
        .map(|[address, bytes]| Run { address: *address, bytes: *bytes })
        .collect();
    // No run is longer than what it lies in; together they have the bytes of a copy at most.
    let fits = |run: &Run| run.bytes <= cuda_driver::library::room(run.address);
    let all = runs.iter().try_fold(0u64, |sum, run| sum.checked_add(run.bytes))?;
    let down = call.0.starts_with("cublasGet");
    if all > MOST || (!down && all != blob.len() as u64) {
        return None;
    }
    let what = if down { String::from_utf8(blob.to_vec()).ok()? } else { String::new() };
    Some(STATUSES.logged(call.0, DEFAULT, |_| {
        if !runs.iter().all(fits) {
            return Err(call.invalid("the operand leaves its allocation"));
        }
        let begun = Operation::begin(call.0, DEFAULT);
        let mut operation = begun.map_err(|e| call.driver(e))?;
        let bytes = match down {
            true => operation.download(&what, &runs, *element as u32),
            false => operation.upload(&runs, blob).map(|()| Vec::new()),
        };
        let bytes = bytes.map_err(|e| call.driver(e))?;
        operation.end(copy_of(all as usize));
        Ok(bytes)
    }))
}
