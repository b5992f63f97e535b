//! What a generator's window shows beside the parameters, of lab 5's filter in one architecture:
//! `cargo run -p lab5-fpga-ip --bin explain -- da4` prints frequency response, latency and resources.

use std::process::ExitCode;

use cuda_driver as _;
use hdl::estimate::Device;
use ipcores::fir::{Fir, explain};
use lab5_fpga_ip::compiler::FirArchitecture;

fn main() -> ExitCode {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    let fir = Fir::lab5();
    let Some(architecture) = FirArchitecture::ALL.into_iter().find(|a| a.name() == wanted) else {
        let names = FirArchitecture::ALL.map(FirArchitecture::name).join(", ");
        eprintln!("error: there is no architecture `{wanted}`: choose one of {names}");
        return ExitCode::from(2);
    };
    match architecture.build(&fir) {
        Ok(core) => {
            println!("{}", explain(&fir, &core, &Device::XC3S700A));
            ExitCode::SUCCESS
        }
        Err(mistakes) => {
            eprintln!("error: {mistakes}");
            ExitCode::FAILURE
        }
    }
}
