//! Questions before a claim, and their answers.

/// Questions.
pub mod ask;

/// Answers.
pub mod answer;
