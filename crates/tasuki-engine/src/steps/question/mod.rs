//! Questions before a claim, and their answers.

/// Questions before acceptance, and their answers.
pub mod ask;

/// An answer to a question.
pub mod answer;
