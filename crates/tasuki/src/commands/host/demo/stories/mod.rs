//! The stories of the demo. Each one is played again and again, with one open decision at a time.

mod approval;
mod crash;
mod dead_letter;
mod low_confidence;
mod sign_off;
mod verification;

use std::time::Duration;

use super::actor::{Interruption, Scene};
use super::stage::Stage;

/// One story.
pub(super) struct Story {
    name: &'static str,
    /// The seconds after the start of the demo at which it begins.
    begins_after: u64,
    play: fn(&Stage, u32) -> Scene,
}

/// All stories. They begin one after the other, so that the inbox fills before the user's eyes.
pub(super) const ALL: &[Story] = &[
    Story { name: "low confidence", begins_after: 0, play: low_confidence::play },
    Story { name: "approval", begins_after: 1, play: approval::play },
    Story { name: "crash", begins_after: 2, play: crash::play },
    Story { name: "sign-off", begins_after: 4, play: sign_off::play },
    Story { name: "verification", begins_after: 6, play: verification::play },
    Story { name: "dead letter", begins_after: 8, play: dead_letter::play },
];

/// The seconds between two rounds of a story.
const REST: Duration = Duration::from_secs(15);

/// Plays a story until the demo ends.
pub(super) fn repeat(story: &Story, stage: &Stage) {
    if stage.pause.wait(Duration::from_secs(story.begins_after)).is_err() {
        return;
    }
    for round in 1.. {
        match (story.play)(stage, round) {
            Ok(()) => {}
            Err(Interruption::DemoEnded) => return,
            // The user may decide anything, for example to take the work over.
            Err(Interruption::Refused(error)) => {
                tracing::debug!(story = story.name, round, %error, "a story ended early");
            }
        }
        if stage.pause.wait(REST).is_err() {
            return;
        }
    }
}
