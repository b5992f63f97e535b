//! The sandbox by itself: `sandbox explain [json]` says what this machine gives; `sandbox run JSON`
//! reads `{"sandbox": ..., "program": "...", "args": [...]}` and prints how the program ended.

#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use serde::Deserialize;

#[derive(Deserialize)]
struct Order {
    sandbox: sandbox::Sandbox,
    program: PathBuf,
    args: Vec<OsString>,
}

fn main() -> ExitCode {
    sandbox::stage_if_asked();
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let done = match args[..] {
        ["explain"] => protection().map(|protection| print!("{protection}")),
        ["explain", "json"] => protection().and_then(|protection| print(&protection)),
        ["run", order] => run(order),
        _ => Err("usage: sandbox explain [json] | sandbox run JSON".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::from(2)
        }
    }
}

fn protection() -> Result<sandbox::Protection, String> {
    let stage = std::env::current_exe().map_err(|e| format!("this program: {e}"))?;
    Ok(sandbox::probe(&stage))
}

fn run(order: &str) -> Result<(), String> {
    let order: Order = serde_json::from_str(order).map_err(|e| e.to_string())?;
    print(&order.sandbox.run(&order.program, &order.args))
}

fn print(what: &impl serde::Serialize) -> Result<(), String> {
    println!("{}", serde_json::to_string(what).map_err(|e| e.to_string())?);
    Ok(())
}
