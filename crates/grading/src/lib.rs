//! Exercises, checks, verdicts, evidence, reports, running submissions.
