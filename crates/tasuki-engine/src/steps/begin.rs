//! A party opens a task for itself.
//!
//! The task is a handoff from and to that party, claimed at once. When its lease expires, the
//! continuation is offered to the party that the last checkpoint names, else to the party's own
//! next session, then along the ladder.

use std::sync::Arc;

use serde::Serialize;
use tasuki_api::WorkTree;
use tasuki_packet::duration::Duration;
use tasuki_packet::id::{ClaimId, HandoffId, PartyId, TaskId};
use tasuki_packet::leaf::EventType;

use crate::limits::AUTOMATIC_TASK_LIFE;
use crate::model::context::later;
use crate::model::idempotency;
use crate::model::{
    Change, Claim, Context, Directory, DocumentKind, Facts, Handoff, LoadSet, Scope, State,
};
use crate::prepare::PreparedPacket;
use crate::prepare::input::PrepareInput;
use crate::prepare::packet::{Incoming, prepare_packet};
use crate::prepare::work_tree::{PreparedWorkTree, work_tree};
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::fallback::require_known_rungs;
use crate::rules::quota::within_quota;
use crate::rules::scopes::RequiredScopes;
use crate::rules::{authorization, chain, fencing, review};
use crate::steps::step::{PreparedStep, source_digest};
use crate::steps::submit::{new_handoff, not_expired, taken};
use crate::steps::{Step, claim};

/// Opens a task.
#[derive(Debug, Clone, Default, Serialize)]
pub struct Begin {
    /// The packet that describes the task, in any form.
    #[serde(serialize_with = "source_digest")]
    pub source: Vec<u8>,
    /// The requested lease.
    pub lease: Option<Duration>,
    /// `true` if a process renews the lease.
    pub is_renewed: bool,
    /// The caller's idempotency key for the claim.
    pub key: Option<String>,
    /// `true` if a program begins the task by itself, without the request of an agent or a person.
    pub is_automatic: bool,
    /// The work tree that the command was sent from. A repeated command may come from another one.
    #[serde(skip)]
    pub work_tree: Option<WorkTree>,
}

/// A begin with its packet read.
#[derive(Debug)]
pub struct PreparedBegin {
    request: Begin,
    packet: Box<PreparedPacket>,
    work_tree: Option<PreparedWorkTree>,
}

impl Step for Begin {
    const NAME: &'static str = "begin";
    const SCOPES: RequiredScopes = RequiredScopes::All(&[Scope::Submit, Scope::Receive]);
    type Prepared = PreparedBegin;

    fn prepare(&self, input: &PrepareInput) -> Result<PreparedBegin, Refusal> {
        self.key.as_deref().map_or(Ok(()), idempotency::check_key)?;
        let incoming = Incoming { source: &self.source, is_own: true, ..Incoming::default() };
        let packet = Box::new(prepare_packet(input, incoming)?);
        let work_tree = work_tree(input, self.work_tree.as_ref())?;
        let request = Self { source: Vec::new(), work_tree: None, ..self.clone() };
        Ok(PreparedBegin { request, packet, work_tree })
    }
}

impl PreparedStep for PreparedBegin {
    fn load(&self, directory: &Directory, _caller: PartyId, set: &mut LoadSet) {
        set.tasks.extend(self.packet.task.clone());
        set.reviewed_of_tasks.extend(self.packet.task.clone());
        set.open_count |= directory.settings.open_handoffs.is_some();
    }

    fn packet(&self) -> Option<&PreparedPacket> {
        Some(&self.packet)
    }

    fn decide(&self, context: &Context<'_>) -> Result<Change, Refusal> {
        decide(context, self)
    }
}

fn decide(
    context: &Context<'_>,
    PreparedBegin { request, packet: prepared, work_tree }: &PreparedBegin,
) -> Result<Change, Refusal> {
    authorization::scope(context, Scope::Submit)?;
    authorization::scope(context, Scope::Receive)?;
    if context.state.head.is_halted {
        return Err(fencing::halted(context));
    }
    let own = context.principal.party;
    if prepared.sender != own {
        let name = context.state.directory.name(prepared.sender);
        let message = format!("the packet is from `{name}`; you can only begin a task of your own");
        return Err(Refusal::new(RefusalCode::SenderMismatch, message)
            .hint("remove `from_agent`, or set it to your own name"));
    }
    let named = prepared.task.clone();
    let task = named.unwrap_or_else(|| context.seed.id::<TaskId>("task", context.now).to_string());
    if let Some(live) = context.state.live(&task) {
        return same_begin(context, request, live).ok_or_else(|| in_the_way(context, &task, live));
    }
    not_expired(context, prepared)?;
    within_quota(context)?;
    let id: HandoffId = context.seed.id("handoff", context.now);
    let facts = facts(context, prepared, task);
    chain::check(context, &facts, &prepared.summary)?;
    ungated(context, &facts)?;
    let lease = claim::lease(context, &facts.terms, request.lease, request.is_renewed);
    let mut handoff = new_handoff(id, facts, context);
    handoff.progress.ends_at =
        request.is_automatic.then(|| later(context.now, AUTOMATIC_TASK_LIFE));
    require_known_rungs(&context.state.directory, &handoff)?;
    let claim = Claim {
        id: context.seed.id::<ClaimId>("claim", context.now),
        holder: own,
        fence: 1,
        epoch: context.state.head.claim_epoch,
        since: context.now,
        until: later(context.now, lease),
        lease,
        is_intercept: false,
        key: claim::stored_key(context, request.key.as_deref()),
    };
    handoff.progress.fence = 1;
    review::mark_new(context, &mut handoff);
    let mut change = Change::default();
    change
        .record_event(EventType::Begun, id, context.actor())
        .with("claim", claim.id)
        .with("fence", claim.fence)
        .with("until", claim.until);
    if let Some(work_tree) = work_tree {
        work_tree.record("1", &mut handoff, context.now, &mut change);
    }
    change.put_document(id, DocumentKind::Packet, "1", Arc::clone(&prepared.sealed));
    handoff.progress.state = State::Claimed(claim);
    change.show_with_claim(handoff.id);
    change.answer.published.clone_from(&handoff.facts.terms.contract);
    change.answer.notes.clone_from(&prepared.notes);
    change.put(handoff);
    Ok(change)
}

/// INVARIANT: a gate refuses every way to a claim. At a begin, no one can have signed yet.
fn ungated(context: &Context<'_>, facts: &Facts) -> Result<(), Refusal> {
    let Some(digest) = facts.terms.gates.first() else { return Ok(()) };
    let name = context.state.directory.gate(digest).map_or(digest, |gate| &gate.name);
    let message = format!("gate `{name}` applies to this packet and is not signed");
    Err(Refusal::new(RefusalCode::GateUnsigned, message)
        .hint("use `tasuki submit`; the gate holds the handoff until it is signed"))
}

/// Replays a begin with the same key.
fn same_begin(context: &Context<'_>, request: &Begin, live: &Handoff) -> Option<Change> {
    let claim = live.claim()?;
    let is_same = live.facts.is_begun
        && claim.key.is_some()
        && claim.key == claim::stored_key(context, request.key.as_deref())
        && claim.holder == context.principal.party
        && claim.epoch == context.state.head.claim_epoch;
    is_same.then(|| {
        let mut change = Change::default();
        change.show_with_claim(live.id);
        change.answer.repeated = true;
        change
    })
}

fn in_the_way(context: &Context<'_>, task: &str, live: &Handoff) -> Refusal {
    if !authorization::is_known(context, live) {
        return taken(task);
    }
    let directory = &context.state.directory;
    let state = live.progress.state.word().as_str();
    let to = directory.name(live.facts.receiver);
    let message =
        format!("task `{task}` already has a live handoff {} to `{to}` ({state})", live.id);
    let is_offered = matches!(live.progress.state, State::Offered(_))
        && directory.is_or_is_in(context.principal.party, live.facts.receiver);
    let hint = if is_offered {
        format!("claim it with `tasuki claim {}`", live.id)
    } else {
        format!("see `tasuki show {}`, or use another task id", live.id)
    };
    Refusal::new(RefusalCode::TaskLive, message).hint(hint).naming(live.id)
}

fn facts(context: &Context<'_>, prepared: &PreparedPacket, task: String) -> Facts {
    let own = context.principal.party;
    let contributors = std::iter::once(own).chain(context.principal.on_behalf_of).collect();
    Facts {
        task,
        task_label: None,
        sender: own,
        receiver: own,
        first_receiver: own,
        routed_in: 0,
        is_begun: true,
        revision: 1,
        summary: prepared.summary.clone(),
        terms: prepared.terms.clone(),
        parent: None,
        lineage: Vec::new(),
        sent_by: None,
        spent: prepared.summary.cost.clone(),
        budget: prepared.summary.budget.clone(),
        chain_began_at: context.now,
        contributors,
        submitted_at: context.now,
        fingerprint: prepared.fingerprint.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::command::Command;
    use crate::testing::{World, claim, packet, pass_on_with, submit};

    fn begin(more: &Value) -> Command {
        Command::Begin(Begin { source: packet(more), ..Begin::default() })
    }

    #[test]
    fn a_party_opens_a_task_for_itself_and_holds_it_at_once() {
        let mut world = World::new();
        let answer = world.run("ana", begin(&json!({}))).unwrap();
        assert_eq!(world.standing(), "claimed by ana, fence 1");
        let claim = answer.claim.unwrap();
        assert_eq!((claim.fence, claim.lease.as_str()), (1, "30m"));
        let handoff = answer.handoff.unwrap();
        assert_eq!((handoff.from.as_str(), handoff.to.as_str()), ("ana", "ana"));
        assert_eq!(world.story(0), "handoff.begun by ana");
        assert!(world.handoff().facts.is_begun && world.handoff().facts.lineage.is_empty());
    }

    #[test]
    fn a_begun_task_needs_no_receiver_no_contract_and_no_name() {
        let mut world = World::new();
        world.put(&crate::model::Record::Settings(crate::model::Settings {
            allows_edges_without_contract: false,
            ..Default::default()
        }));
        let source = json!({"handoff_version": "1.0", "status": "in_progress", "goal": "g",
            "completed": [], "remaining": []});
        let source = source.to_string().into_bytes();
        let command = Command::Begin(Begin { source, ..Begin::default() });
        let answer = world.run("ana", command).unwrap();
        assert!(answer.handoff.unwrap().task.starts_with("tsk_"));
        world.check("ana", submit(&json!({})), "refused TK-EDGE-REFUSED");
    }

    #[test]
    fn a_live_task_is_refused() {
        let mut world = World::new();
        world.run("ana", submit(&json!({}))).unwrap();
        let id = world.newest();
        insta::assert_snapshot!(world.refusal("ben", begin(&json!({}))), @"
        TK-TASK-LIVE: task `task-1` already has a live handoff hof_1 to `ben` (offered)
        hint: claim it with `tasuki claim hof_1`
        ");
        insta::assert_snapshot!(world.refusal("cem", begin(&json!({}))), @"
        TK-TASK-LIVE: task `task-1` already has a live handoff hof_1 to `ben` (offered)
        hint: see `tasuki show hof_1`, or use another task id
        ");
        world.run("ben", claim(id)).unwrap();
        insta::assert_snapshot!(world.refusal("ben", begin(&json!({}))), @"
        TK-TASK-LIVE: task `task-1` already has a live handoff hof_1 to `ben` (claimed)
        hint: see `tasuki show hof_1`, or use another task id
        ");
        assert_eq!(world.run("ben", begin(&json!({}))).unwrap_err().handoff, Some(id));
    }

    #[test]
    fn a_party_can_only_begin_a_task_of_its_own() {
        let mut world = World::new();
        world.change("ana", |party, id| party.sends_for = vec![id("ben")]);
        insta::assert_snapshot!(world.refusal("ana", begin(&json!({"from_agent": "ben"}))), @"
        TK-SENDER-MISMATCH: the packet is from `ben`; you can only begin a task of your own
        hint: remove `from_agent`, or set it to your own name
        ");
        world.check("ana", begin(&json!({"from_agent": "cem"})), "refused TK-SENDER-MISMATCH");
        world.check("ana", begin(&json!({"from_agent": "ana"})), "claimed by ana, fence 1");
    }

    #[test]
    fn no_hold_stops_a_begin_but_a_gate_does() {
        let mut world = World::new();
        let unsure = json!({"can_intercept": true, "trigger": {"kind": "error"}});
        world.check("ana", begin(&unsure), "claimed by ana, fence 1");
        world.gate(json!({
            "gate": "release", "version": "1.0", "applies": [{"edge": [{"from": "ana"}]}],
            "factors": [{"name": "eyes", "roles": ["people"], "approvals": 1}],
        }));
        insta::assert_snapshot!(world.refusal("ana", begin(&json!({"task_id": "b"}))), @"
        TK-GATE-UNSIGNED: gate `release` applies to this packet and is not signed
        hint: use `tasuki submit`; the gate holds the handoff until it is signed
        ");
    }

    #[test]
    fn beginning_twice_with_the_same_key_is_beginning_once() {
        let mut world = World::new();
        let keyed = |key: &str| {
            let key = Some(key.to_owned());
            Command::Begin(Begin { source: packet(&json!({})), key, ..Begin::default() })
        };
        let first = world.run("ana", keyed("k1")).unwrap();
        let again = world.run("ana", keyed("k1")).unwrap();
        assert!(again.repeated);
        assert_eq!(again.claim, first.claim);
        world.check("ana", keyed("k2"), "refused TK-TASK-LIVE");
        world.check("ben", keyed("k1"), "refused TK-TASK-LIVE");
        world.check("ana", keyed("two words"), "refused TK-ARGUMENT-INVALID");
    }

    #[test]
    fn budget_authority_scope_and_halt_apply_to_a_begin() {
        let mut world = World::new();
        world.change("ana", |party, _| party.authority = Some(vec!["read:*".to_owned()]));
        world.check(
            "ana",
            begin(&json!({"authority": ["write:src/"]})),
            "refused TK-AUTHORITY-EXCEEDED",
        );
        let dear = json!({"cost": {"tokens": 2}, "budget": {"tokens": 1}});
        world.check("ana", begin(&dear), "refused TK-CHAIN-BUDGET");
        let mut principal = world.principal("ana");
        principal.scopes = crate::model::Scopes::none().with(Scope::Submit);
        let refusal = world.run_as(&principal, begin(&json!({}))).unwrap_err();
        assert_eq!(refusal.code, RefusalCode::ScopeMissing);
        let halt = crate::steps::Halt { is_lift: false, reason: None };
        world.run("pia", Command::Halt(halt)).unwrap();
        world.check("ana", begin(&json!({})), "refused TK-PROJECT-HALTED");
    }

    #[test]
    fn a_begun_task_may_come_back_and_its_first_pass_on_is_hop_one() {
        let mut world = World::new();
        world.run("ana", begin(&json!({}))).unwrap();
        world.advance(30 * 60);
        world.apply_due();
        assert_eq!(world.standing(), "offered to ana");
        world.check("ana", claim(world.newest()), "claimed by ana, fence 2");
        world.advance(1);
        world.check("ana", pass_on_with(&world, &json!({"goal": "next"})), "offered to ben");
        assert_eq!(world.handoff().facts.lineage, [world.id("ana")]);
    }

    #[test]
    fn a_person_that_begins_has_a_persons_lease() {
        let mut world = World::new();
        let answer = world.run("pia", begin(&json!({}))).unwrap();
        assert_eq!(answer.claim.unwrap().lease, "8h");
    }
}
