//! Exercise 6.9: a shot is migrated. The device has two levels of each wavefield, and the shells.

use lab6_rtm::shot::Rig;
use labkit::LabError;

/// Migrates the shot of `nt` levels (0 to `nt - 1`) that is on the device: the sums of the image
/// are complete when it returns.
///
/// Forward, the source wavefield: levels 1 to `nt - 1`, sample `k` of the wavelet added to level
/// `k + 1`, the shell of every level saved. Backward, for `k` from `nt - 1` down to 0: the receiver
/// wavefield of level `k` with its data, the source wavefield of the same level, and their product.
///
/// # Errors
/// What the driver refuses.
pub fn migrate(rig: &Rig<'_>, nt: usize) -> Result<(), LabError> {
    // <lab
    for k in 0..nt - 1 {
        rig.step_source(k)?;
        rig.add_source(k + 1, k)?;
        rig.save_shell(k + 1)?;
    }
    for k in (0..nt).rev() {
        if k + 1 < nt {
            rig.step_receivers(k)?;
        }
        rig.add_data(k)?;
        // The last two levels are still there.
        if k + 2 < nt {
            rig.step_source_back(k)?;
            rig.add_source(k, k + 1)?;
            rig.load_shell(k)?;
        }
        rig.correlate(k)?;
    }
    Ok(())
    //~ // 1. Forward: step_source, add_source, save_shell.
    //~ // 2. Backward: step_receivers and add_data; step_source_back, add_source and load_shell
    //~ //    for each level k that is not there any more (the step from k + 1 to k + 2 added
    //~ //    which sample, and to which level?); correlate.
    //~ let _ = (rig, nt);
    //~ Err(LabError::msg("migrate: both loops are missing"))
    // lab>
}
