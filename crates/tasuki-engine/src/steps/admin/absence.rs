//! A person is away while another one stands in for them, and comes back.
//!
//! The person says so themselves, or a person who operates the project does. The absence has an
//! end, so that no deputy stays by mistake.

use jiff::Timestamp;
use serde::Serialize;
use tasuki_packet::leaf::{Authentication, EventType};

use crate::limits::ABSENCE_MAX;
use crate::model::context::later;
use crate::model::{Absence, Change, Context, Party, PartyKind, Record, Scope};
use crate::prepare::input::PrepareInput;
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::authorization;
use crate::rules::scopes::RequiredScopes;
use crate::steps::Step;
use crate::steps::step::PreparedStep;
use crate::view;

/// The scopes of a person for their own absence, and of an operator for that of others.
const SCOPES: RequiredScopes = RequiredScopes::Any(&[Scope::Admin, Scope::Decide]);

/// Begins the absence of a person. A second one replaces the first.
#[derive(Debug, Clone, Serialize)]
pub struct BeginAbsence {
    /// The name of the person.
    pub person: String,
    /// The name of the person who stands in.
    pub deputy: String,
    /// The beginning; now by default.
    pub from: Option<Timestamp>,
    /// The end.
    pub until: Timestamp,
}

/// Ends the absence of a person before its time.
#[derive(Debug, Clone, Serialize)]
pub struct EndAbsence {
    /// The name of the person.
    pub person: String,
}

impl Step for BeginAbsence {
    const NAME: &'static str = "begin_absence";
    const SCOPES: RequiredScopes = SCOPES;
    type Prepared = Self;

    fn prepare(&self, _: &PrepareInput) -> Result<Self, Refusal> {
        Ok(self.clone())
    }
}

impl PreparedStep for BeginAbsence {
    fn depends_on_policy(&self) -> bool {
        false
    }

    fn decide(&self, context: &Context<'_>) -> Result<Change, Refusal> {
        begin(context, self)
    }
}

impl Step for EndAbsence {
    const NAME: &'static str = "end_absence";
    const SCOPES: RequiredScopes = SCOPES;
    type Prepared = Self;

    fn prepare(&self, _: &PrepareInput) -> Result<Self, Refusal> {
        Ok(self.clone())
    }
}

impl PreparedStep for EndAbsence {
    fn depends_on_policy(&self) -> bool {
        false
    }

    fn decide(&self, context: &Context<'_>) -> Result<Change, Refusal> {
        end(context, self)
    }
}

fn begin(context: &Context<'_>, request: &BeginAbsence) -> Result<Change, Refusal> {
    let person = person(context, &request.person)?;
    let deputy = human(context, &request.deputy, "a deputy decides, and must be a person")?;
    let from = request.from.unwrap_or(context.now).max(context.now);
    let until = request.until;
    must_be_bounded(context, from, until)?;
    must_be_available(person, deputy, (from, until))?;
    let absence = Absence { deputy: deputy.id, from, until };
    let mut after = person.clone();
    after.absence = Some(absence);
    let mut change = Change::default();
    record(context, EventType::PartyAway, after, &mut change)
        .with("deputy", deputy.id)
        .with("from", from)
        .with("until", until);
    change.answer.notes.extend(represented(context, person, (from, until)));
    Ok(change)
}

fn end(context: &Context<'_>, request: &EndAbsence) -> Result<Change, Refusal> {
    let person = person(context, &request.person)?;
    let mut change = Change::default();
    if person.absence.is_none_or(|absence| absence.until <= context.now) {
        let card = view::party_card(&context.state.directory, person);
        change.answer.party = Some(Box::new(card));
        change.answer.repeated = true;
        return Ok(change);
    }
    let mut after = person.clone();
    after.absence = None;
    record(context, EventType::PartyBack, after, &mut change);
    Ok(change)
}

/// Returns the person, if the caller may speak for them: they are it, or a person who operates the
/// project. An agent could otherwise choose who decides about its work.
fn person<'a>(context: &'a Context<'_>, name: &str) -> Result<&'a Party, Refusal> {
    let principal = context.principal;
    let party = human(context, name, "only people have deputies")?;
    if principal.is_human() && principal.party == party.id {
        return Ok(party);
    }
    authorization::operator(context)?;
    if principal.is_human() || principal.authentication != Authentication::Token {
        return Ok(party);
    }
    let own = context.state.directory.name(principal.party);
    let message = format!("`{own}` is an agent and cannot name the deputy of a person");
    Err(Refusal::new(RefusalCode::PersonNeeded, message)
        .hint(format!("ask `{}`, or a person with the scope `admin`", party.name)))
}

fn human<'a>(context: &'a Context<'_>, name: &str, why: &str) -> Result<&'a Party, Refusal> {
    let party = context.state.directory.find(name)?;
    if party.kind == PartyKind::Human {
        return Ok(party);
    }
    let message = format!("`{}` is not a person; {why}", party.name);
    Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
        .hint("`tasuki party list` shows the people"))
}

/// Requires an end that is after the beginning and not too late.
fn must_be_bounded(
    context: &Context<'_>,
    from: Timestamp,
    until: Timestamp,
) -> Result<(), Refusal> {
    if until <= from {
        let message = format!("the absence would end at {until:.0}, before it begins");
        return Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
            .hint(format!("choose an end after {from:.0}")));
    }
    let latest = later(context.now, ABSENCE_MAX);
    if until > latest {
        let message = format!("an absence lasts at most {ABSENCE_MAX}, not until {until:.0}");
        return Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
            .hint(format!("choose an end before {latest:.0}, and renew it when it comes")));
    }
    Ok(())
}

/// Refuses a deputy who is the person, or is away at the same time.
fn must_be_available(
    person: &Party,
    deputy: &Party,
    (from, until): (Timestamp, Timestamp),
) -> Result<(), Refusal> {
    if person.id == deputy.id {
        let message = format!("`{}` cannot be their own deputy", person.name);
        return Err(Refusal::new(RefusalCode::ArgumentInvalid, message).hint("name another person"));
    }
    let Some(away) = deputy.absence.filter(|absence| absence.overlaps(from, until)) else {
        return Ok(());
    };
    let message = format!(
        "`{}` is away from {:.0} until {:.0} and cannot stand in then",
        deputy.name, away.from, away.until
    );
    Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
        .hint("name another person; a deputy has no deputy"))
}

/// Says for whom the person stands in meanwhile: no one does that in their place.
fn represented(
    context: &Context<'_>,
    person: &Party,
    (from, until): (Timestamp, Timestamp),
) -> Option<String> {
    let is_left = |other: &&Party| {
        let own = other.absence.filter(|absence| absence.deputy == person.id);
        own.is_some_and(|absence| absence.overlaps(from, until))
    };
    let left: Vec<String> = context
        .state
        .directory
        .people()
        .filter(is_left)
        .map(|other| format!("`{}`", other.name))
        .collect();
    (!left.is_empty()).then(|| {
        let left = left.join(", ");
        format!("`{}` stands in for {left} then, and no one does so meanwhile", person.name)
    })
}

/// Records the new state of a person, and returns the event.
fn record<'c>(
    context: &Context<'_>,
    kind: EventType,
    party: Party,
    change: &'c mut Change,
) -> &'c mut crate::model::Event {
    let card = view::party_card(&context.state.directory, &party);
    change.answer.party = Some(Box::new(card));
    let stated = party.commitment(&context.state.head);
    let (id, word) = (party.id, party.kind.as_str());
    change.records.push(Record::Party(party));
    change
        .record_project_event(kind, context.actor())
        .with("party", id)
        .with("kind", word)
        .with("stated", stated)
}
