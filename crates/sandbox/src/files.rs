//! Files by Landlock: what is not listed can be neither read nor written, through whatever name.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, LandlockStatus, PathBeneath, PathFd,
    Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus, Scope,
};

use crate::rules::Sandbox;

/// The newest version of Landlock whose rights are asked for; older kernels give what they have.
const NEWEST: ABI = ABI::V6;

/// Where programs find their libraries.
const LIBRARIES: [&str; 6] =
    ["/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache"];

/// Devices that may be read and written. None that gives without end.
pub const DEVICES: [&str; 1] = ["/dev/null"];

/// All that may be read: the list and the libraries.
pub fn readable(sandbox: &Sandbox) -> impl Iterator<Item = PathBuf> {
    LIBRARIES.iter().map(PathBuf::from).chain(sandbox.read.iter().cloned())
}

/// Restricts this process; the result is the version of the kernel's Landlock. `own` is this
/// process's folder of `/proc`.
pub fn restrict(sandbox: &Sandbox, own: &Path) -> Result<u32, String> {
    let all = AccessFs::from_all(NEWEST);
    let read = AccessFs::from_read(NEWEST);
    let device = AccessFs::ReadFile | AccessFs::WriteFile;
    let whole = |e: landlock::RulesetError| format!("Landlock: {e}");
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)
        .map_err(whole)?
        .handle_access(AccessNet::from_all(NEWEST))
        .map_err(whole)?
        .scope(Scope::from_all(NEWEST))
        .map_err(whole)?
        .create()
        .map_err(whole)?;
    let rules = readable(sandbox)
        .map(|path| (path, read))
        .chain([(own.to_path_buf(), read)])
        .chain(DEVICES.iter().map(|path| (PathBuf::from(path), device)))
        .chain(sandbox.write.iter().map(|path| (path.clone(), all)));
    for (path, mut rights) in rules {
        // What is not there can be left out: no right is lost.
        let Ok(fd) = PathFd::new(&path) else { continue };
        if !path.is_dir() {
            rights &= AccessFs::from_file(NEWEST);
        }
        ruleset = ruleset.add_rule(PathBeneath::new(fd, rights)).map_err(whole)?;
    }
    let status = ruleset.restrict_self().map_err(whole)?;
    match (status.ruleset, status.landlock) {
        (RulesetStatus::NotEnforced, LandlockStatus::NotImplemented) => {
            Err("this kernel has no Landlock".into())
        }
        (RulesetStatus::NotEnforced, _) => Err("Landlock is switched off".into()),
        (_, LandlockStatus::Available { effective_abi, kernel_abi }) => {
            Ok(kernel_abi.map_or(effective_abi as u32, |k| k.unsigned_abs()))
        }
        _ => Ok(1),
    }
}
