//! What a process of the judge does to itself. On systems other than Linux nothing happens.

/// Ends this process when the thread that started it does, even if that was killed.
pub fn end_with_parent() {
    #[cfg(target_os = "linux")]
    {
        let _ = nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL);
    }
}

/// Kills the process group that the process `leader` leads.
pub fn kill_group(leader: u32) {
    #[cfg(target_os = "linux")]
    {
        use nix::sys::signal::{Signal, killpg};
        let _ = killpg(nix::unistd::Pid::from_raw(leader.cast_signed()), Signal::SIGKILL);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = leader;
}

/// No core files, and at most so much memory of its own, in bytes. The memory of stacks counts in
/// full. A program in the sandbox, which is started from here, does not inherit the limit on
/// memory.
pub fn limit_memory(most: u64) {
    #[cfg(target_os = "linux")]
    {
        use nix::sys::resource::{Resource, getrlimit, setrlimit};
        let _ = setrlimit(Resource::RLIMIT_CORE, 0, 0);
        if let Ok((_, hard)) = getrlimit(Resource::RLIMIT_DATA) {
            let _ = setrlimit(Resource::RLIMIT_DATA, most.min(hard), hard);
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = most;
}

/// Bytes of memory that this process has in use and that are of no file; 0 where the system does
/// not tell.
pub fn memory_in_use() -> u64 {
    #[cfg(target_os = "linux")]
    return crate::processes::memory_of(std::process::id());
    #[cfg(not(target_os = "linux"))]
    0
}
