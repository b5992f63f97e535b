//! What a reply of the student's host code means, and the replies that are kept.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use wire::{Outcome, Reply};

use crate::{Class, Finding};

/// A question's first answer, once it is there. Who holds the lock asks.
type Place = Arc<Mutex<Option<Arc<Reply>>>>;

/// First answers of a program to questions that checks share.
#[derive(Debug, Default)]
pub(crate) struct First(Mutex<BTreeMap<String, Place>>);

impl First {
    /// The place for the answer to a question.
    pub fn place(&self, question: String) -> Place {
        let mut all = self.0.lock().unwrap_or_else(|e| e.into_inner());
        Arc::clone(all.entry(question).or_default())
    }
}

/// What the handler returned.
///
/// # Errors
/// Wrong, if the student's function returned an error; crash with hint C5, if it panicked.
pub fn value(reply: &Reply) -> Result<&Value, Finding> {
    match &reply.outcome {
        Outcome::Ok(value) => Ok(value),
        Outcome::Err { message, report, .. } => {
            let text = format!("{} returned an error: {message}", reply.call);
            let finding = match reply.faults.first() {
                Some(fault) => Finding::fault(fault.clone()),
                None => Finding::wrong(text),
            };
            Err(if report.is_empty() { finding } else { finding.details(report) })
        }
        Outcome::Panic { message, at } => {
            let text = format!("{} panicked at {at}: {message}", reply.call);
            Err(Finding::new(Class::Crash, text).hint("C5"))
        }
        Outcome::Unknown => {
            Err(Finding::grader(format!("the host program has no handler {}", reply.call)))
        }
    }
}

/// The error that the student's function must have returned: one line, and `CUDA_ERROR_...` or
/// empty.
///
/// # Errors
/// Wrong, if it returned a value; crash with hint C5, if it panicked.
pub fn error(reply: &Reply) -> Result<(&str, &str), Finding> {
    match &reply.outcome {
        Outcome::Err { message, code, .. } => Ok((message, code)),
        Outcome::Ok(_) => Err(Finding::wrong(format!("{}: expected Err(...), got Ok", reply.call))),
        _ => value(reply).map(|_| ("", "")),
    }
}
