//! Help with misspelt names.

/// The known name nearest to `name`, if it is near enough to be a slip of the finger.
pub(crate) fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let limit = match name.chars().count() {
        0..=2 => 1,
        3..=5 => 1,
        6..=8 => 2,
        _ => 3,
    };
    let mut best: Option<(usize, &str)> = None;
    for k in known {
        let far = k.len().abs_diff(name.len()) > limit;
        if far || k == name || k.contains([':', '$']) {
            continue;
        }
        let d = distance(name, k);
        if d <= limit && best.is_none_or(|(b, _)| d < b) {
            best = Some((d, k));
        }
    }
    // One letter for another says nothing when the name is one letter long.
    best.filter(|(d, k)| *d < name.len().max(k.len())).map(|(_, k)| k)
}

/// Edits (insert, delete, replace, exchange of neighbours) that turn `a` into `b`; upper and lower
/// case count half, rounded up in sum.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().take(64).collect();
    let b: Vec<char> = b.chars().take(64).collect();
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).map(|j| 2 * j).collect()];
    for i in 1..=a.len() {
        let mut row = vec![2 * i];
        for j in 1..=b.len() {
            let (x, y) = (a[i - 1], b[j - 1]);
            let replace = match () {
                () if x == y => 0,
                () if x.eq_ignore_ascii_case(&y) => 1,
                () => 2,
            };
            let mut d = (rows[i - 1][j] + 2).min(row[j - 1] + 2).min(rows[i - 1][j - 1] + replace);
            if i > 1 && j > 1 && x == b[j - 2] && a[i - 2] == y {
                d = d.min(rows[i - 2][j - 2] + 2);
            }
            row.push(d);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()].div_ceil(2)
}

/// What to do about a name in capitals that nothing defines, in a kernel of OpenCL C: its host
/// gives such names when it builds the program.
pub(crate) fn build_option(name: &str) -> Option<String> {
    let capitals = name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    (capitals && name.starts_with(|c: char| c.is_ascii_uppercase())).then(|| {
        format!("if the host defines it in its build options, give it here: -D {name}=VALUE")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_strangers_are_not() {
        let known = ["threadIdx", "blockIdx", "blockDim", "i", "size"];
        let near = |n| nearest(n, known.iter().copied());
        assert_eq!(near("threadidx"), Some("threadIdx"));
        assert_eq!(near("blokcIdx"), Some("blockIdx"));
        assert_eq!(near("sise"), Some("size"));
        assert_eq!(near("j"), None);
        assert_eq!(near("temperature"), None);
    }
}
