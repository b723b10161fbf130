//! The words that agents get. They are the same for every condition, except for what is handed over.

use super::Condition;
use crate::evaluation::Case;

/// The start of every prompt.
fn opening(case: &Case) -> String {
    let goal = case.packet.text("task_id").unwrap_or(&case.name);
    format!("You work on the task {goal}. The current directory is its repository.\n\n")
}

/// Shows what arrived: the situation at the first step, later the document of the predecessor.
fn received(text: &str, is_first: bool) -> String {
    match (text.trim(), is_first) {
        ("", _) => "Your predecessor left nothing but the repository.\n\n".to_owned(),
        (text, true) => format!("This is what you know after your work so far:\n\n{text}\n\n"),
        (text, false) => format!("Your predecessor handed this over:\n\n{text}\n\n"),
    }
}

/// Asks a predecessor to hand over.
pub(super) fn hand_over(
    case: &Case,
    condition: Condition,
    document: &str,
    (is_first, budget, is_killed): (bool, Option<usize>, bool),
) -> String {
    let limit = budget.map_or(String::new(), |tokens| {
        format!(" What the next worker sees is cut after {tokens} tokens.")
    });
    let task = match (condition, is_killed) {
        (Condition::None, _) => "Work on the task until you are stopped. The next worker sees the repository only. Write no notes for it.".to_owned(),
        (Condition::Prose, false) => format!("You must stop now. Write a note to the next worker in your own words to the file `$TASUKI_EVAL_OUT/note.md`. It sees the repository and your note, nothing else.{limit}"),
        (Condition::Prose, true) => "Work on the task. Just before you finish, write a note to the next worker to the file `$TASUKI_EVAL_OUT/note.md`. You may be stopped at any time.".to_owned(),
        (Condition::Packet, false) => format!("You must stop now. Write a handoff packet to the next worker to the file `$TASUKI_EVAL_OUT/packet.yaml`: `handoff_version: \"1.0\"`, `task_id`, `from_agent`, `to_agent`, `status`, `goal`, `completed`, `remaining`, `decisions`, `pitfalls_hit`, `failed_approaches` (with `tried` and `result`), `constraints`, `acceptance`, `failure_boundary`, `return_required` and whatever else of the format you need. It sees the repository and a brief of the packet, nothing else.{limit}"),
        (Condition::Packet, true) => "Work on the task. After every step, write a checkpoint packet to a new file `$TASUKI_EVAL_OUT/checkpoint-N.yaml`: `handoff_version: \"1.0\"`, `packet_type: checkpoint`, and what is new in `summary`, `completed`, `remaining`, `decisions`, `pitfalls_hit`, `failed_approaches`, `assumptions`, `context` and `notes`. You may be stopped at any time.".to_owned(),
    };
    format!("{}{}{task}\n", opening(case), received(document, is_first))
}

/// Asks for a valid packet, with what is wrong.
pub(super) fn repair(violations: &str) -> String {
    format!(
        "The packet in `$TASUKI_EVAL_OUT/packet.yaml` was refused:\n\n{violations}\nWrite it again.\n"
    )
}

/// Asks the successor to answer the questions and to return the work.
pub(super) fn finish(case: &Case, document: &str) -> String {
    let mut text = format!("{}{}", opening(case), received(document, false));
    text.push_str("Answer these questions from what you were given. Write a JSON object with one text for each id to `$TASUKI_EVAL_OUT/answers.json`. If you do not know an answer, write an empty text.\n\n");
    for fact in &case.facts {
        text.push_str(&format!("- {}: {}\n", fact.id, fact.question));
    }
    text.push_str("\nThen write the return packet of the task to `$TASUKI_EVAL_OUT/return.yaml`: `handoff_version: \"1.0\"`, `packet_type: return`, `task_id`, `status: completed`, `summary`, the fields that you were asked to return, and `verification` with `criterion`, `result` and `evidence` for each acceptance criterion. Treat the work itself as done; this is an exercise.\n\nIf you had to ask your predecessor something, write one question per line to `$TASUKI_EVAL_OUT/questions.md`.\n");
    text
}

/// Sends an incomplete return back.
pub(super) fn rework(violations: &str) -> String {
    format!(
        "The return packet in `$TASUKI_EVAL_OUT/return.yaml` is incomplete:\n\n{violations}\nWrite it again.\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evaluation::case::tests::sample;

    #[test]
    fn a_prompt_has_no_fact_that_was_not_handed_over() {
        let case = sample();
        let options = (false, Some(400), false);
        for condition in Condition::ALL {
            for text in [hand_over(&case, condition, "", options), finish(&case, "")] {
                assert_eq!(case.facts_kept(&text), 0, "{text}");
            }
        }
        assert_eq!(case.facts_kept(&finish(&case, &case.prose)), 2);
    }
}
