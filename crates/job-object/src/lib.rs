//! Job objects of Windows: a program and all that it starts, under common limits. They end
//! together, at the latest when the [`Job`] is dropped or this process is killed. On other systems
//! this crate is empty.
#![cfg(windows)]

use std::io::{Error, Result};
use std::mem::size_of;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::os::windows::process::CommandExt;
use std::process::{Child, Command};
use std::ptr::{from_ref, null};
use std::time::Duration;

use windows_sys::Win32::Foundation::INVALID_HANDLE_VALUE;
use windows_sys::Win32::System::Diagnostics::ToolHelp::{
    CreateToolhelp32Snapshot, TH32CS_SNAPTHREAD, THREADENTRY32, Thread32First, Thread32Next,
};
use windows_sys::Win32::System::JobObjects::{
    AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_ACTIVE_PROCESS,
    JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION, JOB_OBJECT_LIMIT_JOB_MEMORY,
    JOB_OBJECT_LIMIT_JOB_TIME, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation,
    SetInformationJobObject, TerminateJobObject,
};
use windows_sys::Win32::System::Threading::{
    CREATE_SUSPENDED, OpenThread, ResumeThread, THREAD_SUSPEND_RESUME,
};

/// What the programs of a job may use up together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Committed memory in bytes: a request beyond it fails.
    pub memory: u64,
    /// Processes at a time: a start beyond it fails.
    pub processes: u32,
    /// Processor time, all cores added: then the job ends.
    pub time: Duration,
}

/// A job; its programs end when it is dropped.
#[derive(Debug)]
pub struct Job(OwnedHandle);

/// The result of a call that returns 0 for failure.
fn done(result: i32) -> Result<()> {
    if result == 0 { Err(Error::last_os_error()) } else { Ok(()) }
}

impl Job {
    /// A job without programs.
    ///
    /// # Errors
    /// What the system refuses.
    pub fn new(limits: &Limits) -> Result<Job> {
        // SAFETY: null means the usual rights, and no name.
        let handle = unsafe { CreateJobObjectW(null(), null()) };
        if handle.is_null() {
            return Err(Error::last_os_error());
        }
        // SAFETY: a new handle that nobody else closes.
        let job = Job(unsafe { OwnedHandle::from_raw_handle(handle) });
        let mut all = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        let basic = &mut all.BasicLimitInformation;
        basic.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
            | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION
            | JOB_OBJECT_LIMIT_JOB_MEMORY
            | JOB_OBJECT_LIMIT_ACTIVE_PROCESS
            | JOB_OBJECT_LIMIT_JOB_TIME;
        basic.ActiveProcessLimit = limits.processes;
        // In units of 100 ns.
        basic.PerJobUserTimeLimit = i64::try_from(limits.time.as_nanos() / 100).unwrap_or(i64::MAX);
        all.JobMemoryLimit = usize::try_from(limits.memory).unwrap_or(usize::MAX);
        // SAFETY: the structure that goes with this kind of information, and its size.
        done(unsafe {
            SetInformationJobObject(
                job.0.as_raw_handle(),
                JobObjectExtendedLimitInformation,
                from_ref(&all).cast(),
                size_of::<JOBOBJECT_EXTENDED_LIMIT_INFORMATION>() as u32,
            )
        })?;
        Ok(job)
    }

    /// Starts a program in the job: it does nothing before it is in it.
    ///
    /// # Errors
    /// What the system refuses; then nothing runs.
    pub fn spawn(&self, command: &mut Command) -> Result<Child> {
        let mut child = command.creation_flags(CREATE_SUSPENDED).spawn()?;
        // SAFETY: handles of this process, which are open.
        let assigned = done(unsafe {
            AssignProcessToJobObject(self.0.as_raw_handle(), child.as_raw_handle())
        });
        match assigned.and_then(|()| resume(child.id())) {
            Ok(()) => Ok(child),
            Err(error) => {
                let _ = child.kill();
                let _ = child.wait();
                Err(error)
            }
        }
    }

    /// Ends all programs of the job.
    pub fn end(&self) {
        // SAFETY: a handle of this process, which is open.
        unsafe { TerminateJobObject(self.0.as_raw_handle(), 1) };
    }
}

/// Lets the threads of a process run: a new one has a single one.
fn resume(process: u32) -> Result<()> {
    // SAFETY: makes a handle, or says that there is none.
    let list = unsafe { CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0) };
    if list == INVALID_HANDLE_VALUE {
        return Err(Error::last_os_error());
    }
    // SAFETY: a new handle that nobody else closes.
    let list = unsafe { OwnedHandle::from_raw_handle(list) };
    let mut entry =
        THREADENTRY32 { dwSize: size_of::<THREADENTRY32>() as u32, ..THREADENTRY32::default() };
    let mut resumed = false;
    // SAFETY: an open list, and an entry that says its own size.
    let mut more = unsafe { Thread32First(list.as_raw_handle(), &raw mut entry) };
    while more != 0 {
        if entry.th32OwnerProcessID == process {
            // SAFETY: makes a handle, or says that there is none.
            let thread = unsafe { OpenThread(THREAD_SUSPEND_RESUME, 0, entry.th32ThreadID) };
            if thread.is_null() {
                return Err(Error::last_os_error());
            }
            // SAFETY: a new handle that nobody else closes.
            let thread = unsafe { OwnedHandle::from_raw_handle(thread) };
            // SAFETY: an open handle with the right to do this.
            if unsafe { ResumeThread(thread.as_raw_handle()) } == u32::MAX {
                return Err(Error::last_os_error());
            }
            resumed = true;
        }
        // SAFETY: as above.
        more = unsafe { Thread32Next(list.as_raw_handle(), &raw mut entry) };
    }
    if resumed { Ok(()) } else { Err(Error::other("the new program has no thread")) }
}
