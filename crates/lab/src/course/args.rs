//! What the command line says to commands for instructors.

use std::path::PathBuf;

use clap::Args;

/// What is written, and where.
#[derive(Debug, Default, Args)]
pub struct ExportArgs {
    /// Folder to make: the students' pack, the course without solutions
    #[arg(value_name = "DIR", required_unless_present = "gradescope")]
    pub dir: Option<PathBuf>,
    /// Write the archive that Gradescope makes an autograder of, for one lab
    #[arg(long, value_name = "FILE.zip", requires = "lab", conflicts_with = "dir")]
    pub gradescope: Option<PathBuf>,
    /// Put a built program `lab` into the pack, for students without Rust; once for each system
    #[arg(long, value_name = "FILE", requires = "dir")]
    pub binary: Vec<PathBuf>,
    /// Put a workflow for Classroom 50 into the pack, for one lab
    #[arg(long, requires = "lab", requires = "dir")]
    pub classroom50: bool,
    /// The lab, such as lab1
    #[arg(long, value_name = "LAB")]
    pub lab: Option<String>,
}

/// Which submissions are compared, and what is shown.
#[derive(Debug, Args)]
pub struct SimilarArgs {
    /// Folder of submissions, as for `grade --submissions`
    pub dir: PathBuf,
    /// The lab, such as lab1
    pub lab: String,
    /// Show pairs that have at least so much in common, in per cent of the smaller one
    #[arg(long, value_name = "PERCENT", default_value_t = 50)]
    pub least: usize,
    /// Write a page with the pairs side by side
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}
