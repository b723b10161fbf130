//! Entries of the directory that only servers use.

use tasuki_api::Secret;
use tasuki_engine::model::{
    Channel, DisableReason, EventFilter, Scope, Scopes, SigningSecret, Status, SubscriptionRecord,
    TokenRecord,
};
use tasuki_packet::id::SubscriptionId;
use tasuki_packet::leaf::{EventType, Hash};

use super::names::{at, bytes, id, party};

/// Returns a revoked token of the party of this name.
pub fn token(name: &str) -> TokenRecord {
    TokenRecord {
        id: id(name, 0),
        hash: Hash::from_bytes(bytes(name)),
        party: party(name),
        scopes: Scopes::none().with(Scope::Submit).with(Scope::Verify),
        from: vec!["10.0.0.0/8".parse().expect("a network"), "2001:db8::/32".parse().expect("too")],
        to: vec![party("intake")],
        name: Some("the “build” token".to_owned()),
        created_at: at(0),
        expires_at: at(3_600),
        revoked_at: Some(at(60)),
    }
}

/// Returns the subscription id of this name.
pub fn subscription_id(name: &str) -> SubscriptionId {
    id(name, 0)
}

/// Returns a disabled webhook of the party of this name, during a rotation of secrets.
pub fn subscription(name: &str) -> SubscriptionRecord {
    let secret = |text: &str, until| SigningSecret { secret: Secret(text.to_owned()), until };
    SubscriptionRecord {
        id: subscription_id(name),
        party: party(name),
        channel: Channel::Webhook {
            url: "https://example.org/hooks?a=b".to_owned(),
            secrets: vec![secret("whsec_new", None), secret("whsec_old", Some(at(60)))],
        },
        filter: EventFilter {
            task: Some("build".to_owned()),
            kinds: vec![EventType::Held, EventType::Done],
            ..EventFilter::default()
        },
        created_at: at(0),
        from: 7,
        status: Status::Disabled { at: at(30), because: DisableReason::Gone },
    }
}
