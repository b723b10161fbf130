//! Handoffs, and what is said about them.

use serde_json::{Value, json};

use super::parts::{
    any_value, anything, count, digest, flag, id, list, named, object, request, revision, states,
    text, texts, time, why, word,
};

pub(super) fn answer() -> Value {
    object(
        &[],
        &[
            ("n", count()),
            ("handoff", named("Handoff")),
            ("claim", named("Claim")),
            ("document", text("The id of the document that the command brought.")),
            ("party", named("Party")),
            ("token", named("Token")),
            ("subscription", named("Subscription")),
            ("published", text("What was published, or the version that was fixed.")),
            ("brief", text("What somebody who took the work over has to read.")),
            ("registered", texts()),
            ("repeated", flag()),
            ("notes", texts()),
        ],
    )
}

pub(super) fn handoff() -> Value {
    object(
        &[
            ("id", id("hof")),
            ("task", text("The task that moves.")),
            ("state", states()),
            ("from", text("Who hands over.")),
            ("to", text("Who it is for now.")),
            ("revision", count()),
            ("digest", digest()),
            ("risk", word(&["low", "medium", "high"])),
            ("attempt", count()),
            ("submitted_at", time()),
        ],
        &[
            (
                "goal",
                text(
                    "Its goal, shortened; left out where a gate keeps the packet from whoever asks.",
                ),
            ),
            ("holder", text("Who works on it.")),
            ("held_for", texts()),
            ("causes", list(hold_cause())),
            ("deciders", texts()),
            ("gates", list(gate())),
            (
                "action",
                object(&[("id", text("The id of its document.")), ("digest", digest())], &[]),
            ),
            ("confidence", json!({ "type": "number", "minimum": 0, "maximum": 1 })),
            ("trigger", text("Why it was handed over.")),
            ("classification", text("Its marking.")),
            ("contract", text("The contract it is under.")),
            ("parent", id("hof")),
            ("child", id("hof")),
            ("questions", list(id("qst"))),
            ("blocked", flag()),
            ("declined_by", texts()),
            ("returned_by", text("Who returned it, as long as that waits for a verdict.")),
            (
                "judge",
                text("Who judges that return in place of its sender, who missed a deadline."),
            ),
            ("person_judges", flag()),
            ("rung", count()),
            ("reworks", count()),
            ("checkpoints", count()),
            ("since", time()),
            ("due_at", time()),
            ("not_before", time()),
            ("delivered_at", time()),
            ("started_at", time()),
            ("notification_failure", notification_failure()),
        ],
    )
}

fn hold_cause() -> Value {
    let reasons = ["asked", "confidence", "trigger", "label", "action", "changed", "gate"];
    object(
        &[
            ("reason", word(&reasons)),
            ("by", text("The rule, gate, limit, trigger or earlier handoff behind it.")),
            ("text", text("A sentence about it for people.")),
        ],
        &[],
    )
}

fn recorded_decision() -> Value {
    object(
        &[
            ("id", id("dec")),
            ("decision", text("The decision.")),
            ("by", text("The party that decided.")),
            ("at", time()),
        ],
        &[
            ("revision", count()),
            ("digest", digest()),
            ("reason", why()),
            ("meaning", text("The meaning of a signature.")),
            ("gate", text("The gate that was signed, with its version.")),
            ("opened", texts()),
            ("seconds", count()),
        ],
    )
}

fn notification_failure() -> Value {
    object(
        &[
            ("event", count()),
            ("wait", word(&["offer", "hold", "question", "escalation"])),
            ("because", word(&["no_channel", "failed"])),
            ("at", time()),
        ],
        &[("party", text("Who should have been told."))],
    )
}

fn gate() -> Value {
    let signed = object(&[("by", text("Who signed.")), ("at", time())], &[("until", time())]);
    let factor = object(
        &[("name", text("Its name.")), ("roles", texts()), ("needed", count())],
        &[("signed", list(signed))],
    );
    let denied = object(
        &[("by", text("Who refused.")), ("at", time())],
        &[("until", time()), ("reason", why())],
    );
    object(
        &[("name", text("Its name and version.")), ("factors", list(factor))],
        &[("denied", list(denied))],
    )
}

pub(super) fn shown() -> Value {
    object(
        &[("handoff", named("Handoff"))],
        &[
            ("packet", named("Packet")),
            ("action", any_value()),
            ("questions", list(named("OpenQuestion"))),
            ("decisions", list(recorded_decision())),
            ("claim_statement", named("ClaimStatement")),
            ("return", named("Return")),
        ],
    )
}

pub(super) fn open_question() -> Value {
    object(
        &[
            ("id", id("qst")),
            ("by", text("Who asked.")),
            ("question", text("What they want to know.")),
            ("blocking", flag()),
        ],
        &[("field", text("The field of the packet that it is about."))],
    )
}

pub(super) fn claim_statement() -> Value {
    object(
        &[("id", id("clm")), ("by", text("Who claimed.")), ("at", time())],
        &[("read_back", anything()), ("drift", anything())],
    )
}

pub(super) fn returned() -> Value {
    let judged = object(
        &[
            ("id", id("vrd")),
            ("result", word(&["pass", "fail"])),
            ("by", text("Who judged: a name, or `contract` where it checks by itself.")),
            ("at", time()),
        ],
        &[("reason", why()), ("found", anything())],
    );
    object(
        &[
            ("id", id("ret")),
            ("handoff", id("hof")),
            ("by", text("Who gave it back.")),
            ("at", time()),
            ("digest", digest()),
            ("packet", named("Packet")),
        ],
        &[("verdict", judged)],
    )
}

pub(super) fn trail() -> Value {
    let entry = object(
        &[
            ("n", count()),
            ("time", time()),
            ("event", text("What happened.")),
            ("actor", text("The id of whoever did it.")),
            ("hash", text("The hash of the leaf.")),
            ("previous_hash", text("The hash of the leaf before it.")),
        ],
        &[],
    );
    object(&[("handoff", id("hof")), ("audit_trail", list(entry))], &[])
}

pub(super) fn decision() -> Value {
    let decisions = ["accept", "sign_off", "reject", "reroute", "intercept", "cancel"];
    request(
        &[("decision", word(&decisions))],
        &[
            ("reason", why()),
            ("to", text("The new receiver, for a reroute.")),
            ("gate", text("The gate, where more than one is open.")),
            ("meaning", text("What the signature means, in a word that the gate allows.")),
            ("deny", flag()),
            ("revision", revision()),
            ("digest", digest()),
            ("receiver", text("The receiver that was shown; another one by now is refused.")),
            ("seconds", count()),
            ("opened", texts()),
            ("password", text("The person's password, typed for this signature.")),
        ],
    )
}

pub(super) fn question() -> Value {
    request(
        &[("question", text("What you want to know."))],
        &[("field", text("The field that it is about.")), ("blocking", flag())],
    )
}

pub(super) fn question_answer() -> Value {
    request(
        &[],
        &[("question", id("qst")), ("answer", text("What you say.")), ("packet", named("Packet"))],
    )
}

pub(super) fn reason() -> Value {
    request(&[], &[("reason", why())])
}

pub(super) fn verdict() -> Value {
    request(&[("result", word(&["pass", "fail"]))], &[("reason", why())])
}
