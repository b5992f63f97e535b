//! PTX as text: comments and the bodies of kernels. Given, for exercises 1.1.11 and 1.1.12.

/// The text with every comment (`//` to the end of the line, `/* ... */`) replaced by one space; a
/// comment without an end reaches to the end of the text.
pub fn without_comments(ptx: &str) -> String {
    let mut out = String::with_capacity(ptx.len());
    let mut rest = ptx;
    while let Some(at) = rest.find('/') {
        let (before, tail) = rest.split_at(at);
        out.push_str(before);
        let length = match tail.as_bytes().get(1) {
            Some(b'/') => tail.find('\n').unwrap_or(tail.len()),
            Some(b'*') => tail[2..].find("*/").map_or(tail.len(), |end| end + 4),
            _ => 0,
        };
        // A slash alone is text.
        out.push(if length == 0 { '/' } else { ' ' });
        rest = &tail[length.max(1)..];
    }
    out.push_str(rest);
    out
}

/// Name and body of every kernel in `ptx`, in the order of the text.
///
/// A body is what stands between the outer braces, without comments and without lines that begin
/// with a point (directives such as `.reg` or `.loc`; not all of them end in a semicolon). What is
/// left are instructions, labels and inner braces.
pub fn kernels(ptx: &str) -> Vec<(String, String)> {
    let text = without_comments(ptx);
    let mut found = Vec::new();
    for part in text.split(".entry").skip(1) {
        let name = part.split(['(', '{']).next().unwrap_or("").trim();
        let Some(open) = part.find('{') else { continue };
        let mut depth = 0;
        let end = part[open..].char_indices().find_map(|(i, c)| {
            depth += match c {
                '{' => 1,
                '}' => -1,
                _ => 0,
            };
            (depth == 0).then_some(open + i)
        });
        let body = &part[open + 1..end.unwrap_or(part.len())];
        let lines = body.lines().filter(|line| !line.trim_start().starts_with('.'));
        found.push((name.to_string(), lines.collect::<Vec<_>>().join("\n")));
    }
    found
}
