//! Operands in device memory for work on the CPU: which elements a call touches, read into packed
//! arrays and written back.
//!
//! On the emulated device this goes through [`cuda_driver::library`], with its checks and its
//! clock. On a GPU, for those who asked for the CPU there, elements are copied to the host and
//! back.

use std::os::raw::c_void;

use bytemuck::Pod;
use cuda_driver::library::{Operation, Run, Work};
use cuda_driver::{Backend, LastError};
use cust::memory::{DeviceCopy, DeviceSlice};
use cust::sys;

/// A stream as the driver knows it; null is the default stream.
pub(crate) type RawStream = *mut c_void;

/// A slice of device memory without its type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub address: u64,
    /// Elements.
    pub len: usize,
    /// Bytes of an element.
    pub element: usize,
}

impl<T: DeviceCopy> From<&DeviceSlice<T>> for Place {
    fn from(slice: &DeviceSlice<T>) -> Place {
        Place { address: slice.as_device_ptr().as_raw(), len: slice.len(), element: size_of::<T>() }
    }
}

/// The elements of a slice that a call touches, as rows of neighbours, in the order in which they
/// are packed.
#[derive(Clone, Debug)]
pub(crate) struct Elements {
    place: Place,
    /// First element and number of elements.
    rows: Vec<(usize, usize)>,
}

impl Elements {
    /// Rows of neighbours; empty ones are dropped and adjoining ones merged. The caller has checked
    /// that they fit.
    pub fn rows(place: Place, rows: impl IntoIterator<Item = (usize, usize)>) -> Elements {
        let mut merged: Vec<(usize, usize)> = Vec::new();
        for (first, count) in rows {
            match merged.last_mut() {
                _ if count == 0 => {}
                Some(last) if last.0 + last.1 == first => last.1 += count,
                _ => merged.push((first, count)),
            }
        }
        Elements { place, rows: merged }
    }

    /// All of the first `count` elements.
    pub fn first(place: Place, count: usize) -> Elements {
        Elements::rows(place, [(0, count)])
    }

    /// Bytes of an element.
    pub fn element(&self) -> usize {
        self.place.element
    }

    /// Number of elements.
    pub fn count(&self) -> usize {
        self.rows.iter().map(|row| row.1).sum()
    }

    /// The bytes in a row from the lowest to the highest element.
    pub fn span(&self) -> Option<Run> {
        let first = self.rows.iter().map(|row| row.0).min()?;
        let end = self.rows.iter().map(|row| row.0 + row.1).max()?;
        let element = self.place.element;
        Some(Run {
            address: self.place.address + (first * element) as u64,
            bytes: ((end - first) * element) as u64,
        })
    }

    /// Its rows in bytes.
    pub fn runs(&self) -> Vec<Run> {
        let element = self.place.element;
        let run = |&(first, count): &(usize, usize)| Run {
            address: self.place.address + (first * element) as u64,
            bytes: (count * element) as u64,
        };
        self.rows.iter().map(run).collect()
    }
}

/// A call that works on the CPU, from its first read to its end.
#[derive(Debug)]
pub(crate) enum Session {
    Emulated(Operation),
    /// On a GPU, with copies.
    Copies,
}

impl Session {
    /// Begins a call in a stream.
    ///
    /// # Errors
    /// What the driver refuses.
    pub fn begin(call: &'static str, stream: RawStream) -> Result<Session, LastError> {
        match cuda_driver::backend() {
            Backend::Emulated => Ok(Session::Emulated(Operation::begin(call, stream)?)),
            Backend::Cuda => {
                // SAFETY: the stream is null or lives as long as the handle that holds it.
                let code = unsafe { sys::cuStreamSynchronize(stream.cast()) };
                driver(code as u32).map(|()| Session::Copies)
            }
        }
    }

    /// Reads the elements into a packed array. `what` is the operand's name for messages.
    ///
    /// # Errors
    /// What the driver refuses.
    pub fn read<T: Pod>(&mut self, what: &str, elements: &Elements) -> Result<Vec<T>, LastError> {
        assert_eq!(size_of::<T>() % elements.place.element, 0);
        let bytes = match self {
            Session::Emulated(call) => {
                call.read(what, &elements.runs(), elements.place.element as u32)?
            }
            Session::Copies => gathered(elements)?,
        };
        Ok(bytemuck::allocation::pod_collect_to_vec(&bytes))
    }

    /// As [`read`](Session::read), for a copy to the host.
    ///
    /// # Errors
    /// What the driver refuses.
    pub fn download<T: Pod>(
        &mut self,
        what: &str,
        elements: &Elements,
    ) -> Result<Vec<T>, LastError> {
        match self {
            Session::Emulated(call) => {
                let element = elements.place.element as u32;
                let bytes = call.download(what, &elements.runs(), element)?;
                Ok(bytemuck::allocation::pod_collect_to_vec(&bytes))
            }
            Session::Copies => self.read(what, elements),
        }
    }

    /// As [`write`](Session::write), for a copy from the host.
    ///
    /// # Errors
    /// What the driver refuses.
    pub fn upload<T: Pod>(&mut self, elements: &Elements, values: &[T]) -> Result<(), LastError> {
        match self {
            Session::Emulated(call) => call.upload(&elements.runs(), bytemuck::cast_slice(values)),
            Session::Copies => self.write(elements, values),
        }
    }

    /// What the call returns to the host.
    pub fn returned<T: Pod>(&self, values: &[T]) {
        if let Session::Emulated(call) = self {
            call.returned(bytemuck::cast_slice(values));
        }
    }

    /// Writes a packed array to the elements.
    ///
    /// # Errors
    /// What the driver refuses.
    pub fn write<T: Pod>(&mut self, elements: &Elements, values: &[T]) -> Result<(), LastError> {
        let bytes: &[u8] = bytemuck::cast_slice(values);
        match self {
            Session::Emulated(call) => call.write(&elements.runs(), bytes),
            Session::Copies => scattered(elements, bytes),
        }
    }

    /// Ends the call.
    pub fn end(self, work: Work) {
        if let Session::Emulated(call) = self {
            call.end(work);
        }
    }
}

fn driver(code: u32) -> Result<(), LastError> {
    if code == 0 {
        return Ok(());
    }
    Err(cuda_driver::last_error().unwrap_or(LastError {
        call: String::new(),
        code,
        line: String::new(),
        report: String::new(),
    }))
}

/// The bytes from the first to the last element.
fn copied_out(span: Run) -> Result<Vec<u8>, LastError> {
    let mut bytes = vec![0u8; span.bytes as usize];
    // SAFETY: the array has as many bytes as are copied; the driver checks the other side.
    let code =
        unsafe { sys::cuMemcpyDtoH_v2(bytes.as_mut_ptr().cast(), span.address, bytes.len()) };
    driver(code as u32).map(|()| bytes)
}

/// The part of the span that a run takes.
fn part(span: Run, run: Run) -> std::ops::Range<usize> {
    let from = (run.address - span.address) as usize;
    from..from + run.bytes as usize
}

fn gathered(elements: &Elements) -> Result<Vec<u8>, LastError> {
    let Some(span) = elements.span() else { return Ok(Vec::new()) };
    let all = copied_out(span)?;
    if elements.rows.len() == 1 {
        return Ok(all);
    }
    Ok(elements.runs().into_iter().flat_map(|run| all[part(span, run)].to_vec()).collect())
}

fn scattered(elements: &Elements, bytes: &[u8]) -> Result<(), LastError> {
    let Some(span) = elements.span() else { return Ok(()) };
    let mut all = if elements.rows.len() == 1 { bytes.to_vec() } else { copied_out(span)? };
    let mut rest = bytes;
    for run in elements.runs() {
        let (now, later) = rest.split_at(run.bytes as usize);
        all[part(span, run)].copy_from_slice(now);
        rest = later;
    }
    // SAFETY: as many bytes are copied as the array has; the driver checks the other side.
    let code = unsafe { sys::cuMemcpyHtoD_v2(span.address, all.as_ptr().cast(), all.len()) };
    driver(code as u32)
}
