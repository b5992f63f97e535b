//! What the environment variables do. Each is read once per process, so each case is a process of
//! its own.

use std::process::Command;

/// Not a test of its own: what the processes that [`run`] starts do.
#[test]
fn child() {
    if std::env::var_os("CUDA_DRIVER_TEST_CHILD").is_none() {
        return;
    }
    let line = match cust::quick_init() {
        Err(error) => format!("{error:?}: {}", cuda_driver::last_error_text().unwrap_or_default()),
        Ok(_context) => {
            let device = cust::device::Device::get_device(0).unwrap();
            let total = cust::memory::mem_get_info().unwrap().1;
            format!("{} with {} MiB", device.name().unwrap(), total >> 20)
        }
    };
    println!("\nRESULT {line}");
}

fn run(variables: &[(&str, &str)]) -> String {
    let _alone = super::alone();
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "environment::child", "--nocapture"])
        .env("CUDA_DRIVER_TEST_CHILD", "1");
    for name in ["LAB_DEVICE", "LAB_GPU", "LAB_DEVICE_MEMORY", "LAB_STEP_LIMIT", "LAB_TRACE"] {
        command.env_remove(name);
    }
    let output = command.envs(variables.iter().copied()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let line = text.lines().find_map(|l| l.strip_prefix("RESULT "));
    line.unwrap_or_else(|| panic!("no result in {text}")).to_owned()
}

#[test]
fn the_emulated_gpu_is_chosen_by_name() {
    let forced = ("LAB_DEVICE", "emulated");
    assert_eq!(run(&[forced]), "NVIDIA H200 (emulated) with 4096 MiB");
    let other = run(&[forced, ("LAB_GPU", "a100"), ("LAB_DEVICE_MEMORY", "512M")]);
    assert!(other.contains("A100") && other.ends_with(" (emulated) with 512 MiB"), "{other}");
    let unknown = run(&[forced, ("LAB_GPU", "voodoo2")]);
    assert!(
        unknown.starts_with("InvalidValue: LAB_GPU: no GPU is called `voodoo2` here"),
        "{unknown}"
    );
    let memory = run(&[forced, ("LAB_DEVICE_MEMORY", "plenty")]);
    assert_eq!(
        memory,
        "InvalidValue: LAB_DEVICE_MEMORY: expected a size such as 512M or 4G, found `plenty`"
    );
}

#[test]
fn a_back_end_that_does_not_exist_is_refused() {
    assert_eq!(
        run(&[("LAB_DEVICE", "quantum")]),
        "InvalidValue: LAB_DEVICE: expected auto, emulated or cuda, found `quantum`"
    );
}
