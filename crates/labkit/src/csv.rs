//! Tables as CSV files (RFC 4180).

use std::path::Path;

use crate::LabError;

/// The table as text: a header, then the rows. Fields with commas, quotes or line ends are quoted.
///
/// # Errors
/// A row whose length is not the header's.
pub fn to_text(header: &[&str], rows: &[Vec<String>]) -> Result<String, LabError> {
    let mut text = line(header.iter().copied());
    for (i, row) in rows.iter().enumerate() {
        crate::check_len(&format!("row {i} of the table"), row.len(), header.len())?;
        text += &line(row.iter().map(String::as_str));
    }
    Ok(text)
}

fn line<'a>(fields: impl Iterator<Item = &'a str>) -> String {
    let quoted = |field: &str| {
        if field.contains([',', '"', '\n', '\r']) {
            format!("\"{}\"", field.replace('"', "\"\""))
        } else {
            field.to_owned()
        }
    };
    fields.map(quoted).collect::<Vec<_>>().join(",") + "\n"
}

/// Writes the table to a file.
///
/// # Errors
/// As [`to_text`], and what the system refuses.
pub fn write(path: &Path, header: &[&str], rows: &[Vec<String>]) -> Result<(), LabError> {
    let text = to_text(header, rows)?;
    std::fs::write(path, text).map_err(|e| LabError::msg(format!("{}: {e}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_where_they_must_be() {
        let rows =
            [vec!["1".to_owned(), "a,b".to_owned()], vec!["2".to_owned(), "say \"x\"".to_owned()]];
        let text = to_text(&["n", "what"], &rows).unwrap();
        assert_eq!(text, "n,what\n1,\"a,b\"\n2,\"say \"\"x\"\"\"\n");
        assert!(to_text(&["n"], &rows).is_err());
    }
}
