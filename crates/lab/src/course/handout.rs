//! What a lab's handout says of an exercise.

/// The handout's section of an exercise.
pub(crate) fn section<'t>(handout: &'t str, number: &str) -> Option<&'t str> {
    let at = handout.find(&format!("\n## {number} "))? + 1;
    let rest = &handout[at..];
    Some(rest[2..].find("\n## ").map_or(rest, |end| &rest[..end + 2]))
}

/// What a section says that one learns: the sentences from "You learn" to the next words in bold
/// type, or to the paragraph's end, in a line.
pub(super) fn aim(section: &str) -> Option<String> {
    let (_, rest) = section.split_once("\n**You learn** ")?;
    let paragraph = rest.split("\n\n").next().unwrap_or(rest);
    let sentences = paragraph.split("**").next().unwrap_or(paragraph);
    Some(sentences.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_one_learns_is_told_in_whole_sentences() {
        let section = "## 1.1.1 Add\n\n**You learn** one thing, and\n\
                       another. **You edit** the body\n\
                       of `f`.\n\n**More** text.\n";
        assert_eq!(super::aim(section).unwrap(), "one thing, and another.");
        assert_eq!(super::aim("## 1\n\n**You learn** that.\n\nText.\n").unwrap(), "that.");
        assert_eq!(super::aim("## 1\n\nText.\n"), None);
    }
}
