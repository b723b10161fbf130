//! Everything that can be asked over HTTP, as one table: address, who may, what is sent, what comes back.
//!
//! The router is made of it, the matrix of permissions and the OpenAPI document follow it, and a test
//! holds that every operation has a route and every route an operation.

use axum::http::Method;
use axum::routing::MethodFilter;
use tasuki_engine::principal::Scope::{Admin, Decide, Receive, Submit, Verify};
use tasuki_engine::scope::Needs::{self, All, Any};
use tasuki_engine::scope::Question;

/// One thing that can be asked.
#[derive(Debug)]
pub struct Operation {
    /// Its name, for clients and metrics.
    pub id: &'static str,
    /// The method.
    pub verb: Verb,
    /// The address, with names in braces.
    pub path: &'static str,
    /// What it does, in one sentence.
    pub summary: &'static str,
    /// Who may.
    pub access: Access,
    /// The parameters of the query.
    pub parameters: &'static [Parameter],
    /// What is sent.
    pub carries: Carries,
    /// What comes back if it went well.
    pub gives: Gives,
    /// The status if it went well.
    pub success: u16,
    /// Whether it may wait for news, and so has no place among those that are worked on at once.
    pub waits: bool,
}

/// The method of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// Look.
    Get,
    /// Add or do.
    Post,
    /// Put in place of what is there.
    Put,
    /// Change a part.
    Patch,
    /// Take away.
    Delete,
}

impl Verb {
    /// The method as HTTP has it.
    pub const fn method(self) -> Method {
        match self {
            Self::Get => Method::GET,
            Self::Post => Method::POST,
            Self::Put => Method::PUT,
            Self::Patch => Method::PATCH,
            Self::Delete => Method::DELETE,
        }
    }

    pub(crate) const fn filter(self) -> MethodFilter {
        match self {
            Self::Get => MethodFilter::GET,
            Self::Post => MethodFilter::POST,
            Self::Put => MethodFilter::PUT,
            Self::Patch => MethodFilter::PATCH,
            Self::Delete => MethodFilter::DELETE,
        }
    }
}

/// Who may ask for something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Everybody, also without a credential.
    Everybody,
    /// Whoever has a credential with what it needs.
    Credential(Needs),
}

/// A parameter of a query.
#[derive(Debug)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// The JSON Schema type of its value.
    pub kind: &'static str,
    /// What it means.
    pub summary: &'static str,
}

/// What a request carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Carries {
    /// Nothing.
    Nothing,
    /// A packet in any form.
    Packet,
    /// A document of this schema.
    Document(&'static str),
    /// A document of this schema, or nothing.
    Maybe(&'static str),
}

/// What comes back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gives {
    /// Nothing.
    Nothing,
    /// A document of this schema.
    Document(&'static str),
    /// The same, and a page of HTML for browsers.
    DocumentOrPage(&'static str),
    /// A page of documents of this schema.
    Page(&'static str),
    /// A page of documents of this schema, or a stream of them.
    Stream(&'static str),
    /// A packet, as JSON or in the form that was asked for.
    Packet,
    /// A text of this media type.
    Text(&'static str),
}

impl Operation {
    const fn new(verb: Verb, id: &'static str, path: &'static str, summary: &'static str) -> Self {
        Self {
            id,
            verb,
            path,
            summary,
            access: Access::Credential(Needs::Nothing),
            parameters: &[],
            carries: Carries::Nothing,
            gives: Gives::Document("Answer"),
            success: 200,
            waits: false,
        }
    }

    const fn get(id: &'static str, path: &'static str, summary: &'static str) -> Self {
        Self::new(Verb::Get, id, path, summary)
    }

    const fn post(id: &'static str, path: &'static str, summary: &'static str) -> Self {
        Self::new(Verb::Post, id, path, summary)
    }

    const fn needs(self, needs: Needs) -> Self {
        Self { access: Access::Credential(needs), ..self }
    }

    /// What it takes to ask a question is said by the engine.
    const fn asks(self, question: Question) -> Self {
        self.needs(question.needs())
    }

    const fn open(self) -> Self {
        Self { access: Access::Everybody, ..self }
    }

    const fn takes(self, parameters: &'static [Parameter]) -> Self {
        Self { parameters, ..self }
    }

    const fn carries(self, carries: Carries) -> Self {
        Self { carries, ..self }
    }

    const fn gives(self, gives: Gives) -> Self {
        Self { gives, ..self }
    }

    const fn made(self) -> Self {
        Self { success: 201, ..self }
    }

    /// Whether it only looks.
    pub fn is_read(&self) -> bool {
        self.verb == Verb::Get
    }

    /// Every status that it may answer with.
    pub fn statuses(&self) -> Vec<u16> {
        let mut all = vec![self.success, 421, 422, 429, 500, 503];
        if self.success == 201 {
            all.push(200);
        }
        if self.access != Access::Everybody || self.carries == Carries::Document("SignIn") {
            all.extend([401, 403, 404]);
        }
        if self.path.contains('{') || self.parameters.iter().any(|one| one.name == "variant") {
            all.push(404);
        }
        if self.path == SHOW_PACKET.path {
            all.push(304);
        }
        if self.carries != Carries::Nothing {
            all.extend([408, 413, 415]);
        }
        if self.access != Access::Everybody || !self.is_read() {
            all.extend([403, 409]);
        }
        if !self.is_read() {
            all.extend([410, 412, 507]);
        }
        all.sort_unstable();
        all.dedup();
        all
    }
}

const fn text(name: &'static str, summary: &'static str) -> Parameter {
    Parameter { name, kind: "string", summary }
}

const fn number(name: &'static str, summary: &'static str) -> Parameter {
    Parameter { name, kind: "integer", summary }
}

const fn yes_or_no(name: &'static str, summary: &'static str) -> Parameter {
    Parameter { name, kind: "boolean", summary }
}

const LIMIT: Parameter = number("limit", "At most so many, 50 unless said otherwise.");
const CURSOR: Parameter = text("cursor", "Where the page before said that this one begins.");
const TOKEN: Parameter =
    number("token", "The fencing token of your claim, which every write of a holder shows.");

/// Hand work over.
pub static SUBMIT: Operation = Operation::post(
    "submit",
    "/v1/handoffs",
    "Hand work over, or pass it on; the body is the packet.",
)
.needs(All(&[Submit]))
.takes(&[
    text("to", "The receiver, if it is another one than the packet names."),
    yes_or_no("hold", "Let a person look at it first."),
    text("supersedes", "The live handoff of the task that this one replaces."),
    text("parent", "The handoff whose work you hold and pass on."),
    TOKEN,
])
.carries(Carries::Packet)
.made();

/// List handoffs.
pub static LIST_HANDOFFS: Operation =
    Operation::get("list_handoffs", "/v1/handoffs", "List handoffs, newest first.")
        .asks(Question::Handoffs)
        .takes(&[
            text("state", "Only in these states, separated by commas."),
            text("task", "Only of this task."),
            text("from", "Only from this party."),
            text("to", "Only to this party."),
            yes_or_no("all", "Also those that are over."),
            LIMIT,
            CURSOR,
        ])
        .gives(Gives::Page("Handoff"));

/// Show a handoff.
pub static SHOW_HANDOFF: Operation = Operation::get(
    "show_handoff",
    "/v1/handoffs/{id}",
    "Show a handoff with its packet, and the action that its holder asks leave for.",
)
.asks(Question::Handoff)
.gives(Gives::Document("Shown"));

/// Show a packet.
pub static SHOW_PACKET: Operation = Operation::get(
    "show_packet",
    "/v1/handoffs/{id}/packet",
    "One revision of the packet, in any form or rendered.",
)
.asks(Question::Packet)
.takes(&[
    number("rev", "The revision; without it the current one."),
    text("as", "json, yaml, markdown, wire, sent, brief, agent, card, comment or html."),
    number("budget", "The most tokens, for `as=agent`."),
])
.gives(Gives::Packet);

/// Show the audit trail.
pub static SHOW_TRAIL: Operation = Operation::get(
    "show_trail",
    "/v1/handoffs/{id}/trail",
    "The audit trail: every leaf of the log about it, with its hash.",
)
.asks(Question::Handoff)
.gives(Gives::Document("Trail"));

/// Make a revision.
pub static REVISE: Operation = Operation::post(
    "revise",
    "/v1/handoffs/{id}/revisions",
    "Make a new revision as its sender, or with `edit` as a person; the body is the packet, or the action while its holder asks leave.",
)
.needs(Any(&[Submit, Decide]))
.takes(&[
    yes_or_no("edit", "Change it as a person."),
    text("reason", "Why, for an edit."),
])
.carries(Carries::Packet)
.made();

/// Decide.
pub static DECIDE: Operation = Operation::post(
    "decide",
    "/v1/handoffs/{id}/decisions",
    "Accept, sign off, reject, reroute, intercept or cancel.",
)
.needs(Any(&[Submit, Decide]))
.carries(Carries::Document("Decision"))
.made();

/// Ask.
pub static ASK: Operation = Operation::post(
    "ask",
    "/v1/handoffs/{id}/questions",
    "Ask its sender something as a receiver.",
)
.needs(All(&[Receive]))
.carries(Carries::Document("Question"))
.made();

/// Answer.
pub static ANSWER: Operation =
    Operation::post("answer", "/v1/handoffs/{id}/answers", "Answer a question as its sender.")
        .needs(All(&[Submit]))
        .carries(Carries::Document("QuestionAnswer"))
        .made();

/// Claim.
pub static CLAIM: Operation =
    Operation::post("claim", "/v1/handoffs/{id}/claims", "Take this work under a lease.")
        .needs(All(&[Receive]))
        .carries(Carries::Maybe("ClaimRequest"))
        .made();

/// Leave progress.
pub static CHECKPOINT: Operation = Operation::post(
    "checkpoint",
    "/v1/handoffs/{id}/checkpoints",
    "Leave progress behind as its holder; the body is a checkpoint packet.",
)
.needs(All(&[Receive]))
.takes(&[TOKEN])
.carries(Carries::Packet)
.made();

/// Return.
pub static RETURN: Operation = Operation::post(
    "return",
    "/v1/handoffs/{id}/returns",
    "Return what was asked for as its holder; the body is a return packet.",
)
.needs(All(&[Receive]))
.takes(&[TOKEN])
.carries(Carries::Packet)
.made();

/// Judge.
pub static VERIFY: Operation =
    Operation::post("verify", "/v1/handoffs/{id}/verdicts", "Judge what came back.")
        .needs(All(&[Verify]))
        .carries(Carries::Document("Verdict"))
        .made();

/// Decline.
pub static DECLINE: Operation =
    Operation::post("decline", "/v1/handoffs/{id}/declines", "Not take it, and say why.")
        .needs(All(&[Receive]))
        .carries(Carries::Document("Reason"))
        .made();

/// Claim the next.
pub static CLAIM_NEXT: Operation = Operation::post(
    "claim_next",
    "/v1/claims",
    "Take the most urgent work that is offered to you.",
)
.needs(All(&[Receive]))
.carries(Carries::Maybe("ClaimRequest"))
.made();

/// Renew.
pub static RENEW: Operation =
    Operation::post("renew", "/v1/claims/{id}/renew", "Make the lease longer.")
        .needs(All(&[Receive]))
        .carries(Carries::Maybe("Renew"));

/// Release.
pub static RELEASE: Operation =
    Operation::post("release", "/v1/claims/{id}/release", "Give the work back.")
        .needs(All(&[Receive]))
        .carries(Carries::Maybe("Reason"));

/// Park.
pub static PARK: Operation =
    Operation::post("park", "/v1/claims/{id}/park", "Give the work back until an instant.")
        .needs(All(&[Receive]))
        .carries(Carries::Document("Park"));

/// Hold.
pub static HOLD: Operation =
    Operation::post("hold", "/v1/claims/{id}/hold", "Ask a person's leave for an exact action.")
        .needs(All(&[Receive]))
        .carries(Carries::Document("Hold"));

/// Begin.
pub static BEGIN: Operation = Operation::post(
    "begin",
    "/v1/tasks",
    "Open a task for yourself, claimed at once; the body is the packet.",
)
.needs(All(&[Submit, Receive]))
.takes(&[
    text("lease", "How long the lease shall be, such as 30m."),
    yes_or_no("renewed", "A process renews the lease, so it may be short."),
    text("key", "A key of your own: beginning again with it gives the same claim."),
])
.carries(Carries::Packet)
.made();

/// Timeline.
pub static TIMELINE: Operation = Operation::get(
    "timeline",
    "/v1/tasks/{task}/timeline",
    "Everything that happened to a task, oldest first.",
)
.asks(Question::Events)
.gives(Gives::Page("Event"));

/// Resume.
pub static RESUME: Operation = Operation::get(
    "resume",
    "/v1/tasks/{task}/packet",
    "What somebody is given to go on from: packet, checkpoints and decisions in one.",
)
.asks(Question::Packet)
.takes(&[
    text("as", "json, yaml or brief; a brief is for a model, within a budget."),
    number("budget", "The most tokens of a brief, 1500 unless said otherwise."),
])
.gives(Gives::Packet);

/// Inbox.
pub static INBOX: Operation = Operation {
    waits: true,
    ..Operation::get(
        "inbox",
        "/v1/inbox",
        "What waits for you. With `Prefer: wait=30` it answers when something does.",
    )
    .asks(Question::Inbox)
    .takes(&[LIMIT])
    .gives(Gives::Document("Inbox"))
};

/// Events.
pub static EVENTS: Operation = Operation {
    waits: true,
    ..Operation::get(
        "events",
        "/v1/events",
        "What happened, oldest first; a stream to whoever accepts `text/event-stream`.",
    )
    .asks(Question::Events)
    .takes(&[
        number("since", "Go on after this event; without it, the last ones, or what is to come."),
        number("after", "The same as `since`."),
        number("from", "Begin with this event; 0 is the first of all."),
        text("task", "Only of this task."),
        text("party", "Only by, from or to this party."),
        text("type", "Only of these types, separated by commas."),
        text("handoff", "Only of this handoff."),
        text("sender", "Only from this party."),
        text("receiver", "Only to this party."),
        text("contract", "Only under this contract, or this version of it."),
        text("state", "Only what leaves the handoff in this state."),
        text("actor", "Only what this party did, `clock` or `system`."),
        text("trigger", "Only with this trigger."),
        text("risk", "Only with this risk."),
        LIMIT,
    ])
    .gives(Gives::Stream("Event"))
};

/// Search.
pub static SEARCH: Operation =
    Operation::get("search", "/v1/search", "Find packets and events by words, newest first.")
        .asks(Question::Search)
        .takes(&[text("q", "The words; each is the beginning of a word, in any case."), LIMIT])
        .gives(Gives::Page("Found"));

/// Stats.
pub static STATS: Operation =
    Operation::get("stats", "/v1/stats", "Where work waits, edge by edge.")
        .asks(Question::Stats)
        .gives(Gives::Page("EdgeStats"));

/// Decisions.
pub static LIST_DECISIONS: Operation = Operation::get(
    "list_decisions",
    "/v1/decisions",
    "What people decided, with the packet that was shown.",
)
.asks(Question::Decisions)
.takes(&[CURSOR])
.gives(Gives::Page("Decided"));

/// Batch.
pub static BATCH: Operation =
    Operation::post("batch", "/v1/batch", "Many requests in one, each with an answer of its own.")
        .carries(Carries::Document("Batch"))
        .gives(Gives::Document("BatchAnswers"));

/// Contracts.
pub static LIST_CONTRACTS: Operation =
    Operation::get("list_contracts", "/v1/contracts", "List the contracts of the project.")
        .asks(Question::Directory)
        .gives(Gives::Page("ContractLine"));

/// Publish a contract.
pub static PUBLISH_CONTRACT: Operation = Operation::post(
    "publish_contract",
    "/v1/contracts",
    "Let handoffs use a contract from now on. A version is immutable.",
)
.needs(All(&[Admin]))
.carries(Carries::Document("Contract"))
.made();

/// Show a contract.
pub static SHOW_CONTRACT: Operation = Operation::get(
    "show_contract",
    "/v1/contracts/{name}",
    "Show a contract; `name@1.0` names a version, else it is the newest.",
)
.asks(Question::Directory)
.gives(Gives::Document("ContractShown"));

/// Gates.
pub static LIST_GATES: Operation =
    Operation::get("list_gates", "/v1/gates", "List the gates of the project.")
        .asks(Question::Directory)
        .gives(Gives::Page("GateLine"));

/// Publish a gate.
pub static PUBLISH_GATE: Operation =
    Operation::post("publish_gate", "/v1/gates", "Let a gate hold handoffs from now on.")
        .needs(All(&[Admin]))
        .carries(Carries::Document("Policy"))
        .made();

/// Show a gate.
pub static SHOW_GATE: Operation =
    Operation::get("show_gate", "/v1/gates/{name}", "Show the newest version of a gate.")
        .asks(Question::Directory)
        .gives(Gives::Document("PolicyShown"));

/// Show the rules.
pub static SHOW_RULES: Operation =
    Operation::get("show_rules", "/v1/rules", "Show what the project demands of every packet.")
        .asks(Question::Directory)
        .gives(Gives::Document("PolicyShown"));

/// Set the rules.
pub static SET_RULES: Operation = Operation::new(
    Verb::Put,
    "set_rules",
    "/v1/rules",
    "Let these rules hold from now on, in place of those before.",
)
.needs(All(&[Admin]))
.carries(Carries::Document("Policy"));

/// Parties.
pub static LIST_PARTIES: Operation =
    Operation::get("list_parties", "/v1/parties", "List the parties of the project.")
        .asks(Question::Directory)
        .gives(Gives::Page("Party"));

/// Show a party.
pub static SHOW_PARTY: Operation = Operation::get(
    "show_party",
    "/v1/parties/{name}",
    "Show a party: its members, what it reads, what it may, and the mailbox of a person.",
)
.asks(Question::Directory)
.gives(Gives::Document("Party"));

/// Add a party.
pub static ADD_PARTY: Operation =
    Operation::post("add_party", "/v1/parties", "Add a party, or add to what is known of one.")
        .needs(All(&[Admin]))
        .carries(Carries::Document("PartyRequest"))
        .made();

/// Dead letters.
pub static LIST_DEAD: Operation =
    Operation::get("list_dead", "/v1/dead", "List work that nobody could go on with.")
        .asks(Question::Dead)
        .takes(&[LIMIT, CURSOR])
        .gives(Gives::Page("Handoff"));

/// Redrive.
pub static REDRIVE: Operation = Operation::post(
    "redrive",
    "/v1/dead/{id}/redrive",
    "Start a dead letter again, with its first receiver.",
)
.needs(All(&[Admin]))
.carries(Carries::Maybe("Reason"));

/// Discard.
pub static DISCARD: Operation =
    Operation::post("discard", "/v1/dead/{id}/discard", "Give a dead letter up for good.")
        .needs(All(&[Admin]))
        .carries(Carries::Document("Reason"));

/// Halt.
pub static HALT: Operation = Operation::post(
    "halt",
    "/v1/halt",
    "Stop the project: every claim ends, and nobody claims until it is lifted.",
)
.needs(All(&[Admin]))
.carries(Carries::Maybe("Reason"));

/// Lift the halt.
pub static LIFT: Operation =
    Operation::new(Verb::Delete, "lift", "/v1/halt", "Let work go on, and say why.")
        .needs(All(&[Admin]))
        .takes(&[text("reason", "Why; required.")]);

/// The log.
pub static LIST_LEAVES: Operation = Operation::get(
    "list_leaves",
    "/v1/log/leaves",
    "The leaves of the log, exactly as they were hashed, one per line.",
)
.asks(Question::Log)
.takes(&[number("from", "Begin with this leaf."), LIMIT])
.gives(Gives::Text("application/jsonl"));

/// Check the log.
pub static CHECK_LOG: Operation = Operation::get(
    "check_log",
    "/v1/log/check",
    "Recompute everything, and name the first leaf that is wrong.",
)
.needs(All(&[Admin]))
.takes(&[number("from", "Begin with this leaf; those before it are believed.")])
.gives(Gives::Document("LogChecked"));

/// The project.
pub static SHOW_PROJECT: Operation =
    Operation::get("show_project", "/v1/project", "Show the project and its settings.")
        .asks(Question::Directory)
        .gives(Gives::Document("Project"));

/// Set the project.
pub static SET_PROJECT: Operation = Operation::new(
    Verb::Patch,
    "set_project",
    "/v1/project",
    "Change settings of the project; the others stay as they are.",
)
.needs(All(&[Admin]))
.carries(Carries::Document("ProjectSettings"));

/// Who am I.
pub static WHOAMI: Operation =
    Operation::get("whoami", "/v1/whoami", "Who you are here, and what you may.")
        .gives(Gives::Document("Whoami"));

/// Tokens.
pub static LIST_TOKENS: Operation = Operation::get(
    "list_tokens",
    "/v1/tokens",
    "List the tokens of the project, without their texts.",
)
.asks(Question::Tokens)
.gives(Gives::Page("Token"));

/// Create a token.
pub static CREATE_TOKEN: Operation = Operation::post(
    "create_token",
    "/v1/tokens",
    "Create a token for a party. Its text is in this answer and nowhere else.",
)
.needs(All(&[Admin]))
.carries(Carries::Document("TokenRequest"))
.made();

/// Revoke a token.
pub static REVOKE_TOKEN: Operation =
    Operation::new(Verb::Delete, "revoke_token", "/v1/tokens/{id}", "Let a token work no longer.")
        .needs(All(&[Admin]));

/// List subscriptions.
pub static LIST_SUBSCRIPTIONS: Operation =
    Operation::get("list_subscriptions", "/v1/subscriptions", "Who is told of which events.")
        .asks(Question::Subscriptions)
        .gives(Gives::Page("Subscription"));

/// Add a subscription.
pub static ADD_SUBSCRIPTION: Operation = Operation::post(
    "add_subscription",
    "/v1/subscriptions",
    "Have somebody told of events; what a webhook is checked with is in the answer.",
)
.needs(All(&[Admin]))
.carries(Carries::Document("SubscriptionRequest"))
.made();

/// Show a subscription.
pub static SHOW_SUBSCRIPTION: Operation =
    Operation::get("show_subscription", "/v1/subscriptions/{id}", "Show a subscription.")
        .asks(Question::Subscriptions)
        .gives(Gives::Document("Subscription"));

/// Remove a subscription.
pub static REMOVE_SUBSCRIPTION: Operation = Operation::new(
    Verb::Delete,
    "remove_subscription",
    "/v1/subscriptions/{id}",
    "Tell nobody any more; address, secrets and attempts go with it.",
)
.needs(All(&[Admin]));

/// Disable a subscription.
pub static DISABLE_SUBSCRIPTION: Operation = Operation::post(
    "disable_subscription",
    "/v1/subscriptions/{id}/disable",
    "Tell nobody until it is enabled.",
)
.needs(All(&[Admin]));

/// Enable a subscription.
pub static ENABLE_SUBSCRIPTION: Operation = Operation::post(
    "enable_subscription",
    "/v1/subscriptions/{id}/enable",
    "Go on where it stood.",
)
.needs(All(&[Admin]));

/// Change a secret.
pub static ROTATE_SECRET: Operation = Operation::post(
    "rotate_secret",
    "/v1/subscriptions/{id}/rotate",
    "Sign with a new secret, and for a day with the old one as well.",
)
.needs(All(&[Admin]));

/// List attempts.
pub static LIST_DELIVERIES: Operation = Operation::get(
    "list_deliveries",
    "/v1/subscriptions/{id}/deliveries",
    "The last attempts, newest first.",
)
.asks(Question::Subscriptions)
.takes(&[LIMIT])
.gives(Gives::Page("Delivery"));

/// Try a subscription.
pub static TEST_SUBSCRIPTION: Operation = Operation::post(
    "test_subscription",
    "/v1/subscriptions/{id}/test",
    "Send a message that says nothing, and tell what the receiver said.",
)
.needs(All(&[Admin]))
.gives(Gives::Document("Delivery"));

/// Deliver again.
pub static REPLAY: Operation = Operation::post(
    "replay",
    "/v1/subscriptions/{id}/replay",
    "Deliver a range of events again, in order, each with the id that it had.",
)
.needs(All(&[Admin]))
.carries(Carries::Document("Replay"))
.gives(Gives::Document("Replayed"));

/// Sign in.
pub static SIGN_IN: Operation = Operation::post(
    "sign_in",
    "/v1/sessions",
    "Sign in as a person, with a password or the code of the link that the server printed.",
)
.open()
.carries(Carries::Document("SignIn"))
.gives(Gives::Document("Session"))
.made();

/// Sign out.
pub static SIGN_OUT: Operation = Operation {
    success: 204,
    ..Operation::new(Verb::Delete, "sign_out", "/v1/sessions", "End your session.")
        .open()
        .gives(Gives::Nothing)
};

/// Check a packet.
pub static VALIDATE: Operation =
    Operation::post("validate", "/v1/handoff/validate", "Check a packet and store nothing.")
        .takes(&[
            text(
                "variant",
                "The variant to check against; without it the one that the packet shows.",
            ),
            text("contract", "A contract of the project to check against as well."),
        ])
        .carries(Carries::Packet)
        .gives(Gives::Document("Validated"));

/// The schema of a variant.
pub static SCHEMA: Operation = Operation::get(
    "schema",
    "/v1/handoff/schema",
    "The JSON Schema of a variant; a browser gets a page for people.",
)
.open()
.takes(&[text("variant", "The variant, baseline unless said otherwise.")])
.gives(Gives::DocumentOrPage("JsonSchema"));

/// This document.
pub static OPENAPI: Operation =
    Operation::get("openapi", "/v1/openapi.json", "This description of the interface.")
        .open()
        .gives(Gives::Document("JsonSchema"));

/// The whole table.
pub static ALL: &[&Operation] = &[
    &SUBMIT,
    &LIST_HANDOFFS,
    &SHOW_HANDOFF,
    &SHOW_PACKET,
    &SHOW_TRAIL,
    &REVISE,
    &DECIDE,
    &ASK,
    &ANSWER,
    &CLAIM,
    &CHECKPOINT,
    &RETURN,
    &VERIFY,
    &DECLINE,
    &CLAIM_NEXT,
    &RENEW,
    &RELEASE,
    &PARK,
    &HOLD,
    &BEGIN,
    &TIMELINE,
    &RESUME,
    &INBOX,
    &EVENTS,
    &SEARCH,
    &STATS,
    &LIST_DECISIONS,
    &BATCH,
    &LIST_CONTRACTS,
    &PUBLISH_CONTRACT,
    &SHOW_CONTRACT,
    &LIST_GATES,
    &PUBLISH_GATE,
    &SHOW_GATE,
    &SHOW_RULES,
    &SET_RULES,
    &LIST_PARTIES,
    &SHOW_PARTY,
    &ADD_PARTY,
    &LIST_DEAD,
    &REDRIVE,
    &DISCARD,
    &HALT,
    &LIFT,
    &LIST_LEAVES,
    &CHECK_LOG,
    &SHOW_PROJECT,
    &SET_PROJECT,
    &WHOAMI,
    &LIST_TOKENS,
    &CREATE_TOKEN,
    &REVOKE_TOKEN,
    &LIST_SUBSCRIPTIONS,
    &ADD_SUBSCRIPTION,
    &SHOW_SUBSCRIPTION,
    &DISABLE_SUBSCRIPTION,
    &ENABLE_SUBSCRIPTION,
    &ROTATE_SECRET,
    &LIST_DELIVERIES,
    &TEST_SUBSCRIPTION,
    &REPLAY,
    &REMOVE_SUBSCRIPTION,
    &SIGN_IN,
    &SIGN_OUT,
    &VALIDATE,
    &SCHEMA,
    &OPENAPI,
];
