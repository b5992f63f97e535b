//! The class list of a learning platform, and the same list with the marks in it: Moodle's grading
//! worksheet, Canvas' gradebook, or any table with a column of names.

use crate::report::{harmless, quoted};
use crate::rules::{Rules, student};
use crate::{Graded, LabResult, Points};

/// Columns that say who a row is about, in any case.
const NAMES: [&str; 13] = [
    "identifier",
    "full name",
    "email address",
    "id number",
    "username",
    "id",
    "sis user id",
    "sis login id",
    "student",
    "name",
    "email",
    "login",
    "matriculation number",
];

/// A table with a header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roster {
    kind: Kind,
    /// What stands between two cells.
    separator: char,
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Identifier, Full name, ..., Grade, Maximum Grade, ..., Feedback comments.
    Moodle,
    /// Student, ID, SIS User ID, SIS Login ID, Section, a column for each assignment.
    Canvas,
    Other,
}

/// A list with its marks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filled {
    /// The table, to be read by the platform.
    pub csv: String,
    /// Submissions that are nobody's in the list, and rows without a submission.
    pub warnings: Vec<String>,
}

impl Roster {
    /// Reads a table; which platform it is from shows in its header.
    ///
    /// # Errors
    /// Says which line or column is wrong or missing.
    pub fn parse(text: &str) -> Result<Roster, String> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let separator = separator(text.lines().next().unwrap_or_default());
        let mut rows = table(text, separator)?;
        if rows.is_empty() {
            return Err("the file is empty: the first line must name the columns".into());
        }
        let header = rows.remove(0);
        let has = |name: &str| column(&header, name).is_some();
        let kind = if has("identifier") && has("full name") {
            Kind::Moodle
        } else if has("student") && has("id") {
            Kind::Canvas
        } else {
            Kind::Other
        };
        if !NAMES.iter().any(|name| has(name)) {
            return Err(format!(
                "line 1: no column says who a row is about; expected one of: {}",
                NAMES.join(", ")
            ));
        }
        if kind == Kind::Moodle && !has("grade") {
            return Err(
                "line 1: there is no column \"Grade\": download the grading worksheet".into()
            );
        }
        Ok(Roster { kind, separator, header, rows })
    }

    /// The table with the marks: Moodle's grade out of its maximum, in Canvas and other tables a
    /// column for each lab (in Canvas out of the points possible that the column has already); in
    /// others also the total in per cent.
    pub fn fill(&self, graded: &[Graded], rules: &Rules) -> Filled {
        let mut header = self.header.clone();
        let mut warnings = Vec::new();
        let mut labs: Vec<&str> = Vec::new();
        for lab in graded.iter().flat_map(|g| &g.labs) {
            if !labs.contains(&lab.lab.as_str()) {
                labs.push(&lab.lab);
            }
        }
        let mut place = |name: &str| {
            let at = header.iter().position(|h| h.trim().to_lowercase().starts_with(name));
            at.unwrap_or_else(|| {
                header.push(name.to_string());
                header.len() - 1
            })
        };
        let columns: Vec<usize> = match self.kind {
            Kind::Moodle => vec![column(&self.header, "grade").unwrap_or(0)],
            Kind::Canvas => labs.iter().map(|lab| place(lab)).collect(),
            Kind::Other => labs.iter().copied().chain(["total"]).map(place).collect(),
        };
        let mut taken: Vec<Option<usize>> = vec![None; graded.len()];
        let mut rows = self.rows.clone();
        let mut absent = Vec::new();
        for (k, row) in rows.iter_mut().enumerate() {
            row.resize(header.len(), String::new());
            if self.kind == Kind::Canvas && says_points_possible(row) {
                for (lab, at) in
                    labs.iter().zip(&columns).filter(|(_, at)| **at >= self.header.len())
                {
                    let of = graded.iter().flat_map(|g| &g.labs).find(|l| l.lab == **lab);
                    row[*at] = of.map_or(String::new(), |l| l.points.to_string());
                }
                continue;
            }
            let keys = self.keys(row);
            let found = (0..graded.len())
                .find(|g| names(&graded[*g].name).iter().any(|n| keys.contains(n)));
            let Some(g) = found else {
                absent.push(self.whose(row));
                continue;
            };
            if let Some(before) = taken[g].replace(k) {
                warnings.push(format!(
                    "{} is two rows of the list, {} and {}: both have its mark",
                    graded[g].name,
                    self.whose(&self.rows[before]),
                    self.whose(row)
                ));
            }
            match self.kind {
                Kind::Moodle => {
                    let most =
                        column(&self.header, "maximum grade").and_then(|at| decimal(&row[at]));
                    let of_most = rules.share(&graded[g]) * most.unwrap_or(100.0);
                    row[columns[0]] = Points((of_most * 100.0).round() as u64).to_string();
                }
                Kind::Canvas | Kind::Other => {
                    for (lab, at) in labs.iter().zip(&columns) {
                        let result = graded[g].labs.iter().find(|l| l.lab == **lab);
                        let of = self.points_possible(*at);
                        row[*at] = result.map_or(String::new(), |l| out_of(l, of).to_string());
                    }
                    if self.kind == Kind::Other {
                        row[columns[labs.len()]] = rules.total(&graded[g]).to_string();
                    }
                }
            }
        }
        for (g, _) in taken.iter().enumerate().filter(|(_, row)| row.is_none()) {
            warnings.push(format!(
                "{} is not in the list: its mark is not in the table",
                graded[g].name
            ));
        }
        if !absent.is_empty() {
            warnings
                .push(format!("without a submission, left as they were: {}", absent.join(", ")));
        }
        let lines = std::iter::once(&header).chain(&rows);
        let csv = lines.map(|row| line(row, self.kind, self.separator)).collect();
        Filled { csv, warnings }
    }

    /// What Canvas gives for a column at most, as its gradebook says.
    fn points_possible(&self, column: usize) -> Option<f64> {
        let row = self.rows.iter().find(|row| says_points_possible(row));
        row.filter(|_| self.kind == Kind::Canvas)?.get(column).and_then(|cell| decimal(cell))
    }

    /// All that a row calls its student.
    fn keys(&self, row: &[String]) -> Vec<String> {
        let mut keys = Vec::new();
        for (name, cell) in self.header.iter().zip(row) {
            let name = name.trim().to_lowercase();
            if !NAMES.contains(&name.as_str()) || cell.trim().is_empty() {
                continue;
            }
            let cell = cell.trim().to_lowercase();
            if let Some((local, _)) = cell.split_once('@') {
                keys.push(local.to_string());
            }
            // "Participant 123", in any language.
            let number = cell.rsplit(' ').next().filter(|n| n.chars().all(|c| c.is_ascii_digit()));
            if name == "identifier" {
                keys.extend(number.map(str::to_string));
            }
            keys.push(cell);
        }
        keys
    }

    fn whose(&self, row: &[String]) -> String {
        let name = ["full name", "student", "name"].iter().find_map(|n| column(&self.header, n));
        let at = name.or_else(|| NAMES.iter().find_map(|n| column(&self.header, n)));
        at.and_then(|at| row.get(at)).cloned().unwrap_or_default()
    }
}

/// All that a submission may be called in a list: its name, and what the platforms' folders hold of
/// it.
fn names(submission: &str) -> Vec<String> {
    let name = student(submission).0.to_lowercase();
    let mut names = vec![name.clone()];
    let digits = |text: &&str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let parts: Vec<&str> = name.split('_').collect();
    if let Some(at) = parts.iter().position(|p| *p == "assignsubmission").filter(|at| *at >= 2) {
        // Moodle: "Ann Lee_123_assignsubmission_file".
        names.push(parts[at - 1].to_string());
        names.push(parts[..at - 1].join("_"));
    } else if parts.len() >= 4 {
        // Canvas: "leeann_123_4567_lab1" or "leeann_late_123_4567_lab1".
        let ids = if parts[1] == "late" { 2 } else { 1 };
        if digits(&parts[ids]) && parts.get(ids + 1).is_some_and(digits) {
            names.push(parts[ids].to_string());
        }
    }
    names
}

fn column(header: &[String], name: &str) -> Option<usize> {
    header.iter().position(|h| h.trim().eq_ignore_ascii_case(name))
}

/// True of the line below the header of Canvas' gradebook.
fn says_points_possible(row: &[String]) -> bool {
    row[0].trim().eq_ignore_ascii_case("points possible")
}

/// A lab's mark out of so many points; out of its own, if nothing else is said.
fn out_of(lab: &LabResult, most: Option<f64>) -> Points {
    match most {
        Some(most) if lab.points.0 > 0 => {
            Points((lab.earned.0 as f64 / lab.points.0 as f64 * most * 100.0).round() as u64)
        }
        _ => lab.earned,
    }
}

/// What stands between the cells of a header: spreadsheets of many countries write semicolons.
fn separator(header: &str) -> char {
    let count = |c: char| header.matches(c).count();
    [';', '\t'].into_iter().find(|c| count(*c) > count(',')).unwrap_or(',')
}

/// A number with a point or a comma.
fn decimal(text: &str) -> Option<f64> {
    text.trim().replace(',', ".").parse().ok().filter(|n: &f64| n.is_finite() && *n > 0.0)
}

/// A row of a table. What came from the platform goes back as it came; names in tables of one's own
/// must not become formulas.
fn line(row: &[String], kind: Kind, separator: char) -> String {
    let quote = |cell: &String| match kind {
        Kind::Other => quoted(&harmless(cell), separator),
        Kind::Moodle | Kind::Canvas => quoted(cell, separator),
    };
    row.iter().map(quote).collect::<Vec<_>>().join(&separator.to_string()) + "\r\n"
}

/// Rows of a CSV text (RFC 4180); empty lines are passed over.
fn table(text: &str, separator: char) -> Result<Vec<Vec<String>>, String> {
    let mut rows = Vec::new();
    let (mut row, mut cell) = (Vec::new(), String::new());
    let mut chars = text.chars().peekable();
    let (mut line, mut opened, mut quoted) = (1, 0, false);
    while let Some(c) = chars.next() {
        line += usize::from(c == '\n');
        match c {
            '"' if quoted && chars.peek() == Some(&'"') => {
                chars.next();
                cell.push('"');
            }
            '"' if quoted => quoted = false,
            '"' if cell.is_empty() => (quoted, opened) = (true, line),
            _ if quoted => cell.push(c),
            _ if c == separator => row.push(std::mem::take(&mut cell)),
            '\n' => {
                row.push(std::mem::take(&mut cell));
                let row = std::mem::take(&mut row);
                rows.extend((row.len() > 1 || !row[0].is_empty()).then_some(row));
            }
            '\r' => {}
            _ => cell.push(c),
        }
    }
    if quoted {
        return Err(format!("line {opened}: the quotation mark is not closed"));
    }
    if !cell.is_empty() || !row.is_empty() {
        row.push(cell);
        rows.push(row);
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::tests::sample;

    fn named(name: &str) -> Graded {
        Graded { name: name.into(), ..sample() }
    }

    #[test]
    fn moodle_s_worksheet_comes_back_with_grades() {
        let text = "\u{feff}Identifier,\"Full name\",\"Email address\",Status,Grade,\
            \"Maximum grade\",\"Feedback comments\"\r\n\
            \"Participant 71\",\"Lee, Ann\",ann@x.org,Submitted,,20.00,\r\n\
            \"Participant 72\",\"Bob \"\"B\"\" Ray\",bob@x.org,,,20.00,\r\n";
        let roster = Roster::parse(text).unwrap();
        let graded = [named("Ann Lee_71_assignsubmission_file"), named("zed")];
        let filled = roster.fill(&graded, &Rules::default());
        let want = "Participant 71,\"Lee, Ann\",ann@x.org,Submitted,5,20.00,\r\n";
        assert!(filled.csv.contains(want), "{}", filled.csv);
        assert!(filled.csv.contains("Participant 72,\"Bob \"\"B\"\" Ray\",bob@x.org,,,20.00,\r\n"));
        assert_eq!(
            filled.warnings,
            [
                "zed is not in the list: its mark is not in the table",
                "without a submission, left as they were: Bob \"B\" Ray"
            ]
        );
    }

    #[test]
    fn canvas_gradebook_gets_a_column_for_each_lab_or_fills_its_own() {
        let head = "Student,ID,SIS User ID,SIS Login ID,Section";
        let text = format!("{head}\n    Points Possible,,,,\n\"Lee, Ann\",71,a1,ann,S\n");
        let graded = [named("leeann_LATE_71_9000_lab1")];
        let filled = Roster::parse(&text).unwrap().fill(&graded, &Rules::default());
        let want =
            format!("{head},lab1\r\n    Points Possible,,,,,8\r\n\"Lee, Ann\",71,a1,ann,S,2\r\n");
        assert_eq!((filled.csv, filled.warnings), (want, vec![]));
        let text = format!("{head},Lab1 first (555)\n\"Lee, Ann\",71,a1,ann,S,\n");
        let filled = Roster::parse(&text).unwrap().fill(&[named("ann@2")], &Rules::default());
        assert!(filled.csv.ends_with("\"Lee, Ann\",71,a1,ann,S,2\r\n"), "{}", filled.csv);
        // 2 of 8, of an assignment with 10 points.
        let text = format!("{head},Lab1 (5)\n Points Possible,,,,,10.00\n\"Lee\",71,a,ann,S,\n");
        let filled = Roster::parse(&text).unwrap().fill(&[named("ann")], &Rules::default());
        assert!(filled.csv.ends_with(",10.00\r\nLee,71,a,ann,S,2.5\r\n"), "{}", filled.csv);
    }

    #[test]
    fn cells_may_be_parted_by_semicolons_or_tabs_and_come_back_so() {
        for (separator, other) in [(';', ','), ('\t', ';')] {
            let text = format!("email;note\nann@x.org;a{other}b\n").replace(';', "|");
            let text = text.replace('|', &separator.to_string());
            let filled = Roster::parse(&text).unwrap().fill(&[named("ann")], &Rules::default());
            let row = filled.csv.lines().last().unwrap();
            assert!(row.starts_with(&format!("ann@x.org{separator}")), "{row}");
            assert!(row.ends_with(&format!("{separator}2{separator}25")), "{row}");
        }
    }

    #[test]
    fn any_table_with_names_does_and_cells_are_no_formulas() {
        let roster = Roster::parse("email,note\nann@x.org,=1+1\nann@y.org,\n").unwrap();
        let filled = roster.fill(&[named("ann")], &Rules::default());
        assert_eq!(
            filled.csv,
            "email,note,lab1,total\r\nann@x.org,'=1+1,2,25\r\nann@y.org,,2,25\r\n"
        );
        assert_eq!(
            filled.warnings,
            ["ann is two rows of the list, ann@x.org and ann@y.org: both have its mark"]
        );
    }

    #[test]
    fn bad_lists_are_refused_with_a_reason() {
        for (text, says) in [
            ("", "the file is empty"),
            ("a,b\n1,2\n", "line 1: no column says who"),
            ("name\n\"ann\n", "line 2: the quotation mark"),
            ("Identifier,Full name\n", "no column \"Grade\""),
        ] {
            let said = Roster::parse(text).unwrap_err();
            assert!(said.contains(says), "{said}");
        }
    }
}
