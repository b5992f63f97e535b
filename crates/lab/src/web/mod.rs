//! The course in a browser: `cargo lab site` writes the pages as files, `cargo lab serve` is a
//! local server of the same pages over the student's own folder.

use std::io::Write;

use clap::Subcommand;

use crate::course::App;

mod class;
mod content;
mod designs;
mod http;
mod serve;
mod site;

pub use site::LABS;

/// The two homes of the pages.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// The course in your browser, over your own folder: a server for this machine only
    Serve(serve::Args),
    /// Write the course for a browser: a site that any web server can hold
    Site(site::Args),
}

/// Runs a command; the result is the exit code.
///
/// # Errors
/// What is wrong with the command line, a file or a build, for people.
pub fn run(app: &App, command: &Command, out: &mut dyn Write) -> Result<u8, String> {
    match command {
        Command::Serve(args) => app.serve(args, out),
        Command::Site(args) => app.site(args, out),
    }
}
