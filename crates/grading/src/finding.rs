//! What a check says: evidence when it passes, a finding when it does not.

use serde::{Deserialize, Serialize};
use simt::fault::Fault;
use simt::pattern::Pattern;
use simt::report::LaunchReport;

use crate::report::Request;

/// What a check returns.
pub type Outcome = Result<Evidence, Finding>;

/// Why a check gave no points. The classes are kept apart, because they ask for different answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Class {
    /// The student's regions still equal the skeleton.
    NotStarted,
    /// A result, a count or an answer is wrong.
    Wrong,
    /// A kernel faulted: out of bounds, race, never-written read, ...
    Fault,
    /// Too long: a step budget or a time limit ended it.
    Time,
    /// Too much memory.
    Memory,
    /// The host program ended without an answer: panic, abort, `exit`.
    Crash,
    /// Not compiled, not readable, a file is missing: there is nothing to run.
    NotGradable,
    /// The check needs what is not here, such as a process in a browser; `cargo lab run` has it.
    Elsewhere,
    /// The check itself failed. Never the student's doing; tell the instructor.
    GraderFault,
}

impl Class {
    /// Name as reports print it.
    pub fn name(self) -> &'static str {
        match self {
            Class::NotStarted => "not started",
            Class::Wrong => "wrong",
            Class::Fault => "fault",
            Class::Time => "time",
            Class::Memory => "memory",
            Class::Crash => "crash",
            Class::NotGradable => "not gradable",
            Class::Elsewhere => "not here",
            Class::GraderFault => "grader's fault",
        }
    }

    /// Its place on the handbook's page `verdicts.html`.
    pub fn page(self) -> String {
        self.name().replace(' ', "-").replace('\'', "")
    }
}

/// The result of one check.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Passed, and what was seen.
    Pass(Evidence),
    /// Not passed, and why.
    Fail(Finding),
}

/// A small picture, shown in the HTML report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Picture {
    /// Caption; why there is no picture, if there is none.
    pub title: String,
    /// A PNG file in base64.
    pub png: String,
}

impl Picture {
    /// A picture of so many pixels in a row, and rows, the first at the top: `4 * width * height`
    /// bytes, red, green, blue, alpha.
    pub fn new(title: impl Into<String>, width: u32, height: u32, rgba: &[u8]) -> Picture {
        let title = title.into();
        match figures::png(width, height, rgba) {
            Ok(bytes) => Picture { title, png: figures::base64(&bytes) },
            Err(why) => Picture { title: format!("{title}: {why}"), png: String::new() },
        }
    }
}

/// What a passed check has seen.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// Facts, one line each. They must not depend on the machine or the clock.
    pub lines: Vec<String>,
    /// Launches worth showing: counter tables of the HTML report.
    #[serde(skip)]
    pub launches: Vec<LaunchReport>,
    /// Pictures of the HTML report.
    #[serde(skip)]
    pub pictures: Vec<Picture>,
    /// Drawings of the HTML report: SVG that the course has made.
    #[serde(skip)]
    pub drawings: Vec<String>,
    /// True if nothing was looked at, because this machine lacks a tool that the check needs.
    #[serde(skip)]
    pub skipped: bool,
}

impl Evidence {
    /// Nothing could be looked at without the outside program `tool`. For exercises that carry no
    /// points.
    pub fn skipped(tool: &str) -> Evidence {
        Evidence { skipped: true, ..Evidence::new(format!("skipped: {tool} is not installed")) }
    }

    /// Evidence of one line.
    pub fn new(line: impl Into<String>) -> Evidence {
        Evidence { lines: vec![line.into()], ..Evidence::default() }
    }

    /// Adds a line.
    pub fn line(mut self, line: impl Into<String>) -> Evidence {
        self.lines.push(line.into());
        self
    }

    /// Adds all that `other` has seen.
    pub fn and(mut self, other: Evidence) -> Evidence {
        self.lines.extend(other.lines);
        self.launches.extend(other.launches);
        self.pictures.extend(other.pictures);
        self.drawings.extend(other.drawings);
        self.skipped |= other.skipped;
        self
    }

    /// Adds a launch for the counter tables.
    pub fn launch(mut self, report: &LaunchReport) -> Evidence {
        self.launches.push(report.clone());
        self
    }

    /// Adds a picture.
    pub fn picture(mut self, picture: Picture) -> Evidence {
        self.pictures.push(picture);
        self
    }

    /// Adds a drawing: SVG that the course has made.
    pub fn drawing(mut self, svg: String) -> Evidence {
        self.drawings.push(svg);
        self
    }

    /// Adds the drawing of a request to memory; see [`crate::Run::pattern`].
    pub fn pattern(mut self, pattern: &Pattern) -> Evidence {
        self.drawings.push(Request::from(pattern).svg());
        self
    }
}

/// What a finding is about, where a check gives it a hint by that.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum About {
    /// Nothing that is asked for.
    #[default]
    Other,
    /// A kernel file that was refused: a format of `printf` is wrong, or does not fit its value.
    Format,
    /// A design that the builder refused.
    RefusedDesign,
    /// A kernel wrote to what it was given to read: the buffer at this place among the buffers of
    /// the launch, from 0 on.
    ChangedInput(u8),
}

/// Why a check was not passed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Class.
    pub class: Class,
    /// Id of the hint it deserves, if one is known: that of the exercise, or a common one
    /// (`C1`..`C9`).
    pub hint: Option<String>,
    /// One line: what was asked, what was found.
    pub message: String,
    /// More lines: the first wrong places, the compiler's text, counts by source line. May be
    /// empty.
    pub details: String,
    /// The kernel's fault, if there was one.
    pub fault: Option<Box<Fault>>,
    /// A picture that shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<Box<Picture>>,
    /// The request to memory that shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<Box<Request>>,
    /// What it is about; for the check alone.
    #[serde(skip)]
    pub about: About,
}

impl Finding {
    /// A finding of class `class`.
    pub fn new(class: Class, message: impl Into<String>) -> Finding {
        Finding {
            class,
            hint: None,
            message: message.into(),
            details: String::new(),
            fault: None,
            picture: None,
            request: None,
            about: About::Other,
        }
    }

    /// A wrong result, count or answer.
    pub fn wrong(message: impl Into<String>) -> Finding {
        Finding::new(Class::Wrong, message)
    }

    /// Something the checker could not do, though the student did nothing wrong.
    pub fn grader(message: impl Into<String>) -> Finding {
        Finding::new(Class::GraderFault, message)
    }

    /// A kernel's fault; too many steps are of class time, exhausted memory of class memory.
    pub fn fault(fault: Fault) -> Finding {
        use simt::fault::FaultKind;
        let class = match fault.kind {
            FaultKind::StepLimit => Class::Time,
            FaultKind::OutOfMemory => Class::Memory,
            _ => Class::Fault,
        };
        let place = fault.site.as_ref().map(|s| format!(" at {}", s.at)).unwrap_or_default();
        let target = fault.target.as_ref().map(|t| format!(" on {}[{}]", t.name, t.index));
        let target = target.unwrap_or_default();
        let message = format!("{}{target}{place}: {}", fault.kind.code(), fault.message);
        Finding {
            details: fault.render(),
            fault: Some(Box::new(fault)),
            ..Finding::new(class, message)
        }
    }

    /// Sets the hint's id.
    pub fn hint(mut self, id: &str) -> Finding {
        self.hint = Some(id.to_string());
        self
    }

    /// Sets the hint's id unless there is one already. What did not compile tells by itself what to
    /// mend.
    pub fn or_hint(self, id: &str) -> Finding {
        let told = self.hint.is_some() || self.class == Class::NotGradable;
        if told { self } else { self.hint(id) }
    }

    /// Sets what it is about.
    pub(crate) fn about(self, about: About) -> Finding {
        Finding { about, ..self }
    }

    /// Adds lines to the details.
    pub fn details(mut self, text: impl AsRef<str>) -> Finding {
        self.details += text.as_ref();
        if !self.details.ends_with('\n') {
            self.details.push('\n');
        }
        self
    }

    /// Sets the picture.
    pub fn picture(mut self, picture: Picture) -> Finding {
        self.picture = Some(Box::new(picture));
        self
    }

    /// Adds the picture of a request to memory: text to the details, the drawing to the report's
    /// page. See [`crate::Run::pattern`].
    pub fn pattern(self, pattern: &Pattern) -> Finding {
        let request = Some(Box::new(pattern.into()));
        Finding { request, ..self.details(pattern.text()) }
    }
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.class.name(), self.message)
    }
}
