//! Hands work over: checks the contract and the chain, then offers or holds the packet.
//!
//! Reading and validating the packet is in `prepare`, the reasons for a hold in `offer`, duplicates
//! in `duplicate`, and the replacement of a live handoff in `supersede`.

/// A holder passes its work on.
pub mod pass_on;

pub(crate) mod duplicate;

mod supersede;

use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;

use tasuki_api::WorkTree;
use tasuki_packet::Variant;
use tasuki_packet::chain::{DueSignOff, DueStep};
use tasuki_packet::id::{HandoffId, PartyId, TaskId};
use tasuki_packet::leaf::EventType;

use crate::model::Change;
use crate::model::Context;
use crate::model::Directory;
use crate::model::DocumentKind;
use crate::model::LoadSet;
use crate::model::Scope;
use crate::model::{Facts, Handoff, Offer, Progress, State};
use crate::ports::Loaded;
use crate::prepare::input::PrepareInput;
use crate::prepare::packet::Incoming;
use crate::prepare::packet::prepare_packet;
use crate::prepare::text;
use crate::prepare::work_tree::{PreparedWorkTree, work_tree};
use crate::prepare::{PreparedPacket, Receiver};
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::authorization;
use crate::rules::auto_register;
use crate::rules::chain;
use crate::rules::fallback::{has_eligible_claimer, is_past, require_known_rungs};
use crate::rules::fencing;
use crate::rules::fencing::ClaimProof;
use crate::rules::offer::offer;
use crate::rules::quota::within_quota;
use crate::rules::review;
use crate::rules::scopes::RequiredScopes;
use crate::rules::sign_offs;
use crate::steps::Step;
use crate::steps::step::PreparedStep;
use crate::steps::step::source_digest;
use duplicate::{means_the_same, repeated, same};
pub use supersede::taken;
use supersede::{keep_held, replace_live};

/// Hands work over.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Submit {
    /// The packet in any form.
    #[serde(serialize_with = "source_digest")]
    pub source: Vec<u8>,
    /// The receiver, if it is not the one that the packet names.
    pub to: Option<String>,
    /// `true` to hold it for a person, whatever the contract says.
    pub hold: bool,
    /// The live handoff of the task to replace, if the packet does not name it.
    pub supersedes: Option<HandoffId>,
    /// The sender's own variant that the packet must satisfy, as a document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub variant: Option<Value>,
    /// The work tree that the command was sent from. A repeated command may come from another one.
    #[serde(skip)]
    pub work_tree: Option<WorkTree>,
}

/// A submit or a pass-on with its packet read.
#[derive(Debug)]
pub struct PreparedSubmit {
    /// The claim on the work that is passed on.
    pub(super) parent: Option<ClaimProof>,
    /// `true` if the caller, not the packet, names the receiver.
    pub(super) names_receiver: bool,
    /// `true` if the caller requests a hold.
    pub(super) hold: bool,
    /// The sign-offs that are due before the work is passed on.
    pub(super) due: Vec<DueSignOff>,
    /// The packet.
    pub(super) packet: Box<PreparedPacket>,
    /// The work tree that the command was sent from.
    pub(super) work_tree: Option<PreparedWorkTree>,
}

impl Step for Submit {
    const NAME: &'static str = "submit";
    const SCOPES: RequiredScopes = RequiredScopes::All(&[Scope::Submit]);
    type Prepared = PreparedSubmit;

    fn prepare(&self, input: &PrepareInput) -> Result<PreparedSubmit, Refusal> {
        prepare(self, None, input)
    }
}

/// Prepares a submit, or a pass-on of the work of `parent`.
pub(super) fn prepare(
    submit: &Submit,
    parent: Option<ClaimProof>,
    input: &PrepareInput,
) -> Result<PreparedSubmit, Refusal> {
    let variant = submit.variant.as_ref().map(own_variant).transpose()?;
    let incoming = Incoming {
        source: &submit.source,
        to: submit.to.as_deref(),
        supersedes: submit.supersedes,
        is_passed_on: parent.is_some(),
        variant: variant.as_ref(),
        ..Incoming::default()
    };
    let mut packet = Box::new(prepare_packet(input, incoming)?);
    packet.terms.is_hold_asked = submit.hold;
    let work_tree = work_tree(input, submit.work_tree.as_ref())?;
    let (names_receiver, hold) = (submit.to.is_some(), submit.hold);
    let work = input.packet().filter(|_| parent.is_some());
    let due = work.map_or_else(Vec::new, |work| sign_offs::due_before(work, DueStep::PassOn));
    Ok(PreparedSubmit { parent, names_receiver, hold, due, packet, work_tree })
}

/// Reads the sender's own variant, within the limits of a packet.
fn own_variant(document: &Value) -> Result<Variant, Refusal> {
    text::within_limits("variant", document)?;
    Variant::from_document(document).map_err(|violations| {
        Refusal::new(RefusalCode::DocumentInvalid, "the variant is invalid")
            .hint("locate the violations with `tasuki validate FILE`")
            .with(violations)
    })
}

impl PreparedStep for PreparedSubmit {
    fn load(&self, directory: &Directory, _caller: PartyId, set: &mut LoadSet) {
        set.open_count |= directory.settings.open_handoffs.is_some();
        // Duplicates name the same task.
        match &self.packet.task {
            Some(task) => set.open_of_tasks.insert(task.clone()),
            None => set.fingerprints.insert(self.packet.fingerprint.clone()),
        };
        set.reviewed_of_tasks.extend(self.packet.task.clone());
        set.handoffs.extend(self.packet.supersedes);
        set.handoffs.extend(self.parent.map(|claim| claim.handoff));
    }

    fn load_further(&self, _caller: PartyId, loaded: &Loaded, set: &mut LoadSet) {
        // Without a task of its own, the packet is for that of its parent or predecessor.
        if self.packet.task.is_none() {
            let before = self.parent.map(|claim| claim.handoff).or(self.packet.supersedes);
            set.reviewed_of_tasks.extend(before.and_then(|id| loaded.task_of(id)));
        }
    }

    fn packet(&self) -> Option<&PreparedPacket> {
        Some(&self.packet)
    }

    fn decide(&self, context: &Context<'_>) -> Result<Change, Refusal> {
        decide(context, self)
    }
}

fn decide(context: &Context<'_>, request: &PreparedSubmit) -> Result<Change, Refusal> {
    let prepared = &request.packet;
    authorization::scope(context, Scope::Submit)?;
    if let Some(first) = same(context, request) {
        means_the_same(context, request, first)?;
        return Ok(repeated(context, first));
    }
    let mut change = Change::default();
    let parent = match request.parent {
        Some(proof) => Some(fencing::require_current_claim(context, proof)?.0),
        None => None,
    };
    if let Some(parent) = parent {
        sign_offs::require(&parent.progress, &request.due)?;
    }
    // Passed-on and superseding work was admitted before.
    if parent.is_none() && prepared.supersedes.is_none() {
        within_quota(context)?;
    }
    // Passed-on work may be overdue: the missed deadline was handled when it passed.
    if parent.is_none() {
        not_expired(context, prepared)?;
    }
    let task = task(context, prepared, parent)?;
    replace_live(context, prepared, &task, parent, &mut change)?;
    let receiver = receiver(context, prepared, &mut change)?;
    let superseded = prepared.supersedes.and_then(|id| context.state.known(id));
    if let Some(superseded) = superseded {
        authorization::may_reach(context, superseded, receiver)?;
    }
    let id: HandoffId = context.seed.id("handoff", context.now);
    let mut facts = facts(context, prepared, task, receiver, parent);
    if let Some(superseded) = superseded {
        keep_held(context, superseded, &mut facts);
    }
    chain::check(context, &facts, &prepared.summary)?;

    let event = change.record_event(EventType::Submitted, id, context.actor());
    event.with("receiver", receiver).with("hops", hops(&facts));
    if let Some(parent) = parent {
        event.with("parent", parent.id);
    }
    if let Some(superseded) = prepared.supersedes {
        event.with("supersedes", superseded);
    }
    let mut handoff = new_handoff(id, facts, context);
    if let Some(work_tree) = &request.work_tree {
        work_tree.record("1", &mut handoff, context.now, &mut change);
    }
    if let Some(parent) = parent {
        handoff.progress.signed_off.clone_from(&parent.progress.signed_off);
    }
    if !context.principal.is_human() {
        handoff.progress.taken_over_by = superseded.and_then(Handoff::taken_over_by);
    }
    review::mark_new(context, &mut handoff);
    change.put_document(id, DocumentKind::Packet, "1", Arc::clone(&prepared.sealed));
    let directory = auto_register::directory_after(context, &change);
    require_eligible_claimer(&directory, &handoff)?;
    require_known_rungs(&directory, &handoff)?;
    handoff.progress.has_expired = is_past(handoff.facts.summary.expires_at, context.now);
    offer(&directory, &mut handoff, None, context.now, context.actor(), &mut change);
    if let Some(parent) = parent {
        let mut waiting = parent.clone();
        waiting.progress.child = Some(id);
        change.put(waiting);
    }
    change.show(handoff.id);
    change.answer.published.clone_from(&handoff.facts.terms.contract);
    change.answer.notes.clone_from(&prepared.notes);
    change.put(handoff);
    Ok(change)
}

/// Returns the packet's task, else that of the parent or superseded handoff, else a generated one.
fn task(
    context: &Context<'_>,
    prepared: &PreparedPacket,
    parent: Option<&Handoff>,
) -> Result<String, Refusal> {
    let superseded = prepared.supersedes.and_then(|id| context.state.known(id));
    let superseded = superseded.filter(|one| authorization::is_known(context, one));
    match (&prepared.task, parent.or(superseded)) {
        (Some(task), _) if parent.is_some_and(|parent| *task != parent.facts.task) => {
            let work = parent.map_or_else(String::new, |parent| parent.facts.task.clone());
            let message = format!(
                "the packet is for task `{task}`, but the handoff that is passed on is for task `{work}`"
            );
            Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
                .hint(format!("remove `task_id`, or set it to `{work}`")))
        }
        (Some(task), _) => Ok(task.clone()),
        (None, Some(before)) => Ok(before.facts.task.clone()),
        (None, None) => Ok(context.seed.id::<TaskId>("task", context.now).to_string()),
    }
}

/// Returns the receiver, which is registered on first use if the project allows it.
fn receiver(
    context: &Context<'_>,
    prepared: &PreparedPacket,
    change: &mut Change,
) -> Result<PartyId, Refusal> {
    let receiver = match &prepared.receiver {
        Receiver::Cache(id) => *id,
        Receiver::New(name) => return Ok(auto_register::on_first_use(context, name, change)),
    };
    if context.state.directory.has_eligible_receiver(receiver) {
        return Ok(receiver);
    }
    let name = context.state.directory.name(receiver);
    Err(Refusal::new(RefusalCode::RoleEmpty, format!("`{name}` has no members"))
        .hint(format!("add one with `tasuki party add {name} --member NAME`")))
}

/// Refuses a packet that has expired: its handoff would be dead at once.
pub fn not_expired(context: &Context<'_>, prepared: &PreparedPacket) -> Result<(), Refusal> {
    let Some(expires_at) = prepared.summary.expires_at.filter(|at| *at <= context.now) else {
        return Ok(());
    };
    let message = format!("`expires_at` is {expires_at}, which has passed");
    Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
        .hint("use a future instant, or remove it"))
}

/// Refuses a role without an eligible member.
fn require_eligible_claimer(directory: &Directory, handoff: &Handoff) -> Result<(), Refusal> {
    if has_eligible_claimer(directory, handoff) {
        return Ok(());
    }
    let name = directory.name(handoff.facts.receiver);
    let why = "they had the work before, or do not support its contract";
    let message = format!("no member of `{name}` may claim this: {why}");
    Err(Refusal::new(RefusalCode::ChainLoop, message).hint(format!(
        "choose another receiver, or add a member with `tasuki party add {name} --member NAME`"
    )))
}

fn facts(
    context: &Context<'_>,
    prepared: &PreparedPacket,
    task: String,
    receiver: PartyId,
    parent: Option<&Handoff>,
) -> Facts {
    // The party that passes work on had it, whatever sender the packet names.
    let giving = parent.map_or(prepared.sender, |_| context.principal.party);
    let mut lineage = parent.map_or_else(Vec::new, |parent| had_before(parent, giving));
    lineage.push(giving);
    let mut contributors = vec![prepared.sender, context.principal.party];
    contributors.extend(context.principal.on_behalf_of);
    contributors.sort();
    contributors.dedup();
    let mut facts = Facts {
        task,
        task_label: prepared.task_label.clone(),
        sender: prepared.sender,
        receiver,
        first_receiver: receiver,
        routed_in: 0,
        is_begun: false,
        revision: 1,
        summary: prepared.summary.clone(),
        terms: prepared.terms.clone(),
        parent: parent.map(|parent| parent.id),
        lineage,
        sent_by: parent.map_or_else(|| in_another_name(context, prepared), |one| one.facts.sent_by),
        spent: chain::spent(parent, &prepared.summary),
        budget: chain::budget(parent, &prepared.summary),
        chain_began_at: parent.map_or(context.now, |parent| parent.facts.chain_began_at),
        contributors,
        submitted_at: context.now,
        fingerprint: prepared.fingerprint.clone(),
    };
    facts.summary.authority = chain::authority(&context.state.directory, parent, &facts);
    facts.terms.hops = chain::hops_of_chain(parent, &facts);
    facts
}

/// Returns the agent that sends on behalf of another. It must not receive the work itself.
fn in_another_name(context: &Context<'_>, prepared: &PreparedPacket) -> Option<PartyId> {
    let caller = context.principal.party;
    Some(caller).filter(|caller| *caller != prepared.sender && !context.principal.is_human())
}

/// Returns the parties that had the work before its holder, including the one that began it.
fn had_before(parent: &Handoff, holder: PartyId) -> Vec<PartyId> {
    let facts = &parent.facts;
    let begun_by = Some(facts.sender).filter(|by| facts.is_begun && *by != holder);
    facts.lineage.iter().copied().chain(begun_by).collect()
}

fn hops(facts: &Facts) -> u64 {
    u64::try_from(facts.lineage.len()).unwrap_or(u64::MAX)
}

/// Returns a new handoff.
pub fn new_handoff(id: HandoffId, facts: Facts, context: &Context<'_>) -> Handoff {
    Handoff {
        id,
        facts: Arc::new(facts),
        progress: Progress {
            state: State::Offered(Offer { since: context.now, not_before: None }),
            fence: 0,
            lapses: 0,
            reworks: 0,
            rung: 0,
            judging_rung: 0,
            taken_over_by: None,
            delivered_at: None,
            ends_at: None,
            notification_failure: None,
            started_at: None,
            progress_at: context.now,
            given_back: None,
            checkpoint: None,
            accepted: None,
            reviewed: None,
            changed: None,
            signatures: Vec::new(),
            signing_roles: Vec::new(),
            signed_off: Vec::new(),
            questions: Vec::new(),
            declined_by: Vec::new(),
            child: None,
            judge: None,
            has_expired: false,
            work_tree: None,
            last_n: 0,
        },
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::command::Command;
    use crate::model::Settings;
    use crate::steps::{PassOn, SetSettings};
    use crate::testing::{World, cancel, claim, packet, pass_on_with, submit};

    #[test]
    fn a_submit_needs_its_scope() {
        let mut world = World::new();
        let mut principal = world.principal("ana");
        principal.scopes = crate::model::Scopes::none().with(Scope::Receive);
        insta::assert_snapshot!(world.refusal_as(&principal, submit(&json!({}))), @"
        TK-SCOPE-MISSING: this credential lacks the scope `submit`
        hint: an operator creates a token with `tasuki token create --as NAME --scope submit,receive`
        ");
    }

    #[test]
    fn a_role_without_an_eligible_member_is_refused() {
        let mut world = World::new();
        world.change("role:team", |role, id| role.members = vec![id("ben")]);
        let mut packet = json!({ "to_agent": "role:team" });
        world.check("ana", submit(&packet), "offered to role:team");
        packet["task_id"] = json!("task-2");
        packet["from_agent"] = json!("ben");
        world.advance(1);
        insta::assert_snapshot!(world.refusal("ben", submit(&packet)), @"
        TK-CHAIN-LOOP: no member of `role:team` may claim this: they had the work before, or do not support its contract
        hint: choose another receiver, or add a member with `tasuki party add role:team --member NAME`
        ");
    }

    #[test]
    fn an_expired_packet_is_refused() {
        let mut world = World::new();
        let late = json!({ "expires_at": "2026-11-15T10:00:00Z" });
        insta::assert_snapshot!(world.refusal("ana", submit(&late)), @"
        TK-ARGUMENT-INVALID: `expires_at` is 2026-11-15T10:00:00Z, which has passed
        hint: use a future instant, or remove it
        ");
        let source = packet(&json!({ "expires_at": "2026-11-15T09:00:00Z" }));
        let begin = crate::steps::Begin { source, ..crate::steps::Begin::default() };
        world.check("ana", Command::Begin(begin), "refused TK-ARGUMENT-INVALID");
        world.check(
            "ana",
            submit(&json!({ "expires_at": "2026-11-15T10:00:01Z" })),
            "offered to ben",
        );
    }

    #[test]
    fn overdue_work_that_is_passed_on_does_not_expire_again() {
        let mut world = World::new();
        let ladder = json!([{ "to": "cem" }]);
        let more = json!({ "expires_at": "2026-11-15T10:00:01Z", "fallback": ladder });
        world.done("ana", submit(&more));
        world.advance(1);
        world.apply_due();
        assert_eq!(world.standing(), "offered to cem");
        world.done("cem", claim(world.newest()));
        world.advance(1);
        let mut more = more;
        more["to_agent"] = json!("ben");
        more["from_agent"] = json!("cem");
        world.done("cem", pass_on_with(&world, &more));
        world.apply_due();
        assert_eq!(world.standing_of(world.newest()), "offered to ben");
    }

    #[test]
    fn a_role_without_members_is_refused() {
        let mut world = World::new();
        let to_nobody = submit(&json!({"to_agent": "role:nobody"}));
        insta::assert_snapshot!(world.refusal("ana", to_nobody), @"
        TK-ROLE-EMPTY: `role:nobody` has no members
        hint: add one with `tasuki party add role:nobody --member NAME`
        ");
        world.check("ana", submit(&json!({"to_agent": "role:team"})), "offered to role:team");
    }

    #[test]
    fn a_fallback_to_an_unknown_party_or_an_empty_role_is_refused() {
        let to = |to: &str| json!({ "fallback": [{ "to": "cem" }, { "to": to }] });
        insta::assert_snapshot!(World::new().refusal("ana", submit(&to("bem"))), @"
        TK-PARTY-UNKNOWN: `fallback`: unknown party `bem`
        hint: did you mean `ben`? `tasuki party list` lists all
        ");
        insta::assert_snapshot!(World::new().refusal("ana", submit(&to("role:nobody"))), @"
        TK-ROLE-EMPTY: `fallback`: `role:nobody` has no members
        hint: add one with `tasuki party add role:nobody --member NAME`
        ");
        for name in ["dead_letter", "role:team", "team"] {
            World::new().check("ana", submit(&to(name)), "offered to ben");
        }
        // The ladder of a contract or of the project is checked like that of a packet.
        let mut world = World::new();
        let last = json!({ "to": "dead_letter" });
        world.contract(&json!({ "fallback": [{ "to": "role:nobody" }, last] }));
        world.check("ana", submit(&json!({})), "refused TK-ROLE-EMPTY");
        world.change("role:nobody", |party, id| party.members = vec![id("cem")]);
        world.check("ana", submit(&json!({})), "offered to ben");
        let ladder = crate::model::packet_summary::steps(Some(&json!([{ "to": "nobody" }])));
        let mut world = World::with(Settings { ladder, ..Settings::default() });
        world.check("ana", submit(&json!({})), "refused TK-ROLE-EMPTY");
        let source = packet(&json!({}));
        let begin = crate::steps::Begin { source, ..crate::steps::Begin::default() };
        world.check("ana", Command::Begin(begin), "refused TK-ROLE-EMPTY");
    }

    #[test]
    fn an_unknown_party_is_registered_on_first_use_where_the_project_allows_it() {
        let unknown = submit(&json!({"to_agent": "Web Scraper"}));
        insta::assert_snapshot!(World::new().refusal("ana", unknown.clone()), @r#"
        TK-PARTY-UNKNOWN: unknown party `Web Scraper`
        hint: add it with `tasuki party add web-scraper --alias "Web Scraper"`
        "#);

        let settings = Settings { registers_on_first_use: true, ..Settings::default() };
        let mut world = World::with(settings);
        for stranger in [world.with_token("ana"), world.signed_in("pia")] {
            let refused = world.run_as(&stranger, unknown.clone()).unwrap_err();
            assert_eq!(refused.code, RefusalCode::PartyUnknown, "over a network");
        }
        let answer = world.run("ana", unknown).unwrap();
        assert_eq!(answer.registered, ["web-scraper"]);
        assert_eq!(answer.handoff.unwrap().to, "web-scraper");
        assert_eq!(world.standing(), "offered to web-scraper");
        assert_eq!(world.story(0), "party.added by ana\nhandoff.submitted by ana");
        let again = world.run("ana", submit(&json!({"to_agent": "Web Scraper", "task_id": "b"})));
        assert_eq!(again.unwrap().registered, [""; 0]);
        world.check(
            "ana",
            submit(&json!({"to_agent": "WEB scraper", "task_id": "c"})),
            "offered to web-scraper",
        );
        for (name, code) in [
            ("role:unheard", "TK-PARTY-UNKNOWN"),
            ("Role: Unheard", "TK-PARTY-UNKNOWN"),
            ("skill:unheard", "TK-PARTY-UNKNOWN"),
            ("System", "TK-PARTY-UNKNOWN"),
            ("Ben!", "TK-PARTY-UNKNOWN"),
            ("***", "TK-PARTY-UNKNOWN"),
        ] {
            world.check(
                "ana",
                submit(&json!({"to_agent": name, "task_id": "d"})),
                &format!("refused {code}"),
            );
        }
        insta::assert_snapshot!(world.refusal("ana", submit(&json!({"to_agent": "Ben!", "task_id": "d"}))), @"
        TK-PARTY-UNKNOWN: unknown party `Ben!`
        hint: did you mean `ben`? `tasuki party list` lists all
        ");
    }

    #[test]
    fn a_halt_allows_submits_but_no_pass_on() {
        let mut world = World::new();
        world.run("ana", submit(&json!({}))).unwrap();
        world.run("ben", claim(world.newest())).unwrap();
        let pass = pass_on_with(&world, &json!({"to_agent": "cem"}));
        let halt = crate::steps::Halt { is_lift: false, reason: None };
        world.run("pia", Command::Halt(halt)).unwrap();
        insta::assert_snapshot!(world.refusal("ben", pass), @"
        TK-PROJECT-HALTED: the project is halted
        hint: you can still record a checkpoint; an operator lifts the halt with `tasuki halt --lift`
        ");
        world.advance(1);
        world.check("ana", submit(&json!({"task_id": "b"})), "offered to ben");
    }

    #[test]
    fn the_receiver_of_the_command_overrides_that_of_the_packet() {
        let mut world = World::new();
        let command = Command::Submit(Submit {
            source: packet(&json!({})),
            to: Some("cem".to_owned()),
            ..Submit::default()
        });
        world.check("ana", command, "offered to cem");
        assert!(world.documents[0].sealed.body.contains(r#""to_agent":"ben""#));
    }

    #[test]
    fn the_quota_limits_open_handoffs() {
        let mut world = World::new();
        let limit = json!({ "open_handoffs": 2 }).as_object().unwrap().clone();
        world.done("pia", Command::SetSettings(SetSettings(limit)));
        world.state.open = Some(0);
        let task = |name: &str| submit(&json!({ "task_id": name, "goal": name }));
        world.check("ana", task("a"), "offered to ben");
        let first = world.newest();
        world.advance(1);
        world.check("ana", task("b"), "offered to ben");
        world.advance(1);
        insta::assert_snapshot!(world.refused("ana", task("c")), @"
        TK-QUOTA-REACHED: the project has 2 open handoffs; the limit is 2
          wait until some are done, or cancel those that are not needed
        ");
        let begun = crate::steps::Begin {
            source: packet(&json!({ "task_id": "d", "to_agent": "ana" })),
            ..Default::default()
        };
        world.check("ana", Command::Begin(begun), "refused TK-QUOTA-REACHED");
        // Duplicates, replacements and passed-on work do not count again.
        assert!(world.done("ana", task("b")).repeated);
        let second = world.newest();
        let replacing = json!({ "task_id": "b", "goal": "better", "supersedes": second });
        world.check("ana", submit(&replacing), "offered to ben");
        world.check("ben", crate::testing::claim(world.newest()), "claimed by ben, fence 1");
        world.advance(1);
        let shown = world.shown();
        let further = Command::PassOn(PassOn::new(
            shown,
            packet(&json!({ "task_id": "b", "to_agent": "cem" })),
        ));
        world.check("ben", further, "offered to cem");
        world.done("ana", cancel(first));
        world.advance(1);
        world.check("cem", crate::testing::claim(world.newest()), "claimed by cem, fence 1");
        world.check("ana", task("c"), "offered to ben");
    }
}
