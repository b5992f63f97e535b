//! `labkit-ptx FILE.cu sm_XX [OPTIONS]`: prints the PTX that NVRTC makes of a kernel file.
//! `cargo lab compile` and `cargo lab sass` start it where NVRTC is installed, so that the command
//! itself need not be linked with it.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let options: Vec<&str> = args.iter().skip(2).map(String::as_str).collect();
    let [file, arch, ..] = &args[..] else {
        eprintln!("error: expected labkit-ptx FILE.cu sm_XX [OPTIONS]");
        return ExitCode::from(2);
    };
    let number = arch.trim_start_matches(|c: char| !c.is_ascii_digit()).parse::<i32>();
    let Ok(number) = number else {
        eprintln!("error: `{arch}` is not an architecture, such as sm_90");
        return ExitCode::from(2);
    };
    match labkit::ptx(Path::new(file), &options, (number / 10, number % 10)) {
        Ok(ptx) => {
            print!("{ptx}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{}", error.report());
            ExitCode::FAILURE
        }
    }
}
