//! The student's regions of a file, and the skeleton that a solution implies.
//!
//! A region lies between a line `// <lab` and a line `// lab>`. In a solution, lines of it that
//! begin with `//~ ` hold what the skeleton shows instead of the region's other lines. `#` takes
//! the place of `//` in TOML and scripts.

/// How lines of comment begin in the file called `name`.
pub fn comment_of(name: &str) -> &'static str {
    match name.rsplit('.').next() {
        Some("rs" | "cu" | "cuh" | "h" | "cl" | "c" | "v") => "//",
        Some("vhd") => "--",
        _ => "#",
    }
}

enum Line<'a> {
    Open,
    Close,
    /// Text outside of the regions.
    Given,
    /// Text inside of a region.
    Own,
    /// What the skeleton shows: indentation and text.
    Shown(&'a str, &'a str),
}

/// Splits a text into classified lines (each with its line end) and reports unbalanced markers.
fn classify<'a>(text: &'a str, comment: &str) -> Result<Vec<(&'a str, Line<'a>)>, String> {
    let open = format!("{comment} <lab");
    let close = format!("{comment} lab>");
    let shown = format!("{comment}~");
    let mut opened_at = None;
    let mut lines = Vec::new();
    for (k, line) in text.split_inclusive('\n').enumerate() {
        let bare = line.trim();
        let class = if bare == open {
            if let Some(first) = opened_at.replace(k + 1) {
                return Err(format!("line {}: `{open}` inside the region of line {first}", k + 1));
            }
            Line::Open
        } else if bare == close {
            if opened_at.take().is_none() {
                return Err(format!("line {}: `{close}` without `{open}`", k + 1));
            }
            Line::Close
        } else if opened_at.is_none() {
            Line::Given
        } else if let Some(text) = bare.strip_prefix(&shown) {
            let indent = &line[..line.len() - line.trim_start().len()];
            Line::Shown(indent, text.strip_prefix(' ').unwrap_or(text))
        } else {
            Line::Own
        };
        lines.push((line, class));
    }
    match opened_at {
        Some(first) => Err(format!("line {first}: `{open}` without `{close}`")),
        None => Ok(lines),
    }
}

/// The skeleton of a solution.
///
/// # Errors
/// Names the line of an unbalanced marker; a solution without a region is an error too.
pub fn skeleton(solution: &str, comment: &str) -> Result<String, String> {
    let mut out = String::new();
    let mut regions = 0;
    for (line, class) in classify(solution, comment)? {
        match class {
            Line::Open => {
                regions += 1;
                out += line;
            }
            Line::Close | Line::Given => out += line,
            Line::Own => {}
            Line::Shown(_, "") => out.push('\n'),
            Line::Shown(indent, text) => {
                out += indent;
                out += text;
                out.push('\n');
            }
        }
    }
    if regions == 0 {
        return Err(format!(
            "there is no region: mark one with `{comment} <lab` and `{comment} lab>`"
        ));
    }
    Ok(out)
}

/// Texts of the regions, one string each.
///
/// # Errors
/// Names the line of an unbalanced marker.
pub fn regions(text: &str, comment: &str) -> Result<Vec<String>, String> {
    let mut out: Vec<String> = Vec::new();
    for (line, class) in classify(text, comment)? {
        match class {
            Line::Open => out.push(String::new()),
            Line::Own | Line::Shown(..) => {
                if let Some(region) = out.last_mut() {
                    region.push_str(line);
                }
            }
            Line::Close | Line::Given => {}
        }
    }
    Ok(out)
}

/// True if all regions of `text` are those of `skeleton`, blanks at line ends and empty lines
/// aside. A text with damaged markers has been touched.
pub fn untouched(text: &str, skeleton: &str, comment: &str) -> bool {
    let bare = |text: &str| -> Option<Vec<Vec<String>>> {
        let regions = regions(text, comment).ok()?;
        let lines = |r: &String| {
            r.lines().map(str::trim).filter(|l| !l.is_empty()).map(str::to_string).collect()
        };
        Some(regions.iter().map(lines).collect())
    };
    bare(skeleton).is_some_and(|want| bare(text).as_ref() == Some(&want))
}

/// The first line of `text`, from 1, at which it differs from `skeleton` outside of the regions,
/// blanks at line ends and empty lines aside. A text with damaged markers differs at line 1.
pub fn outside(text: &str, skeleton: &str, comment: &str) -> Option<usize> {
    let given = |text: &str| -> Option<Vec<(usize, String)>> {
        let lines = classify(text, comment).ok()?.into_iter().enumerate();
        let kept = lines.filter(|(_, (line, class))| {
            !matches!(class, Line::Own | Line::Shown(..)) && !line.trim().is_empty()
        });
        Some(kept.map(|(k, (line, _))| (k + 1, line.trim_end().to_string())).collect())
    };
    let (Some(is), Some(want)) = (given(text), given(skeleton)) else { return Some(1) };
    let differs = is.iter().zip(&want).find(|((_, is), (_, want))| is != want);
    match differs {
        Some(((line, _), _)) => Some(*line),
        None if is.len() == want.len() => None,
        // Something was put behind the end, or is missing there.
        None => Some(is.get(want.len()).or(is.last()).map_or(1, |(line, _)| *line)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOLUTION: &str = "given\n    // <lab\n    //~ int i = 0; \
                            // replace me\n    //~\n    int i = threadIdx.x;\n    // lab>\nend\n";

    #[test]
    fn a_skeleton_shows_the_marked_lines_instead_of_the_solution() {
        let want = "given\n    // <lab\n    int i = 0; // replace me\n\n    // lab>\nend\n";
        assert_eq!(skeleton(SOLUTION, "//").unwrap(), want);
        // The skeleton of a skeleton with text would lose it: sync always starts from the solution.
        assert_eq!(regions(want, "//").unwrap(), ["    int i = 0; // replace me\n\n"]);
    }

    #[test]
    fn unbalanced_markers_are_named_by_line() {
        let said = |text| skeleton(text, "#").unwrap_err();
        assert_eq!(said("a\n# lab>\n"), "line 2: `# lab>` without `# <lab`");
        assert_eq!(said("# <lab\n# <lab\n"), "line 2: `# <lab` inside the region of line 1");
        assert_eq!(said("\n# <lab\n"), "line 2: `# <lab` without `# lab>`");
        assert!(said("a\n").starts_with("there is no region"));
    }

    #[test]
    fn touched_means_that_a_region_changed() {
        let bare = skeleton(SOLUTION, "//").unwrap();
        assert!(untouched(&bare, &bare, "//"));
        assert!(untouched(&bare.replace("given", "other"), &bare, "//"));
        assert!(untouched(&bare.replace("me\n", "me  \n\n"), &bare, "//"));
        assert!(!untouched(&bare.replace("= 0", "= 1"), &bare, "//"));
        assert!(!untouched(SOLUTION, &bare, "//"));
        assert!(!untouched("", &bare, "//"));
    }

    #[test]
    fn changes_outside_of_the_regions_are_found() {
        let bare = skeleton(SOLUTION, "//").unwrap();
        assert_eq!(outside(SOLUTION, &bare, "//"), None);
        assert_eq!(outside(&bare.replace("= 0", "= 1\n\n"), &bare, "//"), None);
        assert_eq!(outside(&bare.replace("given", "\ngiven "), &bare, "//"), None);
        assert_eq!(outside(&SOLUTION.replace("given", "other"), &bare, "//"), Some(1));
        assert_eq!(outside(&SOLUTION.replace("end", "end\nmore"), &bare, "//"), Some(8));
        assert_eq!(outside(&SOLUTION.replace("// lab>", ""), &bare, "//"), Some(1));
    }

    #[test]
    fn comments_follow_the_kind_of_file() {
        assert_eq!(comment_of("kernels/e.cu"), "//");
        assert_eq!(comment_of("answers/e.toml"), "#");
        assert_eq!(comment_of("debug/e.dbg"), "#");
    }
}
