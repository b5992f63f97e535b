//! Answers that are not code: `answers/*.toml` with typed keys.

use toml::{Table, Value};

use crate::{Class, Finding, Trial};

/// One answer file.
#[derive(Clone, Debug)]
pub struct Answers {
    file: String,
    table: Table,
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
        Ok(Answers { file: file.to_string(), table })
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

    fn typed<T>(
        &self,
        key: &str,
        kind: &str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Result<T, Finding> {
        let value = self.get(key)?;
        read(value).ok_or_else(|| {
            let text = if value.as_str() == Some("") {
                format!("{}: {key} is not answered yet (expected {kind})", self.file)
            } else {
                format!("{}: {key}: expected {kind}, found {value}", self.file)
            };
            Finding::wrong(text)
        })
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
        let broken = Answers::parse("answers/x.toml", "a = 1\nb = = 2\n").unwrap_err();
        assert_eq!(broken.class, Class::NotGradable);
        assert!(broken.message.starts_with("answers/x.toml:2 "), "{}", broken.message);
    }
}
