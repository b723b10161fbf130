//! The rule: what is known and what is asked, in; a change or a refusal, out. Pure.

use tasuki_packet::id::{HandoffId, PartyId};

use crate::command::Prepared;
use crate::model::change::Change;
use crate::model::context::Context;
use crate::model::directory::Directory;
use crate::model::state::{Key, Touched};
use crate::ports::store::Loaded;
use crate::prepare;
use crate::refusal::Refusal;
use crate::rules::fallback;
use crate::steps::system::{mark_delivered, outage, restore, undeliverable};
use crate::steps::{
    admin, ask, begin, cancel, checkpoint, claim, decision, release, request_approval,
    return_packet, revise, submit, verify,
};

/// Decides one command. Whoever wrote a secret hears that it was cut out.
pub fn decide(context: &Context<'_>, prepared: &Prepared) -> Result<Change, Refusal> {
    let mut change = step(context, prepared)?;
    change.answer.notes.extend(prepare::cut_out(prepared.cut()));
    Ok(change)
}

fn step(context: &Context<'_>, prepared: &Prepared) -> Result<Change, Refusal> {
    match prepared {
        Prepared::Begin(request, paper) => begin::decide(context, request, paper),
        Prepared::Submit(request, paper) => submit::decide(context, request, paper),
        Prepared::Revise(request, paper) => revise::revise(context, request, paper),
        Prepared::Ask(request, text) => ask::ask(context, request, text),
        Prepared::Answer(request, text, paper) => ask::answer(context, request, text, paper),
        Prepared::Decline(request, reason) => fallback::decline(context, request, reason),
        Prepared::Claim(request, _) => claim::decide(context, request),
        Prepared::Renew(request) => claim::renew(context, request),
        Prepared::Checkpoint(request, progress) => checkpoint::decide(context, request, progress),
        Prepared::Hold(request, action) => request_approval::decide(context, request, action),
        Prepared::Park(request, reason) => release::park(context, request, reason),
        Prepared::Release(request, reason) => release::release(context, request, reason),
        Prepared::Return(request, returning) => return_packet::decide(context, request, returning),
        Prepared::Verify(request, reason) => verify::decide(context, request, reason),
        Prepared::Accept(request, reason) => decision::accept(context, request, reason),
        Prepared::SignOff(request, reason) => decision::sign_off(context, request, reason),
        Prepared::Edit(request, edited, reason) => revise::edit(context, request, edited, reason),
        Prepared::Reject(request, reason) => decision::reject(context, request, reason),
        Prepared::Reroute(request, reason, onward) => {
            decision::reroute(context, request, reason, onward)
        }
        Prepared::Intercept(request, reason) => decision::intercept(context, request, reason),
        Prepared::Cancel(request, reason) => cancel::cancel(context, request, reason),
        Prepared::Redrive(request, reason) => fallback::redrive(context, request, reason),
        Prepared::Discard(request, reason) => fallback::discard(context, request, reason),
        Prepared::Halt(request, reason) => cancel::halt(context, request, reason),
        Prepared::AddParty(request) => admin::add_party(context, request),
        Prepared::CreateToken(request) => admin::create_token(context, request),
        Prepared::RevokeToken(request) => admin::revoke_token(context, *request),
        Prepared::AddSubscription(request) => admin::add_subscription(context, request),
        Prepared::DisableSubscription(request) => admin::disable_subscription(context, *request),
        Prepared::EnableSubscription(request) => admin::enable_subscription(context, *request),
        Prepared::RemoveSubscription(request) => admin::remove_subscription(context, *request),
        Prepared::RotateSecret(request) => admin::rotate_secret(context, *request),
        Prepared::PublishContract(record, published) => {
            admin::publish_contract(context, record, published)
        }
        Prepared::PublishGate(record, gate) => admin::publish_gate(context, record, gate),
        Prepared::SetRules(record, rules) => admin::set_rules(context, record, rules),
        Prepared::SetSettings(changes) => admin::set_settings(context, changes),
        Prepared::NoteRestore(restored) => restore::note_restore(context, *restored),
        Prepared::Resume(request) => outage::resume(context, *request),
        Prepared::Deliver(request) => mark_delivered::decide(context, request),
        Prepared::NoteUntold(request) => undeliverable::decide(context, request),
        Prepared::Settle => Ok(Change::default()),
        Prepared::Refused(refusal) => Err(Refusal::clone(refusal)),
    }
}

impl Prepared {
    /// How many secrets were cut out of what is no packet: packets have notes of their own.
    fn cut(&self) -> usize {
        match self {
            Self::Claim(_, cut) => *cut,
            Self::Ask(_, reason)
            | Self::Answer(_, reason, _)
            | Self::Decline(_, reason)
            | Self::Park(_, reason)
            | Self::Release(_, reason)
            | Self::Verify(_, reason)
            | Self::Accept(_, reason)
            | Self::SignOff(_, reason)
            | Self::Edit(_, _, reason)
            | Self::Reject(_, reason)
            | Self::Reroute(_, reason, _)
            | Self::Intercept(_, reason)
            | Self::Cancel(_, reason)
            | Self::Redrive(_, reason)
            | Self::Discard(_, reason)
            | Self::Halt(_, reason) => reason.cut,
            _ => 0,
        }
    }

    /// The packet that it brings.
    pub(crate) fn paper(&self) -> Option<&prepare::Paper> {
        match self {
            Self::Begin(_, paper)
            | Self::Submit(_, paper)
            | Self::Revise(_, paper)
            | Self::Answer(_, _, paper)
            | Self::Edit(_, revise::Edited::Packet(paper), _) => Some(paper),
            _ => None,
        }
    }

    /// Whether what was prepared depends on the policy of the project.
    pub(crate) fn follows_policy(&self) -> bool {
        !matches!(
            self,
            Self::Renew(_)
                | Self::AddParty(_)
                | Self::PublishContract(..)
                | Self::PublishGate(..)
                | Self::SetRules(..)
                | Self::SetSettings(_)
                | Self::NoteRestore(_)
                | Self::Resume(_)
                | Self::Deliver(_)
                | Self::NoteUntold(_)
                | Self::Settle
                | Self::Refused(_)
        )
    }

    /// Whether it is decided before the clock goes on: it says what the clock may do.
    pub(crate) fn comes_before_the_clock(&self) -> bool {
        matches!(self, Self::Resume(_))
    }

    /// Adds what must be loaded to decide this.
    pub fn touches(&self, directory: &Directory, caller: PartyId, touched: &mut Touched) {
        touched.handoffs.extend(self.handoff());
        match self {
            Self::Begin(_, paper) => {
                touched.tasks.extend(paper.task.clone());
                touched.open_count |= directory.settings.open_handoffs.is_some();
            }
            Self::Submit(request, paper) => {
                touched.open_count |= directory.settings.open_handoffs.is_some();
                // The same packet names the same task.
                match &paper.task {
                    Some(task) => touched.open_of_tasks.insert(task.clone()),
                    None => touched.fingerprints.insert(paper.fingerprint.clone()),
                };
                touched.handoffs.extend(paper.supersedes);
                touched.handoffs.extend(request.parent.map(|shown| shown.handoff));
            }
            Self::Redrive(..) => {
                touched.open_count |= directory.settings.open_handoffs.is_some();
            }
            Self::Claim(request, _) if request.handoff.is_none() => {
                touched.one_more_offer(directory.claims_for(caller));
            }
            // Offers to a role move on when nobody is left in it.
            Self::AddParty(request) if request.changes_members() => {
                touched.offers_of.extend(directory.find(&request.name).map(|role| role.id));
            }
            Self::Halt(request, _) if request.is_lift => {
                touched.claims_before_epoch = Some(u64::MAX);
            }
            _ => {}
        }
    }

    /// Adds what must be loaded besides, now that something is known.
    pub fn touches_further(&self, caller: PartyId, loaded: &Loaded, touched: &mut Touched) {
        // A dead one must not come back beside a live one of the same task.
        if let Self::Redrive(request, _) = self {
            let dead = loaded.handoffs.iter().find(|handoff| handoff.id == request.handoff);
            touched.tasks.extend(dead.map(|handoff| handoff.facts.task.clone()));
        }
        // The same key is the same claim, also where the next one is asked for.
        if let Some(key) = self.claim_key(caller) {
            let known = loaded.remembered.iter().filter(|(known, _)| *known == key);
            let claims = known.filter_map(|(_, remembered)| remembered.answer.claim.as_ref());
            touched
                .handoffs
                .extend(claims.filter_map(|claim| claim.handoff.parse::<HandoffId>().ok()));
        }
    }

    /// The key under which a claim of the next one is found again.
    pub fn claim_key(&self, caller: PartyId) -> Option<Key> {
        match self {
            Self::Claim(claim::Request { handoff: None, key: Some(key), .. }, _) => {
                Some(Key { party: caller, command: "claim_next", key: key.clone() })
            }
            _ => None,
        }
    }

    /// The handoff that it is about.
    fn handoff(&self) -> Option<HandoffId> {
        match self {
            Self::Revise(request, _) => Some(request.handoff),
            Self::Ask(request, _) => Some(request.handoff),
            Self::Answer(request, ..) => Some(request.handoff),
            Self::Decline(request, _) => Some(request.handoff),
            Self::Claim(request, _) => request.handoff,
            Self::Renew(request) => Some(request.shown.handoff),
            Self::Checkpoint(request, _) => Some(request.shown.handoff),
            Self::Hold(request, _) => Some(request.shown.handoff),
            Self::Park(request, _) => Some(request.shown.handoff),
            Self::Release(request, _) => Some(request.shown.handoff),
            Self::Return(request, _) => Some(request.shown.handoff),
            Self::Verify(request, _) => Some(request.handoff),
            Self::Accept(request, _) => Some(request.handoff),
            Self::SignOff(request, _) => Some(request.handoff),
            Self::Edit(request, ..) => Some(request.handoff),
            Self::Reject(request, _) => Some(request.handoff),
            Self::Reroute(request, ..) => Some(request.handoff),
            Self::Intercept(request, _) => Some(request.handoff),
            Self::Cancel(request, _) => Some(request.handoff),
            Self::Redrive(request, _) | Self::Discard(request, _) => Some(request.handoff),
            Self::Deliver(request) => Some(request.handoff),
            Self::NoteUntold(request) => Some(request.wait.handoff),
            _ => None,
        }
    }
}
