//! The filter of system calls: a list of those that ordinary programs need. All others are "not
//! implemented", which is what programs that try newer calls first are made for.

use std::collections::BTreeMap;

use nix::libc;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen as Len, SeccompCmpOp as Op, SeccompCondition,
    SeccompFilter, SeccompRule, apply_filter,
};

use crate::rules::Walls;

/// Calls that are allowed whatever their arguments.
#[rustfmt::skip]
const PLAIN: &[i64] = &[
    // files
    libc::SYS_read, libc::SYS_write, libc::SYS_readv, libc::SYS_writev, libc::SYS_pread64,
    libc::SYS_pwrite64, libc::SYS_preadv, libc::SYS_pwritev, libc::SYS_preadv2, libc::SYS_pwritev2,
    libc::SYS_close, libc::SYS_close_range, libc::SYS_lseek, libc::SYS_fstat, libc::SYS_newfstatat,
    libc::SYS_statx, libc::SYS_statfs, libc::SYS_fstatfs, libc::SYS_faccessat,
    libc::SYS_faccessat2, libc::SYS_readlinkat, libc::SYS_getdents64, libc::SYS_getcwd,
    libc::SYS_chdir, libc::SYS_fchdir, libc::SYS_mkdirat, libc::SYS_mknodat, libc::SYS_unlinkat,
    libc::SYS_linkat, libc::SYS_symlinkat, libc::SYS_renameat, libc::SYS_renameat2,
    libc::SYS_ftruncate, libc::SYS_fallocate, libc::SYS_fsync, libc::SYS_fdatasync,
    libc::SYS_flock, libc::SYS_umask, libc::SYS_dup, libc::SYS_dup3, libc::SYS_pipe2,
    libc::SYS_sendfile, libc::SYS_splice, libc::SYS_tee, libc::SYS_vmsplice,
    libc::SYS_copy_file_range, libc::SYS_fadvise64, libc::SYS_readahead, libc::SYS_sync_file_range,
    libc::SYS_getxattr, libc::SYS_lgetxattr, libc::SYS_fgetxattr, libc::SYS_listxattr,
    libc::SYS_llistxattr, libc::SYS_flistxattr, libc::SYS_ioctl,
    // waiting
    libc::SYS_ppoll, libc::SYS_pselect6, libc::SYS_epoll_create1, libc::SYS_epoll_ctl,
    libc::SYS_epoll_pwait, libc::SYS_epoll_pwait2, libc::SYS_eventfd2, libc::SYS_signalfd4,
    libc::SYS_timerfd_create, libc::SYS_timerfd_settime, libc::SYS_timerfd_gettime,
    libc::SYS_futex, libc::SYS_set_robust_list, libc::SYS_get_robust_list, libc::SYS_nanosleep,
    libc::SYS_clock_nanosleep, libc::SYS_clock_gettime, libc::SYS_clock_getres,
    libc::SYS_gettimeofday, libc::SYS_getitimer, libc::SYS_setitimer, libc::SYS_timer_create,
    libc::SYS_timer_settime, libc::SYS_timer_gettime, libc::SYS_timer_getoverrun,
    libc::SYS_timer_delete, libc::SYS_restart_syscall,
    // memory
    libc::SYS_mmap, libc::SYS_mprotect, libc::SYS_munmap, libc::SYS_mremap, libc::SYS_brk,
    libc::SYS_madvise, libc::SYS_msync, libc::SYS_mincore, libc::SYS_mlock, libc::SYS_munlock,
    libc::SYS_membarrier, libc::SYS_getrandom,
    // processes
    libc::SYS_execve, libc::SYS_exit, libc::SYS_exit_group, libc::SYS_wait4, libc::SYS_waitid,
    libc::SYS_getpid, libc::SYS_gettid, libc::SYS_getppid, libc::SYS_getpgid, libc::SYS_getsid,
    libc::SYS_getuid, libc::SYS_geteuid, libc::SYS_getgid,
    libc::SYS_getegid, libc::SYS_getresuid, libc::SYS_getresgid, libc::SYS_getgroups,
    libc::SYS_capget, libc::SYS_prctl, libc::SYS_set_tid_address, libc::SYS_rseq,
    libc::SYS_sched_yield, libc::SYS_sched_getaffinity, libc::SYS_sched_getparam,
    libc::SYS_sched_getscheduler, libc::SYS_sched_get_priority_max,
    libc::SYS_sched_get_priority_min, libc::SYS_getpriority, libc::SYS_getcpu,
    libc::SYS_getrusage, libc::SYS_times, libc::SYS_sysinfo, libc::SYS_uname,
    libc::SYS_rt_sigaction, libc::SYS_rt_sigprocmask, libc::SYS_rt_sigreturn,
    libc::SYS_rt_sigpending, libc::SYS_rt_sigtimedwait, libc::SYS_rt_sigsuspend,
    libc::SYS_sigaltstack,
    // what is left of a socket that was given, or of a pair
    libc::SYS_sendto, libc::SYS_recvfrom, libc::SYS_recvmsg, libc::SYS_shutdown,
    libc::SYS_getsockname, libc::SYS_getpeername, libc::SYS_getsockopt, libc::SYS_setsockopt,
];

/// Older forms that x86-64 has beside them.
#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
const PLAIN_OLD: &[i64] = &[
    libc::SYS_stat, libc::SYS_lstat, libc::SYS_access, libc::SYS_readlink, libc::SYS_getdents,
    libc::SYS_mkdir, libc::SYS_rmdir, libc::SYS_mknod, libc::SYS_unlink, libc::SYS_link,
    libc::SYS_symlink, libc::SYS_rename, libc::SYS_creat, libc::SYS_dup2, libc::SYS_pipe,
    libc::SYS_poll, libc::SYS_select, libc::SYS_epoll_create, libc::SYS_epoll_wait,
    libc::SYS_eventfd, libc::SYS_pause, libc::SYS_alarm, libc::SYS_time, libc::SYS_fork,
    libc::SYS_vfork, libc::SYS_getpgrp, libc::SYS_arch_prctl, libc::SYS_getrlimit,
    libc::SYS_setrlimit,
];
#[cfg(not(target_arch = "x86_64"))]
const PLAIN_OLD: &[i64] = &[];

/// Calls that change modes, owners, times: with mounts of its own a program reaches only its own
/// files with them.
#[rustfmt::skip]
const MODES: &[i64] = &[
    libc::SYS_fchmod, libc::SYS_fchmodat, libc::SYS_fchown, libc::SYS_fchownat,
    libc::SYS_utimensat, libc::SYS_fchmodat2,
    #[cfg(target_arch = "x86_64")] libc::SYS_chmod,
    #[cfg(target_arch = "x86_64")] libc::SYS_chown,
    #[cfg(target_arch = "x86_64")] libc::SYS_lchown,
    #[cfg(target_arch = "x86_64")] libc::SYS_utime,
    #[cfg(target_arch = "x86_64")] libc::SYS_utimes,
    #[cfg(target_arch = "x86_64")] libc::SYS_futimesat,
];

/// Applies the filter to this process. `landlock` is the version of Landlock that holds, 0 for
/// none.
pub fn restrict(walls: Walls, landlock: u32) -> Result<(), String> {
    let failed = |e: &dyn std::fmt::Display| e.to_string();
    if walls == Walls::Landlock {
        // A compiler that sets the mode of what it writes must not fail, so these calls succeed and
        // do nothing.
        let rules = MODES.iter().map(|call| (*call, Vec::new())).collect();
        apply(rules, SeccompAction::Allow, SeccompAction::Errno(0)).map_err(|e| failed(&e))?;
    }
    let rules = allowed(walls, landlock).map_err(|e| failed(&e))?;
    let refused = SeccompAction::Errno(libc::ENOSYS.unsigned_abs());
    apply(rules, refused, SeccompAction::Allow).map_err(|e| failed(&e))
}

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

fn apply(
    rules: Rules,
    otherwise: SeccompAction,
    matched: SeccompAction,
) -> Result<(), seccompiler::Error> {
    let arch = std::env::consts::ARCH.try_into()?;
    let program: BpfProgram = SeccompFilter::new(rules, otherwise, matched, arch)?.try_into()?;
    apply_filter(&program)
}

/// Rules by call; several rules of a call are alternatives, the conditions of a rule hold together.
fn allowed(walls: Walls, landlock: u32) -> Result<Rules, seccompiler::BackendError> {
    let is = |arg, op, value| SeccompCondition::new(arg, Len::Dword, op, value);
    let one = |condition| SeccompRule::new(vec![condition]);
    let mut rules: Rules =
        PLAIN.iter().chain(PLAIN_OLD).chain(MODES).map(|call| (*call, Vec::new())).collect();

    // No new namespaces: they open more of the kernel than any program here needs.
    let namespaces = libc::CLONE_NEWUSER
        | libc::CLONE_NEWNS
        | libc::CLONE_NEWPID
        | libc::CLONE_NEWNET
        | libc::CLONE_NEWIPC
        | libc::CLONE_NEWUTS
        | libc::CLONE_NEWCGROUP;
    let none = Op::MaskedEq(u64::from(namespaces.unsigned_abs()));
    rules.insert(libc::SYS_clone, vec![one(is(0, none, 0)?)?]);
    // Only itself: another process of the same user must not be throttled or pinned.
    rules.insert(libc::SYS_prlimit64, vec![one(is(0, Op::Eq, 0)?)?]);
    rules.insert(libc::SYS_sched_setaffinity, vec![one(is(0, Op::Eq, 0)?)?]);
    // Pairs of connected streams or packets. A pair of datagram sockets could still write to any
    // address.
    let kind = |kind: i32| one(is(1, Op::MaskedEq(0xf), kind.unsigned_abs().into())?);
    let pairs = vec![kind(libc::SOCK_STREAM)?, kind(libc::SOCK_SEQPACKET)?];
    rules.insert(libc::SYS_socketpair, pairs);

    // Landlock keeps a file from being cut since version 3, signals from getting out since 6.
    let cut = walls == Walls::Namespaces || landlock >= 3;
    let opens = [
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_open, 1),
        (libc::SYS_openat, 2),
    ];
    for (call, flags) in opens {
        let accmode = libc::O_ACCMODE.unsigned_abs().into();
        let truncate = libc::O_TRUNC.unsigned_abs().into();
        let mode = |mode: i32| one(is(flags, Op::MaskedEq(accmode), mode.unsigned_abs().into())?);
        let either = if cut {
            Vec::new()
        } else {
            let whole = one(is(flags, Op::MaskedEq(truncate), 0)?)?;
            vec![whole, mode(libc::O_WRONLY)?, mode(libc::O_RDWR)?]
        };
        rules.insert(call, either);
    }
    if cut {
        rules.insert(libc::SYS_truncate, Vec::new());
    }
    if walls == Walls::Namespaces {
        // Elsewhere the group is what holds the program's processes together until they are killed.
        rules.insert(libc::SYS_setsid, Vec::new());
        rules.insert(libc::SYS_setpgid, Vec::new());
    }
    let signals_stay = walls == Walls::Namespaces || landlock >= 6;
    let me = u64::from(std::process::id());
    for call in [libc::SYS_kill, libc::SYS_tgkill] {
        let mut either = Vec::new();
        if !signals_stay {
            either.push(one(is(0, Op::Eq, me)?)?);
            if call == libc::SYS_kill {
                either.push(one(is(0, Op::Eq, 0)?)?);
            }
        }
        rules.insert(call, either);
    }
    if walls == Walls::Landlock {
        // Else the stage could not see which files it holds.
        let other = is(0, Op::Ne, libc::PR_SET_DUMPABLE.unsigned_abs().into())?;
        rules.insert(libc::SYS_prctl, vec![one(other)?]);
    }
    // Whoever opens a file with a lease on it waits for 45 s.
    let mut fcntl = vec![is(1, Op::Ne, F_SETLEASE)?];
    if !signals_stay {
        // A descriptor's owner gets signals.
        let owners = [libc::F_SETOWN as u64, F_SETSIG, F_SETOWN_EX];
        for command in owners {
            fcntl.push(is(1, Op::Ne, command)?);
        }
        let conditions: Result<Vec<_>, _> =
            [FIOSETOWN, SIOCSPGRP].into_iter().map(|command| is(1, Op::Ne, command)).collect();
        rules.insert(libc::SYS_ioctl, vec![SeccompRule::new(conditions?)?]);
    }
    rules.insert(libc::SYS_fcntl, vec![SeccompRule::new(fcntl)?]);
    Ok(rules)
}

const F_SETLEASE: u64 = 1024;
const F_SETSIG: u64 = 10;
const F_SETOWN_EX: u64 = 15;
const FIOSETOWN: u64 = 0x8901;
const SIOCSPGRP: u64 = 0x8902;
