//! Adds, disables, enables and removes subscriptions, and rotates their secrets.

use serde::Serialize;
use tasuki_api::Secret;
use tasuki_packet::id::SubscriptionId;
use tasuki_packet::leaf::EventType;

use crate::limits::{FILTER_BYTES_MAX, SECRET_OVERLAP, SUBSCRIPTIONS_MAX};
use crate::model::context::later;
use crate::model::directory::address::{must_be_email, must_be_topic, must_be_url};
use crate::model::event_filter;
use crate::model::{
    Change, Channel, Context, DisableReason, EventFilter, Party, Record, Scope, Signing,
    SigningSecret, Status, SubscriptionRecord,
};
use crate::prepare::input::PrepareInput;
use crate::refusal::{Refusal, RefusalCode};
use crate::rules::authorization;
use crate::rules::scopes::{self, OWN_SUBSCRIPTIONS, RequiredScopes};
use crate::steps::Step;
use crate::steps::step::PreparedStep;
use crate::view;

/// LIMIT: characters of an access token.
const TOKEN_CHARACTERS_MAX: usize = 256;

/// Adds a subscription.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AddSubscription {
    /// The name of the party to notify.
    pub party: String,
    /// The channel.
    pub channel: NewChannel,
    /// The filter of events.
    pub filter: EventFilter,
}

impl Step for AddSubscription {
    const NAME: &'static str = "add_subscription";
    const SCOPES: RequiredScopes = OWN_SUBSCRIPTIONS;
    type Prepared = Self;

    fn prepare(&self, _: &PrepareInput) -> Result<Self, Refusal> {
        Ok(self.clone())
    }
}

impl PreparedStep for AddSubscription {
    fn decide(&self, context: &Context<'_>) -> Result<Change, Refusal> {
        add_subscription(context, self)
    }
}

/// The channel of a new subscription.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub enum NewChannel {
    /// A signed request. The secret is generated.
    Webhook {
        /// The address of the endpoint.
        url: String,
        /// The kind of signature.
        signing: Signing,
    },
    /// An email.
    Email {
        /// The address of the mailbox.
        address: String,
    },
    /// A message in a Slack channel.
    Slack {
        /// The URL of the incoming webhook.
        url: Secret,
    },
    /// A push message by ntfy.
    Ntfy {
        /// The URL of the topic.
        url: Secret,
        /// The access token of the ntfy server.
        token: Option<Secret>,
    },
}

/// The events that a chat is told of unless the subscription has a filter: those that leave work to
/// people.
const CHAT_EVENTS: [EventType; 4] =
    [EventType::Held, EventType::Asked, EventType::MovedOn, EventType::Died];

/// Disables a subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DisableSubscription {
    /// The subscription.
    pub subscription: SubscriptionId,
    /// The reason.
    pub because: DisableReason,
}

impl Step for DisableSubscription {
    const NAME: &'static str = "disable_subscription";
    const SCOPES: RequiredScopes = OWN_SUBSCRIPTIONS;
    type Prepared = Self;

    fn prepare(&self, _: &PrepareInput) -> Result<Self, Refusal> {
        Ok(*self)
    }
}

impl PreparedStep for DisableSubscription {
    fn decide(&self, context: &Context<'_>) -> Result<Change, Refusal> {
        disable_subscription(context, *self)
    }
}

/// Enables a subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct EnableSubscription {
    /// The subscription.
    pub subscription: SubscriptionId,
}

impl Step for EnableSubscription {
    const NAME: &'static str = "enable_subscription";
    const SCOPES: RequiredScopes = OWN_SUBSCRIPTIONS;
    type Prepared = Self;

    fn prepare(&self, _: &PrepareInput) -> Result<Self, Refusal> {
        Ok(*self)
    }
}

impl PreparedStep for EnableSubscription {
    fn decide(&self, context: &Context<'_>) -> Result<Change, Refusal> {
        enable_subscription(context, *self)
    }
}

/// Removes a subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RemoveSubscription {
    /// The subscription.
    pub subscription: SubscriptionId,
}

impl Step for RemoveSubscription {
    const NAME: &'static str = "remove_subscription";
    const SCOPES: RequiredScopes = OWN_SUBSCRIPTIONS;
    type Prepared = Self;

    fn prepare(&self, _: &PrepareInput) -> Result<Self, Refusal> {
        Ok(*self)
    }
}

impl PreparedStep for RemoveSubscription {
    fn decide(&self, context: &Context<'_>) -> Result<Change, Refusal> {
        remove_subscription(context, *self)
    }
}

/// Rotates the secret of a webhook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct RotateSecret {
    /// The subscription.
    pub subscription: SubscriptionId,
}

impl Step for RotateSecret {
    const NAME: &'static str = "rotate_secret";
    const SCOPES: RequiredScopes = OWN_SUBSCRIPTIONS;
    type Prepared = Self;

    fn prepare(&self, _: &PrepareInput) -> Result<Self, Refusal> {
        Ok(*self)
    }
}

impl PreparedStep for RotateSecret {
    fn decide(&self, context: &Context<'_>) -> Result<Change, Refusal> {
        rotate_secret(context, *self)
    }
}

/// Decides the addition of a subscription.
fn add_subscription(context: &Context<'_>, request: &AddSubscription) -> Result<Change, Refusal> {
    let directory = &context.state.directory;
    let party = may_add(context, request)?;
    if directory.subscriptions().len() >= SUBSCRIPTIONS_MAX {
        let message =
            format!("the project has {SUBSCRIPTIONS_MAX} subscriptions, which is the limit");
        return Err(
            Refusal::new(RefusalCode::ArgumentInvalid, message).hint("remove unused subscriptions")
        );
    }
    event_filter::check_words(&request.filter)?;
    let length = serde_json::Value::Object(request.filter.members()).to_string().len();
    if length > FILTER_BYTES_MAX {
        let message = format!("the filter has {length} bytes; the limit is {FILTER_BYTES_MAX}");
        return Err(Refusal::new(RefusalCode::ArgumentInvalid, message)
            .hint("split it into two subscriptions"));
    }
    let (channel, secret) = channel(context, &request.channel)?;
    let mut filter = request.filter.clone();
    let is_chat = matches!(channel, Channel::Slack { .. } | Channel::Ntfy { .. });
    if is_chat && filter == EventFilter::default() {
        filter.kinds = CHAT_EVENTS.to_vec();
    }
    let record = SubscriptionRecord {
        id: context.seed.id("subscription", context.now),
        party: party.id,
        channel,
        filter,
        created_at: context.now,
        // Delivery starts after the leaf that adds the subscription.
        from: context.state.head.leaves + 1,
        status: Status::Active,
    };
    let mut change = Change::default();
    change
        .record_project_event(EventType::SubscriptionAdded, context.actor())
        .with("subscription", record.id)
        .with("party", party.id)
        .with("kind", record.channel.as_str());
    put(context, record, secret, &mut change);
    Ok(change)
}

/// Returns the checked channel, and the secret of a webhook.
fn channel(
    context: &Context<'_>,
    channel: &NewChannel,
) -> Result<(Channel, Option<Secret>), Refusal> {
    Ok(match channel.clone() {
        NewChannel::Webhook { url, signing } => {
            must_be_url(&url)?;
            let secret = new_secret(context, signing);
            let secrets = vec![SigningSecret { secret: secret.clone(), until: None }];
            (Channel::Webhook { url, secrets }, Some(secret))
        }
        NewChannel::Email { address } => {
            must_be_email(&address)?;
            (Channel::Email { address }, None)
        }
        NewChannel::Slack { url } => {
            must_be_url(&url.0)?;
            (Channel::Slack { url }, None)
        }
        NewChannel::Ntfy { url, token } => {
            must_be_topic(&url.0)?;
            (Channel::Ntfy { url, token: checked_token(token)? }, None)
        }
    })
}

/// Refuses an access token that a header cannot carry.
fn checked_token(token: Option<Secret>) -> Result<Option<Secret>, Refusal> {
    let is_plain = |token: &Secret| {
        (1..=TOKEN_CHARACTERS_MAX).contains(&token.0.len())
            && token.0.bytes().all(|b| b.is_ascii_graphic())
    };
    if token.as_ref().is_none_or(is_plain) {
        return Ok(token);
    }
    Err(Refusal::new(RefusalCode::ArgumentInvalid, "invalid access token of an ntfy server")
        .hint("use the token as the ntfy server printed it: `tk_…`"))
}

/// Decides to disable a subscription.
fn disable_subscription(
    context: &Context<'_>,
    request: DisableSubscription,
) -> Result<Change, Refusal> {
    let mut record = find(context, request.subscription)?;
    if !record.is_active() {
        return Ok(nothing(context, &record));
    }
    record.status = Status::Disabled { at: context.now, because: request.because };
    let mut change = Change::default();
    change
        .record_project_event(EventType::SubscriptionDisabled, context.actor())
        .with("subscription", record.id)
        .with("because", request.because.as_str());
    put(context, record, None, &mut change);
    Ok(change)
}

/// Decides to enable a subscription, which continues at its cursor.
fn enable_subscription(
    context: &Context<'_>,
    request: EnableSubscription,
) -> Result<Change, Refusal> {
    let mut record = find(context, request.subscription)?;
    if record.is_active() {
        return Ok(nothing(context, &record));
    }
    record.status = Status::Active;
    let mut change = changed(context, &record, "enabled");
    put(context, record, None, &mut change);
    Ok(change)
}

/// Decides to remove a subscription, with its address and secrets.
fn remove_subscription(
    context: &Context<'_>,
    request: RemoveSubscription,
) -> Result<Change, Refusal> {
    let mut record = find(context, request.subscription)?;
    record.status = Status::Removed { at: context.now };
    record.channel = Channel::None {};
    let mut change = Change::default();
    change
        .record_project_event(EventType::SubscriptionRemoved, context.actor())
        .with("subscription", record.id);
    put(context, record, None, &mut change);
    Ok(change)
}

/// Decides a rotation: a webhook is signed with the new secret, and for a day with the old one too.
fn rotate_secret(context: &Context<'_>, request: RotateSecret) -> Result<Change, Refusal> {
    let mut record = find(context, request.subscription)?;
    let Channel::Webhook { secrets, .. } = &mut record.channel else {
        let message = format!("subscription {} is not a webhook and has no secret", record.id);
        return Err(
            Refusal::new(RefusalCode::ArgumentInvalid, message).hint("only webhooks are signed")
        );
    };
    let signing = secrets.first().map_or(Signing::Shared, SigningSecret::signing);
    let secret = new_secret(context, signing);
    // Of two rotations within a day, only the last secret is kept beside the new one.
    secrets.truncate(1);
    for old in secrets.iter_mut() {
        old.until = Some(later(context.now, SECRET_OVERLAP));
    }
    secrets.insert(0, SigningSecret { secret: secret.clone(), until: None });
    let mut change = changed(context, &record, "secret");
    put(context, record, Some(secret), &mut change);
    Ok(change)
}

/// Returns the party of a new subscription. A person without the scope `admin` is notified at their
/// own address only, so that the exchange sends no mail to strangers.
fn may_add<'a>(context: &'a Context<'_>, request: &AddSubscription) -> Result<&'a Party, Refusal> {
    let directory = &context.state.directory;
    scopes::require(context.principal, OWN_SUBSCRIPTIONS)?;
    let party = directory.find(&request.party)?;
    authorization::subscription(context, party.id)?;
    let is_operator = context.principal.scopes.has(Scope::Admin);
    match &request.channel {
        NewChannel::Email { address }
            if !is_operator && party.channels.email.as_ref() != Some(address) =>
        {
            let message = format!("this is not the email address of `{}`", party.name);
            Err(Refusal::new(RefusalCode::NotAllowed, message).hint(format!(
                "an operator sets it with `tasuki party add {} --email ADDRESS`",
                party.name
            )))
        }
        NewChannel::Email { .. }
        | NewChannel::Webhook { .. }
        | NewChannel::Slack { .. }
        | NewChannel::Ntfy { .. } => Ok(party),
    }
}

/// Returns a subscription that the caller manages. Those of other parties do not exist for it.
fn find(context: &Context<'_>, id: SubscriptionId) -> Result<SubscriptionRecord, Refusal> {
    scopes::require(context.principal, OWN_SUBSCRIPTIONS)?;
    let is_managed = |record: &&SubscriptionRecord| {
        authorization::manages_subscriptions_of(context.principal, record.party)
    };
    context.state.directory.subscription(id).filter(is_managed).cloned().ok_or_else(|| {
        Refusal::new(RefusalCode::SubscriptionUnknown, format!("unknown subscription {id}"))
            .hint("it may have been removed; `tasuki subscription list` lists them")
    })
}

fn changed(context: &Context<'_>, record: &SubscriptionRecord, what: &'static str) -> Change {
    let mut change = Change::default();
    change
        .record_project_event(EventType::SubscriptionChanged, context.actor())
        .with("subscription", record.id)
        .with("change", what);
    change
}

fn nothing(context: &Context<'_>, record: &SubscriptionRecord) -> Change {
    let mut change = Change::default();
    change.answer.subscription =
        Some(Box::new(view::subscription(&context.state.directory, record)));
    change.answer.repeated = true;
    change
}

/// Stores the record. A new secret is in the response once. For a key pair the receiver needs only
/// the public half, which is not secret.
fn put(
    context: &Context<'_>,
    record: SubscriptionRecord,
    secret: Option<Secret>,
    change: &mut Change,
) {
    let mut answer = view::subscription(&context.state.directory, &record);
    answer.secret = secret.filter(|_| answer.public_key.is_none());
    change.answer.subscription = Some(Box::new(answer));
    change.records.push(Record::Subscription(Box::new(record)));
}

/// Returns 32 random bytes in the encoding of Standard Webhooks.
fn new_secret(context: &Context<'_>, signing: Signing) -> Secret {
    use base64::Engine as _;
    let bytes = context.seed.salt("webhook secret");
    let text = base64::engine::general_purpose::STANDARD.encode(bytes);
    Secret(format!("{}{text}", signing.prefix()))
}

#[cfg(test)]
mod tests {
    use tasuki_api as api;

    use super::*;
    use crate::command::Command;
    use crate::testing::World;

    const URL: &str = "https://example.org/hooks";

    fn webhook(url: &str) -> AddSubscription {
        AddSubscription {
            party: "ana".to_owned(),
            channel: NewChannel::Webhook { url: url.to_owned(), signing: Signing::Shared },
            filter: EventFilter { task: Some("task-1".to_owned()), ..EventFilter::default() },
        }
    }

    fn add(world: &mut World, request: AddSubscription) -> (SubscriptionId, api::Subscription) {
        let answer = world.run("pia", Command::AddSubscription(request)).unwrap();
        let shown = answer.subscription.unwrap();
        (shown.id.parse().unwrap(), *shown)
    }

    fn record(world: &World, subscription: SubscriptionId) -> SubscriptionRecord {
        world.state.directory.subscription(subscription).unwrap().clone()
    }

    #[test]
    fn a_webhook_has_a_secret_that_is_shown_once() {
        let mut world = World::new();
        let leaves = world.state.head.leaves;
        let (id, shown) = add(&mut world, webhook(URL));
        let secret = shown.secret.clone().unwrap();
        assert!(secret.0.starts_with("whsec_") && secret.0.len() == 50, "{}", secret.0);
        let record = record(&world, id);
        assert_eq!(
            record.secrets(world.now).iter().map(|one| &one.secret).collect::<Vec<_>>(),
            [&secret]
        );
        assert_eq!(record.from, leaves + 1);
        let listed = view::subscription(&world.state.directory, &record);
        assert_eq!((listed.secret.as_ref(), listed.url.as_deref()), (None, Some(URL)));
        let answer = api::CommandResponse {
            subscription: Some(Box::new(shown)),
            ..api::CommandResponse::default()
        }
        .without_secrets();
        assert_eq!(answer.notes, ["the secret of a webhook is shown once, in the first response"]);
        for place in [
            world.everything(),
            format!("{record:?} {listed:?}"),
            serde_json::to_string(&answer).unwrap(),
        ] {
            assert!(!place.contains(&secret.0), "{place}");
        }
        let kept = serde_json::to_value(Record::Subscription(Box::new(record.clone()))).unwrap();
        assert_eq!(
            serde_json::from_value::<Record>(kept).unwrap(),
            Record::Subscription(Box::new(record))
        );
    }

    #[test]
    fn the_old_secret_works_beside_the_new_one_for_a_day() {
        let mut world = World::new();
        let (id, first) = add(&mut world, webhook(URL));
        let rotate = || Command::RotateSecret(RotateSecret { subscription: id });
        let second = world.run("pia", rotate()).unwrap().subscription.unwrap();
        let (first, second) = (first.secret.unwrap(), second.secret.unwrap());
        assert_ne!(first, second);
        assert_eq!(used(&world, id), [second.clone(), first.clone()]);
        world.advance(86_400 - 1);
        assert_eq!(used(&world, id), [second.clone(), first.clone()]);
        world.advance(1);
        assert_eq!(used(&world, id), [second]);
        world.run("pia", rotate()).unwrap();
        let third = world.run("pia", rotate()).unwrap().subscription.unwrap().secret.unwrap();
        let record = record(&world, id);
        assert_eq!(record.secrets(world.now).len(), 2);
        assert_eq!(record.secrets(world.now)[0].secret, third);
    }

    #[test]
    fn only_the_public_half_of_a_key_pair_is_shown_and_a_rotation_keeps_the_kind() {
        let mut world = World::new();
        let channel = NewChannel::Webhook { url: URL.to_owned(), signing: Signing::KeyPair };
        let (id, made) = add(&mut world, AddSubscription { channel, ..webhook(URL) });
        assert_eq!(made.secret, None);
        let first = made.public_key.unwrap();
        assert!(first.starts_with("whpk_"), "{first}");
        let rotate = Command::RotateSecret(RotateSecret { subscription: id });
        let second = world.run("pia", rotate).unwrap().subscription.unwrap();
        assert_eq!(second.secret, None);
        assert_ne!(second.public_key.unwrap(), first);
        assert!(used(&world, id).iter().all(|secret| secret.0.starts_with("whsk_")));
    }

    /// Returns the secrets that sign requests now.
    fn used(world: &World, id: SubscriptionId) -> Vec<Secret> {
        let record = record(world, id);
        record.secrets(world.now).into_iter().map(|one| one.secret.clone()).collect()
    }

    #[test]
    fn the_address_of_a_chat_is_a_secret_and_its_default_events_leave_work_to_people() {
        let mut world = World::new();
        let secret = |text: &str| Secret(text.to_owned());
        let slack = NewChannel::Slack { url: secret("https://hooks.slack.com/services/T0/B0/xyz") };
        let ntfy =
            NewChannel::Ntfy { url: secret("https://ntfy.sh/xyz"), token: Some(secret("tk_xyz")) };
        for (channel, kind, shown_url) in
            [(slack, "slack", "https://hooks.slack.com/…"), (ntfy, "ntfy", "https://ntfy.sh/…")]
        {
            let request =
                AddSubscription { channel, filter: EventFilter::default(), ..webhook(URL) };
            let (id, shown) = add(&mut world, request.clone());
            assert_eq!((shown.kind.as_str(), shown.url.as_deref()), (kind, Some(shown_url)));
            let record = record(&world, id);
            assert_eq!(record.filter.kinds, CHAT_EVENTS);
            for place in [world.everything(), format!("{record:?} {shown:?} {request:?}")] {
                assert!(!place.contains("xyz"), "{place}");
            }
            let task = EventFilter { task: Some("task-1".to_owned()), ..EventFilter::default() };
            let (id, _) = add(&mut world, AddSubscription { filter: task.clone(), ..request });
            assert_eq!(self::record(&world, id).filter, task);
        }
        let broken = NewChannel::Ntfy {
            url: secret("https://ntfy.sh/xyz"),
            token: Some(secret("two words")),
        };
        let request = AddSubscription { channel: broken, ..webhook(URL) };
        world.check("pia", Command::AddSubscription(request), "refused TK-ARGUMENT-INVALID");
    }

    #[test]
    fn a_subscription_is_disabled_enabled_and_removed() {
        let mut world = World::new();
        let (id, _) = add(&mut world, webhook(URL));
        let disable = |because| {
            Command::DisableSubscription(DisableSubscription { subscription: id, because })
        };
        let enable = || Command::EnableSubscription(EnableSubscription { subscription: id });
        let remove = || Command::RemoveSubscription(RemoveSubscription { subscription: id });
        assert!(world.run("pia", enable()).unwrap().repeated);
        let shown = world.run("pia", disable(DisableReason::Gone)).unwrap().subscription.unwrap();
        assert_eq!((shown.status.as_str(), shown.because.as_deref()), ("disabled", Some("gone")));
        assert!(world.run("pia", disable(DisableReason::Asked)).unwrap().repeated);
        assert!(!record(&world, id).is_active());
        world.run("pia", enable()).unwrap();
        assert!(record(&world, id).is_active());
        world.run("pia", remove()).unwrap();
        assert_eq!(world.state.directory.subscriptions().len(), 0);
        for command in [remove(), enable(), disable(DisableReason::Failing)] {
            world.check("pia", command, "refused TK-SUBSCRIPTION-UNKNOWN");
        }
        insta::assert_snapshot!(world.story(0), @"
        subscription.added by pia
        subscription.disabled by pia
        subscription.changed by pia
        subscription.removed by pia
        ");
    }

    /// Runs a command with these scopes and returns its outcome.
    fn outcome(world: &mut World, name: &str, scopes: &[Scope], command: Command) -> String {
        let mut principal = world.principal(name);
        principal.scopes = scopes.iter().copied().collect();
        let done = world.run_as(&principal, command);
        done.map_or_else(|refused| refused.code.as_str().to_owned(), |_| "done".to_owned())
    }

    fn to(party: &str, channel: NewChannel) -> Command {
        let filter = EventFilter::default();
        Command::AddSubscription(AddSubscription { party: party.to_owned(), channel, filter })
    }

    #[test]
    fn a_person_subscribes_only_themselves_at_their_own_address() {
        let mut world = World::new();
        world.change("pia", |party, _| party.channels.email = Some("pia@example.org".to_owned()));
        let url = || NewChannel::Webhook { url: URL.to_owned(), signing: Signing::Shared };
        let email = |address: &str| NewChannel::Email { address: address.to_owned() };
        let person = [Scope::Submit, Scope::Receive, Scope::Read, Scope::Decide];
        for (name, scopes, command, expected) in [
            ("pia", &person[..], to("pia", url()), "done"),
            ("pia", &person, to("pia", email("pia@example.org")), "done"),
            ("pia", &person, to("pia", email("all@example.org")), "TK-NOT-ALLOWED"),
            ("pia", &person, to("ben", url()), "TK-NOT-ALLOWED"),
            ("pia", &person, to("role:people", url()), "TK-NOT-ALLOWED"),
            ("pia", &[Scope::Decide], to("pia", url()), "TK-SCOPE-MISSING"),
            ("pia", &[Scope::Admin], to("ben", url()), "done"),
            ("pia", &[Scope::Admin], to("pia", email("all@example.org")), "done"),
            ("ben", &[Scope::Read], to("ben", url()), "TK-SCOPE-MISSING"),
            ("ben", &[Scope::Admin], to("ana", url()), "done"),
        ] {
            let shown = format!("{name} {scopes:?} {command:?}");
            assert_eq!(outcome(&mut world, name, scopes, command), expected, "{shown}");
        }
    }

    #[test]
    fn a_person_manages_their_own_subscription_and_knows_no_other() {
        let mut world = World::new();
        let (others, _) = add(&mut world, webhook(URL));
        let (own, _) = add(&mut world, AddSubscription { party: "pia".to_owned(), ..webhook(URL) });
        let commands = |subscription| {
            let because = DisableReason::Asked;
            [
                Command::DisableSubscription(DisableSubscription { subscription, because }),
                Command::EnableSubscription(EnableSubscription { subscription }),
                Command::RotateSecret(RotateSecret { subscription }),
                Command::RemoveSubscription(RemoveSubscription { subscription }),
            ]
        };
        for command in commands(others) {
            let found = outcome(&mut world, "pia", &[Scope::Read], command.clone());
            assert_eq!(found, "TK-SUBSCRIPTION-UNKNOWN");
            assert_eq!(outcome(&mut world, "ana", &[Scope::Read], command), "TK-SCOPE-MISSING");
        }
        for command in commands(own) {
            assert_eq!(outcome(&mut world, "pia", &[Scope::Read], command), "done");
        }
    }

    #[test]
    fn invalid_channels_are_refused() {
        let mut world = World::new();
        let email = |address: &str| AddSubscription {
            channel: NewChannel::Email { address: address.to_owned() },
            ..webhook("")
        };
        let refusal_text =
            |world: &mut World, request| world.refusal("pia", Command::AddSubscription(request));
        insta::assert_snapshot!(refusal_text(&mut world, webhook("example.org")), @"
        TK-ARGUMENT-INVALID: invalid webhook URL; expected a URL such as `https://example.org/hooks`
        hint: use an absolute `http` or `https` URL and percent-encode other characters
        ");
        insta::assert_snapshot!(refusal_text(&mut world, email("ana")), @"
        TK-ARGUMENT-INVALID: invalid email address
        hint: use the form `ana@example.org`
        ");
        let filter = EventFilter { task: Some("x".repeat(4_000)), ..EventFilter::default() };
        insta::assert_snapshot!(refusal_text(&mut world, AddSubscription { filter, ..webhook(URL) }), @"
        TK-ARGUMENT-INVALID: the filter has 4011 bytes; the limit is 4000
        hint: split it into two subscriptions
        ");
        let (id, _) = add(&mut world, email("ana@example.org"));
        let rotate = Command::RotateSecret(RotateSecret { subscription: id });
        world.check("pia", rotate, "refused TK-ARGUMENT-INVALID");
        for _ in 1..SUBSCRIPTIONS_MAX {
            add(&mut world, webhook(URL));
        }
        insta::assert_snapshot!(refusal_text(&mut world, webhook(URL)), @"
        TK-ARGUMENT-INVALID: the project has 200 subscriptions, which is the limit
        hint: remove unused subscriptions
        ");
    }
}
