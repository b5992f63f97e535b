//! Answers that are not code: `answers/*.toml` with typed keys.
//!
//! A finding never says what would have been right: reading, measuring or working it out is the
//! exercise. Questions about numbers are asked of the student's own ones ([`Answers::own`]), and of
//! questions with a few possible answers only all are judged together ([`Answers::choices`]).

use references::random::Random;
use toml::{Table, Value};

use crate::{Class, Finding, Trial};

/// One answer file.
#[derive(Clone, Debug)]
pub struct Answers {
    file: String,
    table: Table,
    /// The keys in the file's order, a table's as `outer.inner`.
    order: Vec<String>,
    /// The student's own numbers, for people; empty if all students have the same.
    numbers: String,
}

impl Trial {
    /// Reads an answer file.
    ///
    /// # Errors
    /// Not gradable if it is missing or not TOML.
    pub fn answers(&self, rel: &str) -> Result<Answers, Finding> {
        Answers::parse(rel, &self.text(rel)?)
    }
}

impl Answers {
    /// Reads the text of an answer file.
    ///
    /// # Errors
    /// Not gradable, with the place, if it is not TOML.
    pub fn parse(file: &str, text: &str) -> Result<Answers, Finding> {
        let table = text.parse::<Table>().map_err(|e| {
            let line = e.span().map_or(0, |s| text[..s.start].matches('\n').count() + 1);
            Finding::new(
                Class::NotGradable,
                format!("{file}:{line} is not valid TOML: {}", e.message()),
            )
            .details(e.to_string())
        })?;
        let order = keys_in_order(text);
        Ok(Answers { file: file.to_string(), table, order, numbers: String::new() })
    }

    /// Every key of the file with its value as text, in the file's order; a table's keys as
    /// `outer.inner`.
    pub fn all(&self) -> Vec<(String, String)> {
        fn add(table: &Table, before: &str, out: &mut Vec<(String, String)>) {
            for (key, value) in table {
                let key = format!("{before}{key}");
                match value {
                    Value::Table(inner) => add(inner, &format!("{key}."), out),
                    Value::String(text) => out.push((key, text.clone())),
                    other => out.push((key, other.to_string())),
                }
            }
        }
        let mut out = Vec::new();
        add(&self.table, "", &mut out);
        out.sort_by_key(|(key, _)| self.order.iter().position(|k| k == key));
        out
    }

    /// The value of a key; `outer.inner` looks into tables.
    ///
    /// # Errors
    /// Wrong, if the key is missing.
    pub fn get(&self, key: &str) -> Result<&Value, Finding> {
        let mut table = &self.table;
        let mut parts = key.split('.').peekable();
        while let Some(part) = parts.next() {
            match table.get(part) {
                Some(value) if parts.peek().is_none() => return Ok(value),
                Some(Value::Table(inner)) => table = inner,
                _ => break,
            }
        }
        Err(Finding::wrong(format!("{}: there is no key {key}", self.file)))
    }

    /// Random numbers of the student's own. They follow from the file and from its key `name`, in
    /// which case and blanks do not count.
    ///
    /// # Errors
    /// Wrong, if there is no name yet.
    pub fn own(&self) -> Result<Random, Finding> {
        let name = self.get("name")?;
        let name = as_text(name).ok_or_else(|| {
            let text = "put your name into `name`, your numbers follow from it; then check again";
            Finding::wrong(format!("{}: {text}", self.file))
        })?;
        let name = name.to_lowercase();
        // FNV-1a, so that neighbouring names get unrelated numbers.
        let letters = name.bytes().filter(|b| !b.is_ascii_whitespace());
        let seed =
            self.file.bytes().chain([0]).chain(letters).fold(0xcbf2_9ce4_8422_2325, |h, b| {
                (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3_u64)
            });
        Ok(Random::new(seed))
    }

    /// The answers with the student's own numbers, such as `n = 137`: findings repeat them.
    pub fn about(self, numbers: impl Into<String>) -> Answers {
        Answers { numbers: numbers.into(), ..self }
    }

    /// A finding about this file, with the student's numbers.
    fn wrong(&self, text: impl std::fmt::Display) -> Finding {
        let finding = Finding::wrong(format!("{}: {text}", self.file));
        if self.numbers.is_empty() {
            return finding;
        }
        Finding {
            message: format!("{}; your numbers: {}", finding.message, self.numbers),
            ..finding
        }
    }

    /// A whole number that must be `want`.
    ///
    /// # Errors
    /// As [`Answers::int`]; wrong, with `hint`, if it is another one.
    pub fn is_int(&self, key: &str, want: i64, hint: &str) -> Result<(), Finding> {
        match self.int(key)? {
            got if got == want => Ok(()),
            got => Err(self.wrong(format!("{key}: {got} is not right")).hint(hint)),
        }
    }

    /// A number that must be within `tolerance` of `want`.
    ///
    /// # Errors
    /// As [`Answers::float`]; wrong, with `hint`, if it is further away.
    pub fn is_near(&self, key: &str, want: f64, tolerance: f64, hint: &str) -> Result<(), Finding> {
        match self.float(key)? {
            got if (got - want).abs() <= tolerance => Ok(()),
            got => Err(self.wrong(format!("{key}: {got} is not right")).hint(hint)),
        }
    }

    /// A list of whole numbers that must be `want`.
    ///
    /// # Errors
    /// As [`Answers::ints`]; wrong, with `hint`, if it is another one.
    pub fn is_ints(&self, key: &str, want: &[i64], hint: &str) -> Result<(), Finding> {
        match self.ints(key)? {
            got if got == want => Ok(()),
            got => Err(self.wrong(format!("{key}: {got:?} is not right")).hint(hint)),
        }
    }

    /// That `key` holds one of `words` (whatever its case and blanks), so that a word nobody asked
    /// for is not taken for a wrong answer.
    ///
    /// # Errors
    /// As [`Answers::text`]; wrong, with all the words, if it holds another one.
    pub fn is_among(&self, key: &str, words: &[&str]) -> Result<(), Finding> {
        let got = self.text(key)?;
        match words.iter().any(|word| bare(word) == bare(&got)) {
            true => Ok(()),
            false => {
                let words: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
                Err(self
                    .wrong(format!("{key}: expected one of {}; found \"{got}\"", words.join(", "))))
            }
        }
    }

    /// Questions that have a few possible answers: texts (whatever their case and blanks), flags,
    /// whole numbers. Which one is not right stays untold, so that trying costs more than thinking.
    ///
    /// # Errors
    /// As [`Answers::text`]; wrong, with `hint`, unless all are right.
    pub fn choices(&self, wanted: &[(&str, &str)], hint: &str) -> Result<(), Finding> {
        let mut right = true;
        for (key, want) in wanted {
            let got = match self.get(key)? {
                Value::Boolean(flag) => flag.to_string(),
                Value::Integer(number) => number.to_string(),
                _ if matches!(*want, "true" | "false") => self.flag(key)?.to_string(),
                _ => self.text(key)?,
            };
            right &= bare(&got) == bare(want);
        }
        let keys: Vec<&str> = wanted.iter().map(|(key, _)| *key).collect();
        match (right, keys.as_slice()) {
            (true, _) => Ok(()),
            (false, [key]) => Err(self.wrong(format!("{key} is not right")).hint(hint)),
            (false, _) => {
                Err(self.wrong(format!("not all of {} are right", keys.join(", "))).hint(hint))
            }
        }
    }

    fn typed<T>(
        &self,
        key: &str,
        kind: &str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Result<T, Finding> {
        let value = self.get(key)?;
        if is_empty(value) {
            return Err(self.wrong(format!("{key} is not answered yet (expected {kind})")));
        }
        read(value)
            .or_else(|| read(&unquoted(value)?))
            .ok_or_else(|| self.wrong(format!("{key}: expected {kind}, found {value}")))
    }

    /// A whole number.
    ///
    /// # Errors
    /// Wrong, if the key is missing, not answered, or of another type.
    pub fn int(&self, key: &str) -> Result<i64, Finding> {
        self.typed(key, "a whole number", Value::as_integer)
    }

    /// A number.
    ///
    /// # Errors
    /// As [`Answers::int`]; NaN is refused.
    pub fn float(&self, key: &str) -> Result<f64, Finding> {
        self.typed(key, "a number", as_float)
    }

    /// True or false.
    ///
    /// # Errors
    /// As [`Answers::int`].
    pub fn flag(&self, key: &str) -> Result<bool, Finding> {
        self.typed(key, "true or false", Value::as_bool)
    }

    /// A text that is not empty, without blanks at its ends.
    ///
    /// # Errors
    /// As [`Answers::int`].
    pub fn text(&self, key: &str) -> Result<String, Finding> {
        self.typed(key, "a text", as_text)
    }

    /// A list of whole numbers.
    ///
    /// # Errors
    /// As [`Answers::int`].
    pub fn ints(&self, key: &str) -> Result<Vec<i64>, Finding> {
        self.typed(key, "a list of whole numbers", |v| list(v, Value::as_integer))
    }

    /// A list of numbers.
    ///
    /// # Errors
    /// As [`Answers::int`].
    pub fn floats(&self, key: &str) -> Result<Vec<f64>, Finding> {
        self.typed(key, "a list of numbers", |v| list(v, as_float))
    }

    /// A list of texts.
    ///
    /// # Errors
    /// As [`Answers::int`].
    pub fn texts(&self, key: &str) -> Result<Vec<String>, Finding> {
        self.typed(key, "a list of texts", |v| list(v, as_text))
    }
}

/// The keys of a text of TOML, as its lines have them.
fn keys_in_order(text: &str) -> Vec<String> {
    let (mut table, mut keys) = (String::new(), Vec::new());
    for line in text.lines().map(str::trim).filter(|line| !line.starts_with('#')) {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            table = format!("{name}.");
        } else if let Some((key, _)) = line.split_once('=') {
            keys.push(format!("{table}{}", key.trim()));
        }
    }
    keys
}

/// A text without its case and blanks.
fn bare(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect()
}

/// A text without a letter, or a list with nothing in it, as skeletons have them.
fn is_empty(value: &Value) -> bool {
    match value {
        Value::String(text) => text.is_empty(),
        Value::Array(list) => list.iter().all(is_empty),
        _ => false,
    }
}

/// A number, a flag or a list that was written between the quotes of an empty answer.
fn unquoted(value: &Value) -> Option<Value> {
    let table: Table = toml::from_str(&format!("value = {}", value.as_str()?.trim())).ok()?;
    table.get("value").cloned()
}

fn as_float(value: &Value) -> Option<f64> {
    let number = value.as_float().or_else(|| value.as_integer().map(|i| i as f64))?;
    (!number.is_nan()).then_some(number)
}

fn as_text(value: &Value) -> Option<String> {
    value.as_str().map(str::trim).filter(|t| !t.is_empty()).map(str::to_string)
}

fn list<T>(value: &Value, read: impl Fn(&Value) -> Option<T>) -> Option<Vec<T>> {
    value.as_array()?.iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_typed_and_errors_name_file_and_key() {
        let a = Answers::parse(
            "answers/x.toml",
            "i = 7\nf = 2\nt = \" ab \"\ne = \"\"\nl = [1, 2]\n[s]\nk = true\n",
        )
        .unwrap();
        assert_eq!(a.int("i").unwrap(), 7);
        assert_eq!(a.float("f").unwrap(), 2.0);
        assert_eq!(a.text("t").unwrap(), "ab");
        assert_eq!(a.ints("l").unwrap(), [1, 2]);
        assert!(a.flag("s.k").unwrap());
        let said = |f: Result<i64, Finding>| f.unwrap_err().message;
        assert_eq!(
            said(a.int("e")),
            "answers/x.toml: e is not answered yet (expected a whole number)"
        );
        assert_eq!(said(a.int("t")), "answers/x.toml: t: expected a whole number, found \" ab \"");
        assert_eq!(said(a.int("none")), "answers/x.toml: there is no key none");
        assert_eq!(
            said(a.clone().about("n = 3").int("e")),
            "answers/x.toml: e is not answered yet (expected a whole number); your numbers: n = 3"
        );
        let empty = Answers::parse("answers/x.toml", "l = []\nw = [\"\", \"\"]\n").unwrap();
        for text in [empty.ints("l").unwrap_err(), empty.texts("w").unwrap_err()] {
            assert!(text.message.contains(" is not answered yet "), "{}", text.message);
        }
        let quoted = Answers::parse(
            "answers/x.toml",
            "i = \" 7 \"\nf = \"0.5\"\nl = \"[1, 2]\"\nk = \"true\"\nw = \"7 MHz\"\n",
        )
        .unwrap();
        assert_eq!((quoted.int("i").unwrap(), quoted.float("f").unwrap()), (7, 0.5));
        assert_eq!(quoted.ints("l").unwrap(), [1, 2]);
        assert!(quoted.flag("k").unwrap());
        assert_eq!(
            said(quoted.int("w")),
            "answers/x.toml: w: expected a whole number, found \"7 MHz\""
        );
        let broken = Answers::parse("answers/x.toml", "a = 1\nb = = 2\n").unwrap_err();
        assert_eq!(broken.class, Class::NotGradable);
        assert!(broken.message.starts_with("answers/x.toml:2 "), "{}", broken.message);
    }

    #[test]
    fn answers_keep_the_order_of_their_file() {
        let a = Answers::parse("a.toml", "b = 2 # = two\na = 1\n[z]\nd = \"\"\nc = 3\n").unwrap();
        let keys: Vec<String> = a.all().into_iter().map(|(key, _)| key).collect();
        assert_eq!(keys, ["b", "a", "z.d", "z.c"]);
    }

    #[test]
    fn a_word_nobody_asked_for_is_told_which_there_are() {
        let a = Answers::parse("a.toml", "limit = \" luts\"\nother = \"MULT\"\n").unwrap();
        let words = ["LUTs", "multiplier blocks"];
        a.is_among("limit", &words).unwrap();
        let said = a.is_among("other", &words).unwrap_err();
        assert_eq!(
            said.message,
            "a.toml: other: expected one of \"LUTs\", \"multiplier blocks\"; found \"MULT\""
        );
    }

    #[test]
    fn own_numbers_follow_from_name_and_file() {
        use rand::Rng;
        let draw = |file: &str, name: &str| {
            let answers = Answers::parse(file, &format!("name = \"{name}\"\n")).unwrap();
            answers.own().map(|mut rng| rng.next_u64())
        };
        let ada = draw("a.toml", "Ada L").unwrap();
        assert_eq!(ada, draw("a.toml", " ada l ").unwrap());
        assert_ne!(ada, draw("b.toml", "Ada L").unwrap());
        assert_ne!(ada, draw("a.toml", "Ada M").unwrap());
        assert!(draw("a.toml", "").unwrap_err().message.contains("put your name into `name`"));
    }

    #[test]
    fn what_is_right_stays_untold() {
        let text = "i = 7\nf = 2.5\nw = \"LUTs\"\nb = true\n";
        let a = Answers::parse("a.toml", text).unwrap();
        a.is_int("i", 7, "h").unwrap();
        a.is_near("f", 2.6, 0.11, "h").unwrap();
        a.choices(&[("w", "luts"), ("b", "true")], "h").unwrap();
        let said = [
            a.is_int("i", 41, "h").unwrap_err(),
            a.is_near("f", 41.0, 1.0, "h").unwrap_err(),
            a.choices(&[("w", "block 41"), ("b", "true")], "h").unwrap_err(),
        ];
        for finding in &said {
            assert!(!finding.to_string().contains("41"), "{finding}");
            assert_eq!(finding.hint.as_deref(), Some("h"));
        }
        assert_eq!(said[2].message, "a.toml: not all of w, b are right");
        // A flag is no text, and the other way round.
        assert!(a.choices(&[("w", "true")], "h").unwrap_err().message.contains("true or false"));
    }
}
