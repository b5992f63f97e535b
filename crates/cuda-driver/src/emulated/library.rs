//! Calls of libraries: their memory, their place among the streams and their predicted time.

use emulation::{evidence, findings};
use simt::fault::{FaultKind, Target};

use super::memory::host_block;
use super::order::Extent;
use super::state::{Driver, Engine, HostBlock, driver, memory_failure};
use crate::abi::Handle;
use crate::failure::{Done, Failure, LastError};
use crate::library::{Run, Work};

/// A call of a library on the emulated device, from its first read to its end. Nothing orders what
/// happens inside of it.
#[derive(Debug)]
pub struct Operation {
    call: String,
    stream: usize,
    touched: Vec<Touch>,
    /// The first never-written byte was reported already.
    told: bool,
}

/// Accesses of one call that are kept exactly; of more, as in a large batch, only which allocation
/// they touch.
const EXACT: usize = 64;

#[derive(Debug, PartialEq)]
struct Touch {
    base: u64,
    extent: Extent,
    writes: bool,
}

impl Operation {
    /// Begins the call named `call` in a stream (null for the default stream). Other calls of the
    /// driver may go on meanwhile.
    ///
    /// # Errors
    /// No context is current, an earlier fault has spoilt it, or `stream` is not one, or was
    /// destroyed.
    pub fn begin(call: &str, stream: Handle) -> Result<Operation, LastError> {
        let begun = || -> Done<usize> {
            let state = driver()?.lock();
            state.context()?;
            state.stream_handle(stream)
        };
        let stream = begun().map_err(|failure| told(call, failure))?;
        Ok(Operation { call: call.to_owned(), stream, touched: Vec::new(), told: false })
    }

    /// Reads the runs one after the other. `what` is the library's name for the operand, such as
    /// `A`; `element` the size of its elements in bytes, for messages. Never-written bytes have a
    /// fixed pattern and are reported once per call as a finding `UNINIT`.
    ///
    /// # Errors
    /// A run that does not lie in one allocation.
    pub fn read(&mut self, what: &str, runs: &[Run], element: u32) -> Result<Vec<u8>, LastError> {
        self.read_runs(what, runs, element).map_err(|failure| told(&self.call, failure))
    }

    /// As [`read`](Operation::read), for a copy to the host.
    ///
    /// # Errors
    /// As [`read`](Operation::read).
    pub fn download(
        &mut self,
        what: &str,
        runs: &[Run],
        element: u32,
    ) -> Result<Vec<u8>, LastError> {
        let bytes = self.read(what, runs, element)?;
        if let Ok(driver) = driver() {
            let runs: Vec<(u64, u64)> = runs.iter().map(|run| (run.address, run.bytes)).collect();
            evidence::gathered(&driver.memory, &runs, &bytes);
        }
        Ok(bytes)
    }

    fn read_runs(&mut self, what: &str, runs: &[Run], element: u32) -> Done<Vec<u8>> {
        let driver = driver()?;
        let total: u64 = runs.iter().map(|run| run.bytes).sum();
        let mut out = vec![0; total as usize];
        let mut rest = out.as_mut_slice();
        for run in runs {
            let (part, tail) = rest.split_at_mut(run.bytes as usize);
            rest = tail;
            if let Some(pointer) = host_bytes(driver, *run)? {
                // SAFETY: a live block of host memory holds the whole run; the program must not
                // write it meanwhile.
                unsafe {
                    std::ptr::copy_nonoverlapping(pointer, part.as_mut_ptr(), part.len());
                }
                continue;
            }
            let read = driver.memory.read(run.address, part).map_err(|e| memory_failure(&e))?;
            if let Some(first) = read.first_unwritten
                && !self.told
            {
                self.told = true;
                never_written(driver, &self.call, what, run.address + first, element);
            }
        }
        self.note(driver, runs, false);
        Ok(out)
    }

    /// Writes `bytes` to the runs, one after the other. `bytes` has as many as the runs have
    /// together.
    ///
    /// # Errors
    /// A run that does not lie in one allocation; another number of bytes. Runs before the bad one
    /// are written.
    pub fn write(&mut self, runs: &[Run], bytes: &[u8]) -> Result<(), LastError> {
        self.write_runs(runs, bytes, evidence::computed)
            .map_err(|failure| told(&self.call, failure))
    }

    /// As [`write`](Operation::write), for a copy from the host: nothing was computed.
    ///
    /// # Errors
    /// As [`write`](Operation::write).
    pub fn upload(&mut self, runs: &[Run], bytes: &[u8]) -> Result<(), LastError> {
        self.write_runs(runs, bytes, evidence::uploaded)
            .map_err(|failure| told(&self.call, failure))
    }

    /// These bytes are what the call returns to the host.
    pub fn returned(&self, bytes: &[u8]) {
        evidence::copied(bytes);
    }

    fn write_runs(
        &mut self,
        runs: &[Run],
        bytes: &[u8],
        note: fn(&simt::Memory, u64, u64),
    ) -> Done {
        let driver = driver()?;
        let total: u64 = runs.iter().map(|run| run.bytes).sum();
        if total != bytes.len() as u64 {
            let line = format!("{} bytes for runs of {total} bytes together", bytes.len());
            return Err(Failure::invalid(line));
        }
        let mut rest = bytes;
        for run in runs {
            let (part, tail) = rest.split_at(run.bytes as usize);
            rest = tail;
            match host_bytes(driver, *run)? {
                // SAFETY: as for reading; the program must not use the block meanwhile.
                Some(pointer) => unsafe {
                    std::ptr::copy_nonoverlapping(part.as_ptr(), pointer, part.len());
                },
                None => {
                    driver.memory.write(run.address, part).map_err(|e| memory_failure(&e))?;
                    note(&driver.memory, run.address, run.bytes);
                }
            }
        }
        self.note(driver, runs, true);
        Ok(())
    }

    fn note(&mut self, driver: &Driver, runs: &[Run], writes: bool) {
        let Some(first) = runs.iter().find(|run| run.bytes > 0) else { return };
        let Some(info) = driver.memory.find(first.address) else { return };
        // With gaps between the runs, only that some bytes were touched is sure.
        let row = runs.windows(2).all(|w| w[0].address + w[0].bytes == w[1].address);
        let extent = if row && self.touched.len() < EXACT {
            let from = first.address - info.base;
            Extent::Bytes(from..from + runs.iter().map(|run| run.bytes).sum::<u64>())
        } else {
            Extent::Some { size: info.size }
        };
        let touch = Touch { base: info.base, extent, writes };
        if !self.touched.contains(&touch) {
            self.touched.push(touch);
        }
    }

    /// Ends the call: puts it into its stream with its predicted time, and reports a collision with
    /// another stream.
    pub fn end(self, work: Work) {
        let Ok(driver) = driver() else { return };
        let device = driver.device;
        let seconds = (work.flop_f32 / (device.peak_f32_gflops() * 1e9))
            .max(work.flop_f64 / (device.peak_f64_gflops() * 1e9))
            .max(work.bytes as f64 / device.dram_bytes_per_s())
            .max(work.link_bytes as f64 / (device.pcie_gbs * 1e9));
        let mut state = driver.lock();
        let ms = device.launch_us * 1e-3 + seconds * 1e3;
        let issued = state.issue(self.stream, Engine::Compute, ms);
        let updated = |t: &Touch| {
            let same = |o: &Touch| o.writes && o.base == t.base && o.extent == t.extent;
            !t.writes && self.touched.iter().any(same)
        };
        // What is read and written counts as written, so that a collision is told once.
        let reads: Vec<bool> = self.touched.iter().map(updated).collect();
        for (touch, updated) in self.touched.into_iter().zip(reads) {
            let Touch { base, extent, writes } = touch;
            if updated {
                continue;
            }
            state.touch(&driver.memory, &issued, base, extent, writes, &self.call);
        }
        if work.waits {
            state.wait_for(&issued.order, issued.end_ms);
        }
    }
}

/// Bytes from an address to the end of its allocation or block of host memory; 0 if it lies in
/// none.
pub fn room(address: u64) -> u64 {
    let Ok(driver) = driver() else { return 0 };
    let state = driver.lock();
    if let Some(base) = host_block(&state, address) {
        return state.host[&base].size - (address - base);
    }
    driver.memory.find(address).map_or(0, |info| info.base + info.size - address)
}

/// Where a run lies in host memory that the device may touch; `None` if it lies in device memory.
fn host_bytes(driver: &Driver, run: Run) -> Done<Option<*mut u8>> {
    let state = driver.lock();
    let Some(base) = host_block(&state, run.address) else { return Ok(None) };
    let HostBlock { size, home, .. } = state.host[&base];
    if run.bytes > size - (run.address - base) {
        return Err(Failure::invalid("the operand leaves its block of host memory"));
    }
    Ok(Some((home + (run.address - base)) as *mut u8))
}

fn never_written(driver: &Driver, call: &str, what: &str, address: u64, element: u32) {
    if let Some(fault) = driver.memory.origin(address, 1) {
        return findings::add_fault(fault);
    }
    let Some(info) = driver.memory.find(address) else { return };
    let index = (address - info.base) / u64::from(element.max(1));
    let message =
        format!("{}[{index}], {what} of {call}, is read but was never written", info.name);
    let target = Target {
        name: info.name,
        index: index as i64,
        len: info.size / u64::from(element.max(1)),
        elem_size: element,
        address,
    };
    findings::add_finding(FaultKind::Uninitialised, call, message, Some(target));
}

fn told(call: &str, failure: Failure) -> LastError {
    LastError {
        call: call.to_owned(),
        code: failure.code,
        line: failure.line,
        report: failure.report,
    }
}
