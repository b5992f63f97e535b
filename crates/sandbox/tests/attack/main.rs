//! The program `sandbox-attack` of the tests. Other systems than Linux have no sandbox to attack.

#[cfg(target_os = "linux")]
mod linux;

fn main() -> std::process::ExitCode {
    #[cfg(target_os = "linux")]
    return linux::main();
    #[cfg(not(target_os = "linux"))]
    std::process::ExitCode::from(2)
}
