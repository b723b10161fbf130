//! JSON Schemas of all bodies. They are closed, and every answer in the tests is checked against them,
//! so that what is promised here is what is sent.

use serde_json::{Map, Value, json};
use tasuki_engine::handoff::StateWord;
use tasuki_engine::principal::Scope;

type Member = (&'static str, Value);

/// Every schema by its name.
pub(crate) fn all() -> Map<String, Value> {
    let mut all = Map::new();
    for (name, schema) in [shown(), answers(), lists(), policies(), requests(), others()].concat() {
        all.insert(name.to_owned(), schema);
    }
    all
}

/// The place of a schema in the document.
pub(crate) fn named(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

/// A page of such items.
pub(crate) fn page(name: &str) -> Value {
    object(&[("items", list(named(name)))], &[("next", text("Where the next page begins."))])
}

fn object(required: &[Member], optional: &[Member]) -> Value {
    let names: Vec<&str> = required.iter().map(|(name, _)| *name).collect();
    let all = required.iter().chain(optional);
    let properties: Map<String, Value> =
        all.map(|(name, schema)| ((*name).to_owned(), schema.clone())).collect();
    json!({
        "type": "object",
        "required": names,
        "properties": properties,
        "additionalProperties": false,
    })
}

fn text(summary: &str) -> Value {
    json!({ "type": "string", "description": summary })
}

fn word(words: &[&str]) -> Value {
    json!({ "type": "string", "enum": words })
}

fn id(prefix: &str) -> Value {
    json!({ "type": "string", "pattern": format!("^{prefix}_[0-9a-f]{{32}}$") })
}

fn digest() -> Value {
    json!({ "type": "string", "pattern": "^sha256:[0-9a-f]{64}$" })
}

fn time() -> Value {
    json!({ "type": "string", "format": "date-time" })
}

fn duration() -> Value {
    json!({ "type": "string", "pattern": "^[0-9]+(ms|s|m|h|d)$" })
}

fn count() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

fn flag() -> Value {
    json!({ "type": "boolean" })
}

fn anything() -> Value {
    json!({ "type": "object" })
}

#[expect(clippy::needless_pass_by_value, reason = "schemas are put together, not looked at")]
fn list(items: Value) -> Value {
    json!({ "type": "array", "items": items })
}

fn texts() -> Value {
    list(json!({ "type": "string" }))
}

fn or_null(mut schema: Value) -> Value {
    let kind = schema["type"].take();
    schema["type"] = json!([kind, "null"]);
    schema
}

fn states() -> Value {
    let words = StateWord::ALL.map(StateWord::as_str);
    word(&words)
}

/// What a command answers, and what it is made of.
fn answers() -> Vec<Member> {
    let answer = object(
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
    );
    let claim = object(
        &[
            ("id", id("clm")),
            ("handoff", id("hof")),
            ("holder", text("Who holds it.")),
            ("token", count()),
            ("until", time()),
            ("lease", duration()),
        ],
        &[("authority", texts())],
    );
    vec![
        ("Answer", answer),
        ("Handoff", handoff()),
        ("Claim", claim),
        ("Party", party()),
        ("Token", token()),
        ("Subscription", subscription()),
        ("SubscriptionRequest", subscription_request()),
        ("Filter", filter()),
        ("Delivery", delivery()),
        ("Replay", object(&[("from", count()), ("to", count())], &[])),
        ("Replayed", object(&[("deliveries", list(named("Delivery")))], &[("next", count())])),
    ]
}

fn handoff() -> Value {
    object(
        &[
            ("id", id("hof")),
            ("task", text("The task that moves.")),
            ("state", states()),
            ("from", text("Who hands over.")),
            ("to", text("Who it is for now.")),
            ("goal", text("Its goal, shortened.")),
            ("revision", count()),
            ("digest", digest()),
            ("risk", word(&["low", "medium", "high"])),
            ("attempt", count()),
            ("submitted_at", time()),
        ],
        &[
            ("holder", text("Who works on it.")),
            ("held_for", texts()),
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
            ("rung", count()),
            ("reworks", count()),
            ("checkpoints", count()),
            ("since", time()),
            ("due_at", time()),
            ("not_before", time()),
            ("delivered_at", time()),
            ("started_at", time()),
            ("untold", untold()),
        ],
    )
}

fn untold() -> Value {
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
    object(&[("name", text("Its name and version.")), ("factors", list(factor))], &[])
}

fn party() -> Value {
    object(
        &[
            ("id", id("pty")),
            ("name", text("Its name.")),
            ("kind", word(&["agent", "human", "role"])),
        ],
        &[
            ("aliases", texts()),
            ("members", texts()),
            ("skills", texts()),
            ("reads", texts()),
            ("authority", texts()),
            ("sends_for", texts()),
            ("email", text("The mailbox of a person, on their own card only.")),
        ],
    )
}

fn subscription() -> Value {
    object(
        &[
            ("id", id("sub")),
            ("party", text("Who is told.")),
            ("kind", word(&["webhook", "email", "none"])),
            ("status", word(&["active", "disabled", "removed"])),
            ("created_at", time()),
            ("from", count()),
        ],
        &[
            ("url", text("Where a webhook goes.")),
            ("address", text("Where a message goes.")),
            ("public_key", text("What a webhook is checked with that is signed with a key pair.")),
            ("secret", text("What a webhook is signed with; in the answer that makes it only.")),
            ("filter", named("Filter")),
            ("because", word(&["asked", "failing", "gone"])),
        ],
    )
}

fn subscription_request() -> Value {
    object(
        &[],
        &[
            ("party", text("Who is told; you, if nobody is named.")),
            ("url", text("Where a webhook goes.")),
            ("signing", word(&["shared", "key_pair"])),
            ("address", text("Where a message goes.")),
            ("filter", named("Filter")),
        ],
    )
}

fn filter() -> Value {
    object(
        &[],
        &[
            ("task", text("Only of this task.")),
            ("party", text("Only by, from or to this party.")),
            ("type", texts()),
            ("handoff", text("Only of this handoff.")),
            ("sender", text("Only from this party.")),
            ("receiver", text("Only to this party.")),
            ("contract", text("Only under this contract.")),
            ("state", text("Only what leaves the handoff in this state.")),
            ("actor", text("Only what this party did.")),
            ("trigger", text("Only with this trigger.")),
            ("risk", text("Only with this risk.")),
        ],
    )
}

fn delivery() -> Value {
    object(
        &[
            ("n", count()),
            ("at", time()),
            ("attempt", count()),
            ("millis", count()),
            ("response", text("The beginning of what the receiver said, or why it was not asked.")),
        ],
        &[("status", count())],
    )
}

fn token() -> Value {
    object(
        &[
            ("id", id("tok")),
            ("party", text("Whose it is.")),
            ("scopes", scopes()),
            ("created_at", time()),
            ("expires_at", time()),
        ],
        &[
            ("text", text("What its owner shows; in the answer that creates it and nowhere else.")),
            ("name", text("What it is called.")),
            ("revoked_at", time()),
        ],
    )
}

fn scopes() -> Value {
    list(word(&Scope::ALL.map(Scope::as_str)))
}

/// What is shown of one thing.
fn shown() -> Vec<Member> {
    let shown = object(
        &[("handoff", named("Handoff")), ("packet", named("Packet"))],
        &[("action", anything())],
    );
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
    let trail = object(&[("handoff", id("hof")), ("audit_trail", list(entry))], &[]);
    let continuation = object(
        &[
            ("handoff", named("Handoff")),
            ("digest", digest()),
            ("text", text("The brief, fenced as data.")),
            ("tokens", count()),
        ],
        &[("left_out", texts())],
    );
    let inbox = object(
        &[
            ("party", text("Whose inbox.")),
            ("handoffs", list(named("Handoff"))),
            ("as_of_n", count()),
            ("as_of", time()),
            ("more", flag()),
        ],
        &[],
    );
    let packet = json!({
        "type": "object",
        "description": "A packet; `/v1/handoff/schema` has its own schemas.",
    });
    vec![
        ("Shown", shown),
        ("Trail", trail),
        ("Continuation", continuation),
        ("Inbox", inbox),
        ("Packet", packet),
    ]
}

/// What lists have on their lines.
fn lists() -> Vec<Member> {
    let found = object(
        &[
            ("n", count()),
            ("handoff", or_null(id("hof"))),
            ("kind", text("A kind of document or a type of event.")),
            ("excerpt", text("The text around the words.")),
        ],
        &[],
    );
    let spread = or_null(object(&[("count", count()), ("median", count()), ("p95", count())], &[]));
    let edge = object(
        &[
            ("from", text("Who hands over.")),
            ("to", text("To whom at first.")),
            ("handoffs", count()),
            ("submit_to_claim", spread.clone()),
            ("hold_to_decision", spread.clone()),
            ("claim_to_return", spread.clone()),
            ("return_to_verdict", spread.clone()),
            ("tokens", spread),
            ("clarifications", count()),
            ("reworks", count()),
            ("rejections", json!({ "type": "object", "additionalProperties": count() })),
        ],
        &[],
    );
    let decided = object(
        &[
            ("n", count()),
            ("at", time()),
            ("handoff", id("hof")),
            ("task", text("Its task.")),
            ("person", text("Who decided.")),
            ("decision", text("What.")),
            ("revision", count()),
            ("packet", anything()),
        ],
        &[("reason", text("Why.")), ("seconds", count()), ("edited", anything())],
    );
    vec![("Event", event()), ("Found", found), ("EdgeStats", edge), ("Decided", decided)]
}

fn event() -> Value {
    object(
        &[
            ("n", count()),
            ("at", time()),
            ("type", text("What happened: `handoff.claimed`.")),
            ("actor", text("Who did it: a name, `clock` or `system`.")),
        ],
        &[
            ("handoff", id("hof")),
            ("task", text("Its task.")),
            ("from", text("Who hands over.")),
            ("to", text("Who it is for.")),
            ("revision", count()),
            ("contract", text("The contract.")),
            ("before", text("The state before the command that made it.")),
            ("after", text("The state after it.")),
            ("reason", text("Why, in the words of whoever did it.")),
            ("trigger", text("The packet's trigger.")),
            ("risk", text("The risk.")),
            ("attributes", anything()),
        ],
    )
}

/// What a project agreed on.
fn policies() -> Vec<Member> {
    let schemas = || json!({ "type": "object", "additionalProperties": anything() });
    let line = |name: &'static str, more: &[Member]| {
        let mut members = vec![
            (name, text("Its name.")),
            ("version", text("Its version.")),
            ("digest", digest()),
        ];
        members.extend(more.iter().cloned());
        object(&members, &[])
    };
    vec![
        ("Contract", object(&[("document", anything())], &[("schemas", schemas())])),
        ("ContractLine", line("contract", &[("from", texts()), ("to", texts())])),
        (
            "ContractShown",
            object(&[("document", anything()), ("schemas", schemas()), ("digest", digest())], &[]),
        ),
        ("GateLine", line("gate", &[])),
        ("Policy", object(&[("document", anything())], &[])),
        (
            "PolicyShown",
            object(&[("document", or_null(anything())), ("digest", or_null(digest()))], &[]),
        ),
    ]
}

/// What callers say.
fn requests() -> Vec<Member> {
    let reason = || text("Why.");
    let decisions = ["accept", "sign_off", "reject", "reroute", "intercept", "cancel"];
    let decision = object(
        &[("decision", word(&decisions))],
        &[
            ("reason", reason()),
            ("to", text("The new receiver, for a reroute.")),
            ("gate", text("The gate, where more than one is open.")),
            ("meaning", text("What the signature means, in a word that the gate allows.")),
            ("deny", flag()),
            ("revision", count()),
            ("digest", digest()),
            ("seconds", count()),
            ("opened", texts()),
            ("password", text("The person's password, typed for this signature.")),
        ],
    );
    let question = object(
        &[("question", text("What you want to know."))],
        &[("field", text("The field that it is about.")), ("blocking", flag())],
    );
    let answer = object(
        &[],
        &[("question", id("qst")), ("answer", text("What you say.")), ("packet", named("Packet"))],
    );
    let claim = object(
        &[],
        &[
            ("lease", duration()),
            ("renewed", flag()),
            ("key", text("A key of your own: claiming again with it gives the same claim.")),
            ("reads", texts()),
            ("read_back", anything()),
            ("drift", anything()),
        ],
    );
    let park = object(&[], &[("not_before", time()), ("for", duration()), ("reason", reason())]);
    let verdict = object(&[("result", word(&["pass", "fail"]))], &[("reason", reason())]);
    vec![
        ("Decision", decision),
        ("Question", question),
        ("QuestionAnswer", answer),
        ("ClaimRequest", claim),
        ("Renew", object(&[], &[("lease", duration())])),
        ("Reason", object(&[], &[("reason", reason())])),
        ("Park", park),
        ("Hold", object(&[("action", anything())], &[])),
        ("Verdict", verdict),
        ("PartyRequest", party_request()),
        ("TokenRequest", token_request()),
        ("SignIn", sign_in()),
        ("Batch", batch()),
        ("BatchAnswers", batch_answers()),
    ]
}

fn party_request() -> Value {
    object(
        &[("name", text("Its name; the names of roles begin with `role:`."))],
        &[
            ("kind", word(&["agent", "human", "role"])),
            ("aliases", texts()),
            ("members", texts()),
            ("without_members", texts()),
            ("skills", texts()),
            ("reads", texts()),
            ("authority", texts()),
            ("sends_for", texts()),
            ("email", text("The mailbox of a person; an empty text takes it away.")),
        ],
    )
}

fn token_request() -> Value {
    object(
        &[("party", text("Whose it shall be."))],
        &[("scopes", scopes()), ("for", duration()), ("name", text("What to call it in lists."))],
    )
}

fn sign_in() -> Value {
    object(
        &[],
        &[
            ("name", text("Your name.")),
            ("password", text("Your password.")),
            ("code", text("The code of the link that the server printed.")),
        ],
    )
}

fn batch() -> Value {
    let single = object(
        &[("method", text("The method.")), ("path", text("The address, from `/v1/` on."))],
        &[
            ("key", text("Its `Idempotency-Key`.")),
            ("if_match", text("Its `If-Match`.")),
            ("body", json!({ "description": "A document, or a text with its content type." })),
            ("content_type", text("The content type of a text.")),
        ],
    );
    object(&[("requests", list(single))], &[])
}

fn batch_answers() -> Value {
    let one = object(
        &[("status", count()), ("body", json!({}))],
        &[
            ("etag", text("Its `ETag`.")),
            ("location", text("Its `Location`.")),
            ("replayed", flag()),
        ],
    );
    object(&[("answers", list(one))], &[])
}

fn others() -> Vec<Member> {
    let checked = object(
        &[
            ("intact", flag()),
            ("from", count()),
            ("leaves", count()),
            ("documents", count()),
            ("hash", text("The hash of the last leaf.")),
            ("first_bad", or_null(count())),
            ("problem", or_null(text("What is wrong with it."))),
        ],
        &[],
    );
    let project = object(
        &[
            ("project", or_null(text("Its name."))),
            ("id", id("prj")),
            ("halted", flag()),
            ("settings", anything()),
        ],
        &[],
    );
    let whoami = object(
        &[
            ("party", text("Your name.")),
            ("kind", word(&["agent", "human", "clock", "system"])),
            ("project", or_null(text("The project that your credential is for."))),
            ("scopes", scopes()),
        ],
        &[],
    );
    let session = object(&[("person", text("Who is signed in.")), ("expires_at", time())], &[]);
    let validated = object(
        &[("valid", flag()), ("violations", list(named("Violation")))],
        &[
            ("form", text("How it was written.")),
            ("variant", text("What it was judged by.")),
            ("dialect", text("The dialect it was read in.")),
            ("digest", digest()),
        ],
    );
    vec![
        ("LogChecked", checked),
        ("Project", project),
        ("ProjectSettings", anything()),
        ("Whoami", whoami),
        ("Session", session),
        ("Validated", validated),
        ("Violation", violation()),
        ("Problem", problem()),
        ("JsonSchema", anything()),
    ]
}

fn violation() -> Value {
    object(
        &[
            ("code", text("The stable code.")),
            ("pointer", text("RFC 6901 pointer to the value, or to where it should be.")),
            ("message", text("What is wrong.")),
        ],
        &[
            ("line", count()),
            ("column", count()),
            ("found", text("What stands there, shortened.")),
            ("allowed", text("What may stand there.")),
            ("hint", text("What to do about it.")),
        ],
    )
}

fn problem() -> Value {
    object(
        &[
            ("type", text("Where the code is explained.")),
            ("title", text("The words of the status.")),
            ("status", count()),
            ("detail", text("What is wrong, with the actual value and the limit.")),
            ("code", text("The stable code.")),
        ],
        &[
            ("hint", text("What to do next.")),
            ("violations", list(named("Violation"))),
            ("handoff", id("hof")),
        ],
    )
}
