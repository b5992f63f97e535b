//! The command `cargo lab`: [`course`] for students and instructors, [`web`] for the same in a
//! browser, [`tools`] around kernels, [`dev`] for authors of exercises.

#![forbid(unsafe_code)]

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser, Subcommand};

pub mod course;
pub mod dev;
pub mod tools;
pub mod web;

/// The lab course: what to do next, and how well it is done
#[derive(Debug, Parser)]
#[command(name = "cargo lab", bin_name = "cargo lab", version)]
pub struct Cli {
    /// What to do; without it, the course's status.
    #[command(subcommand)]
    pub command: Option<Command>,
}

/// All that the command can do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Exercises and marks.
    #[command(flatten)]
    Course(course::Command),
    /// The course in a browser.
    #[command(flatten)]
    Web(web::Command),
    /// New exercises (for authors).
    #[command(subcommand)]
    Dev(dev::Command),
    /// Tools around kernels.
    #[command(flatten)]
    Tool(Box<tools::Tool>),
}

/// The error of a command line; for a command that is not there it names the one that has the same
/// letters but for one.
pub fn unknown(mut error: clap::Error) -> clap::Error {
    let typed = match (error.kind(), error.get(ContextKind::InvalidSubcommand)) {
        (ErrorKind::InvalidSubcommand, Some(ContextValue::String(typed))) => typed.clone(),
        _ => return error,
    };
    if error.get(ContextKind::SuggestedSubcommand).is_none()
        && let Some(near) = Cli::command().get_subcommands().find(|c| near(&typed, c.get_name()))
    {
        let near = ContextValue::Strings(vec![near.get_name().to_string()]);
        error.insert(ContextKind::SuggestedSubcommand, near);
    }
    error
}

/// True if the words have the same letters in any order, but for one of each.
fn near(typed: &str, command: &str) -> bool {
    let mut left: Vec<char> = typed.chars().collect();
    let missing = command.chars().filter(|c| match left.iter().position(|l| l == c) {
        Some(at) => {
            left.remove(at);
            false
        }
        None => true,
    });
    missing.count() <= 1 && left.len() <= 1 && command.len() > 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mistyped_command_has_a_suggestion() {
        let said =
            |typed: &str| unknown(Cli::try_parse_from(["lab", typed]).unwrap_err()).to_string();
        for (typed, meant) in [("rnu", "'run'"), ("wacth", "'watch'"), ("gradee", "'grade'")] {
            assert!(said(typed).contains(meant), "{}", said(typed));
        }
        assert!(!said("xyzzy").contains("similar"));
    }
}
