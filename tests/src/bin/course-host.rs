//! Runs the solutions' host code for the judge; with `COURSE_MUTANT` in the environment, that
//! mutant's in place of its exercise's. It is the judge's device, too, if it is started as one.

use std::process::ExitCode;

use labkit::serve::Handlers;

#[allow(missing_docs)]
mod mutants {
    include!(concat!(env!("OUT_DIR"), "/mutants.rs"));
}

include!(concat!(env!("OUT_DIR"), "/solutions.rs"));

fn main() -> ExitCode {
    cuda_driver::judge::with_libraries(cudalibs::judge::answer);
    emulation::judge::with_driver(
        opencl_icd::judge::PREFIX,
        opencl_icd::judge::answer,
        opencl_icd::judge::renew,
    );
    wire::device::be_one_if_asked(cuda_driver::judge::serve_socket);
    let mut handlers = match std::env::var("COURSE_MUTANT") {
        Err(_) => Handlers::default(),
        Ok(name) => match mutants::handlers(&name) {
            Some(handlers) => handlers,
            None => {
                eprintln!("error: there is no host mutant {name}");
                return ExitCode::from(2);
            }
        },
    };
    // The first handler of a name is the one that is called.
    add_solutions(&mut handlers);
    labkit::serve::run(handlers)
}
