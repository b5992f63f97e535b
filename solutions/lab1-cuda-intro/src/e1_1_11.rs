//! Exercise 1.1.11: the compilation path. What does a PTX file hold?
//!
//! PTX is text. Directives begin with a point (`.version 8.2`, `.target sm_80`), a kernel is
//! introduced by `.entry NAME(`, a device function by `.func`. Lines end in LF or CR LF. Comments
//! are those of C; what they say is not code:
//! [`without_comments`](lab1_cuda_intro::ptx::without_comments) removes them.

/// Names of the kernels (`.entry`) in `ptx`, in the order of the text.
pub fn ptx_entries(ptx: &str) -> Vec<String> {
    // <lab
    //~ let _ = ptx;
    //~ Vec::new()
    let text = lab1_cuda_intro::ptx::without_comments(ptx);
    let mut words = text.split(|c: char| c.is_whitespace() || c == '(').filter(|w| !w.is_empty());
    let mut names = Vec::new();
    while let Some(word) = words.next() {
        if word == ".entry" {
            names.extend(words.next().map(String::from));
        }
    }
    names
    // lab>
}

/// What follows `.version` and `.target`, such as `("8.2", "sm_80")`; `None` if one of them is
/// missing.
///
/// `.target` may list more after a comma (`.target sm_80, debug`): only the first counts.
pub fn ptx_target(ptx: &str) -> Option<(String, String)> {
    // <lab
    //~ let _ = ptx;
    //~ None
    let text = lab1_cuda_intro::ptx::without_comments(ptx);
    let after = |directive: &str| {
        let mut words = text.split(|c: char| c.is_whitespace() || c == ',');
        words.find(|w| *w == directive)?;
        words.find(|w| !w.is_empty()).map(String::from)
    };
    Some((after(".version")?, after(".target")?))
    // lab>
}
