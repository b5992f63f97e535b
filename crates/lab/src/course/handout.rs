//! What a lab's handout says of an exercise.

/// The handout's section of an exercise.
pub(crate) fn section<'t>(handout: &'t str, number: &str) -> Option<&'t str> {
    let at = handout.find(&format!("\n## {number} "))? + 1;
    let rest = &handout[at..];
    Some(rest[2..].find("\n## ").map_or(rest, |end| &rest[..end + 2]))
}

/// What a section says that one learns.
pub(super) fn aim(section: &str) -> Option<&str> {
    section.lines().find_map(|line| line.strip_prefix("**You learn** "))
}
