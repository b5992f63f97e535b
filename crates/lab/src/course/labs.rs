//! Which labs the course has.

use grading::Lab;

/// The labs of the course, in order.
pub const LABS: &[Lab] = &[
    lab1_checks::LAB,
    lab2_checks::LAB,
    lab3_checks::LAB,
    lab4_checks::LAB,
    lab5_checks::LAB,
    lab6_checks::LAB,
];
