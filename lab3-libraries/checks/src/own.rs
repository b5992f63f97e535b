//! What a student has to write, although a crate of the course has it, too.

use grading::{Finding, Trial, expect};

/// The text of `file` must use none of what is `given`: names as they stand in Rust, without
/// blanks.
///
/// # Errors
/// Names what is used, with the hint `own`; the file cannot be read.
pub fn written(t: &Trial, file: &str, given: &[&str]) -> Result<(), Finding> {
    let code: String = t
        .text(file)?
        .lines()
        .flat_map(|line| line.split("//").next())
        .flat_map(str::chars)
        .filter(|c| !c.is_whitespace())
        .collect();
    let used = given.iter().find(|name| code.contains(**name));
    expect::that(used.is_none(), || {
        format!("{file}: `{}` is given to be compared with", used.unwrap_or(&""))
    })
    .map_err(|f| f.hint("own"))
}
