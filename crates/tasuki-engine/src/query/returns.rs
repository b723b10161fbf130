//! Return packets and their verdicts, open questions and claim statements.
//!
//! A handoff whose work was passed on also has the returns of its descendants, so that every sender
//! up the chain can read the result.

use serde_json::Value;
use tasuki_api as api;
use tasuki_packet::leaf::EventType;

use crate::error::{Error, Fault, FaultKind};
use crate::limits::CHAIN_READ_MAX;
use crate::model::{DocumentKind, Handoff};
use crate::ports::{LeafRow, Stored};
use crate::query::continuation::{Reader, body, text};
use crate::query::decisions::opened;
use crate::query::events::event;
use crate::refusal::Refusal;
use crate::rules::authorization;

impl Reader<'_> {
    /// Returns the last return packet, if the caller may read it.
    pub async fn last_return(&self, handoff: &Handoff) -> Result<Option<api::Return>, Error> {
        Ok(self.returns(handoff).await?.into_iter().next())
    }

    /// Returns all return packets, newest first. Those further down the chain are left out if a
    /// gate hides them from the caller.
    pub async fn returns(&self, handoff: &Handoff) -> Result<Vec<api::Return>, Error> {
        self.allowed_returns(handoff)?;
        let mut returns = self.returns_on(handoff).await?;
        let mut child = handoff.progress.child;
        for _ in 1..CHAIN_READ_MAX {
            let Some(id) = child else { break };
            let Some(below) = self.store.handoff(self.project, id).await? else { break };
            if self.allowed_returns(&below).is_ok() {
                returns.extend(self.returns_on(&below).await?);
            }
            child = below.progress.child;
        }
        // Work is passed on once, so returns further down the chain came later.
        returns.reverse();
        Ok(returns)
    }

    /// Returns the unanswered questions, with their texts.
    pub async fn open_questions(&self, handoff: &Handoff) -> Result<Vec<api::OpenQuestion>, Error> {
        self.allowed(handoff, handoff.facts.revision)?;
        let open = &handoff.progress.questions;
        if open.is_empty() {
            return Ok(Vec::new());
        }
        let directory = &*self.directory;
        let stored = self.documents(handoff, Some(DocumentKind::Question)).await?;
        let mut questions = Vec::with_capacity(open.len());
        for question in open {
            let id = question.id.to_string();
            let asked = stored.iter().find(|one| one.document.id == id).map(body).transpose()?;
            let member = |name: &str| asked.as_ref().and_then(|asked| text(asked, name));
            questions.push(api::OpenQuestion {
                by: directory.name(question.by),
                question: member("question").unwrap_or_default(),
                field: member("field"),
                blocking: question.is_blocking,
                id,
            });
        }
        Ok(questions)
    }

    /// Returns the decisions about a handoff, oldest first, with what each person stated.
    pub async fn decisions(&self, handoff: &Handoff) -> Result<Vec<api::DecisionSummary>, Error> {
        self.allowed(handoff, handoff.facts.revision)?;
        let stored = self.documents(handoff, Some(DocumentKind::Decision)).await?;
        if stored.is_empty() {
            return Ok(Vec::new());
        }
        let leaves = self.store.leaves_of(self.project, handoff.id).await?;
        let mut decisions = Vec::with_capacity(stored.len());
        for one in &stored {
            let Some(row) = leaves.iter().find(|row| row.n == one.n) else { continue };
            decisions.push(decision(one, row)?);
        }
        Ok(decisions)
    }

    /// Returns the latest decision about an action of a holder, with the action that may be run.
    pub async fn approval(&self, handoff: &Handoff) -> Result<Option<api::Approval>, Error> {
        self.allowed(handoff, handoff.facts.revision)?;
        let actions = self.documents(handoff, Some(DocumentKind::Action)).await?;
        if actions.is_empty() {
            return Ok(None);
        }
        let stored = self.documents(handoff, Some(DocumentKind::Decision)).await?;
        for one in stored.iter().rev() {
            if let Some((decided, digests)) = about_action(&body(one)?, &actions) {
                let event = self.event_of(one).await?;
                let find = |action: &&Stored| action.document.sealed.digest == digests.approved;
                let action = actions.iter().find(find).map(body).transpose()?;
                return Ok(Some(api::Approval {
                    decision: one.document.id.clone(),
                    result: decided,
                    by: event.actor,
                    at: event.at,
                    reason: event.reason,
                    requested: digests.requested,
                    action: action.filter(|_| decided != api::ApprovalResult::Rejected),
                }));
            }
        }
        Ok(None)
    }

    /// Returns the decisions about a handoff, or none if the caller may not read its packet.
    ///
    /// # Errors
    ///
    /// Fails if the store cannot be read.
    pub async fn decisions_if_allowed(
        &self,
        handoff: &Handoff,
    ) -> Result<Vec<api::DecisionSummary>, Error> {
        match self.decisions(handoff).await {
            Err(Error::Refused(_)) => Ok(Vec::new()),
            decisions => decisions,
        }
    }

    /// Returns the statement of the newest claimer, but not that of an earlier one.
    pub async fn said_on_claim(
        &self,
        handoff: &Handoff,
    ) -> Result<Option<api::ClaimStatement>, Error> {
        self.allowed(handoff, handoff.facts.revision)?;
        let stored = self.documents(handoff, Some(DocumentKind::Claim)).await?;
        let Some(stored) = stored.last() else { return Ok(None) };
        let (statement, claimed) = (body(stored)?, self.event_of(stored).await?);
        let member = |name: &str| statement.get(name).filter(|value| !value.is_null()).cloned();
        let (read_back, drift) = (member("read_back"), member("drift"));
        let fence = claimed.attributes.get("fence").and_then(Value::as_u64);
        if fence != Some(handoff.progress.fence) || read_back.is_none() && drift.is_none() {
            return Ok(None);
        }
        let id = stored.document.id.clone();
        Ok(Some(api::ClaimStatement { id, by: claimed.actor, at: claimed.at, read_back, drift }))
    }

    fn allowed_returns(&self, handoff: &Handoff) -> Result<(), Refusal> {
        authorization::return_reader(&self.directory, self.principal, handoff, self.now)
    }

    /// Returns the return packets of this handoff, oldest first.
    async fn returns_on(&self, handoff: &Handoff) -> Result<Vec<api::Return>, Error> {
        let stored = self.documents(handoff, Some(DocumentKind::Return)).await?;
        if stored.is_empty() {
            return Ok(Vec::new());
        }
        let verdicts = self.documents(handoff, Some(DocumentKind::Verdict)).await?;
        let mut returns = Vec::with_capacity(stored.len());
        for (at, one) in stored.iter().enumerate() {
            let until = stored.get(at + 1).map_or(u64::MAX, |next| next.n);
            // Each return has at most one verdict, which comes before the next return.
            let verdict = verdicts.iter().find(|verdict| (one.n..until).contains(&verdict.n));
            returns.push(self.one_return(one, verdict).await?);
        }
        Ok(returns)
    }

    async fn one_return(
        &self,
        stored: &Stored,
        verdict: Option<&Stored>,
    ) -> Result<api::Return, Error> {
        let returned = self.event_of(stored).await?;
        let verdict = match verdict {
            Some(verdict) => Some(self.judged(verdict).await?),
            None => None,
        };
        let document = &stored.document;
        Ok(api::Return {
            id: document.id.clone(),
            handoff: document.handoff.to_string(),
            by: returned.actor,
            at: returned.at,
            digest: document.sealed.digest.clone(),
            packet: body(stored)?,
            verdict,
        })
    }

    async fn judged(&self, stored: &Stored) -> Result<api::Verdict, Error> {
        let (judged, verdict) = (self.event_of(stored).await?, body(stored)?);
        Ok(api::Verdict {
            id: stored.document.id.clone(),
            result: text(&verdict, "result").unwrap_or_default(),
            by: text(&verdict, "by").unwrap_or(judged.actor),
            at: judged.at,
            reason: text(&verdict, "reason"),
            opened: opened(&verdict),
            seconds: verdict["seconds"].as_u64(),
            found: verdict.get("verdict").filter(|found: &&Value| !found.is_null()).cloned(),
        })
    }

    /// Returns the event that added a document.
    pub(super) async fn event_of(&self, stored: &Stored) -> Result<api::Event, Fault> {
        let rows = self.store.leaves(self.project, stored.n, 1).await?;
        let row = rows.first().filter(|row| row.n == stored.n);
        let gone = || Fault::new(FaultKind::Corrupt, format!("leaf {} is missing", stored.n));
        event(row.ok_or_else(gone)?)
    }
}

/// Returns a decision from its document and its leaf.
fn decision(stored: &Stored, row: &LeafRow) -> Result<api::DecisionSummary, Error> {
    let (document, event) = (body(stored)?, event(row)?);
    let word = text(&document, "decision").unwrap_or_default();
    // A denial does not reject the handoff; the gate may still be signed.
    let word = if row.kind == EventType::Denied { "deny".to_owned() } else { word };
    Ok(api::DecisionSummary {
        id: stored.document.id.clone(),
        decision: word,
        by: event.actor,
        on_behalf_of: event.on_behalf_of,
        at: row.at,
        revision: document["revision"].as_u64(),
        digest: text(&document, "digest"),
        reason: text(&document, "reason"),
        meaning: text(&document, "meaning"),
        gate: text(&document, "gate"),
        opened: opened(&document),
        seconds: document["seconds"].as_u64(),
    })
}

/// The digests of the action that a holder asked for and of the one that it may run.
struct ActionDigests {
    requested: String,
    approved: String,
}

/// Returns the result of a decision, if it is about one of these actions.
fn about_action(
    decision: &Value,
    actions: &[Stored],
) -> Option<(api::ApprovalResult, ActionDigests)> {
    let result = match decision["decision"].as_str()? {
        "accept" => api::ApprovalResult::Approved,
        "edit" => api::ApprovalResult::Edited,
        "reject" => api::ApprovalResult::Rejected,
        _ => return None,
    };
    let requested = decision["digest"].as_str()?.to_owned();
    let is_known = actions.iter().any(|action| action.document.sealed.digest == requested);
    let edited = decision["action"].as_str().map(str::to_owned);
    let approved = edited.unwrap_or_else(|| requested.clone());
    is_known.then_some((result, ActionDigests { requested, approved }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::command::Command;
    use crate::model::PartyKind;
    use crate::rules::authorization::{reader, return_reader};
    use crate::steps::{SeenVersion, SignOff};
    use crate::testing::{World, claim, pass_on_with, return_packet, submit, verdict};

    /// Creates work that `ana` gave to `ben` and `ben` to `cem` behind a gate, now in rework.
    fn reworked() -> World {
        let mut world = World::new();
        world.add("dov", PartyKind::Agent);
        world.gate(json!({
            "gate": "release", "version": "1.0",
            "factors": [{ "name": "people", "roles": ["people"], "approvals": 1 }],
        }));
        world.contract(&json!({ "from": ["ben"], "to": ["cem"], "gates": ["release"] }));
        world.done("ana", submit(&json!({})));
        world.done("ben", claim(world.newest()));
        world.advance(1);
        let further = json!({ "to_agent": "cem", "return_required": ["status"] });
        world.done("ben", pass_on_with(&world, &further));
        let (handoff, seen) =
            (world.newest(), SeenVersion::at(&world.state.directory, world.handoff()));
        let (gate, meaning, is_denial, reason) = (None, None, false, None);
        let signed = SignOff { handoff, gate, meaning, is_denial, seen, reason };
        world.run_as(&world.signed_in("pia"), Command::SignOff(signed)).unwrap();
        world.done("cem", claim(handoff));
        let shown = world.shown();
        world.done("cem", return_packet(shown, &json!({})));
        world.check("ben", verdict(&world, handoff, false), "offered to cem");
        world
    }

    #[test]
    fn every_sender_up_the_chain_reads_the_returns_even_behind_a_gate() {
        let world = reworked();
        let mut handoff = world.handoff().clone();
        // As if the signature had expired by now.
        handoff.progress.signatures.clear();
        let (directory, now) = (&world.state.directory, world.now);
        let readers = |may_read: &dyn Fn(&crate::model::Principal) -> bool| -> Vec<&str> {
            let names = ["ana", "ben", "cem", "dov", "pia"];
            names.into_iter().filter(|name| may_read(&world.principal(name))).collect()
        };
        let packet = readers(&|own| reader(directory, own, &handoff, 1, now).is_ok());
        assert_eq!(packet, ["ben", "pia"]);
        let returned = readers(&|own| return_reader(directory, own, &handoff, now).is_ok());
        assert_eq!(returned, ["ana", "ben", "pia"]);
        let blind = crate::model::Scopes::none();
        let blind = crate::model::Principal { scopes: blind, ..world.principal("ana") };
        assert!(return_reader(directory, &blind, &handoff, now).is_err());
    }
}
