//! Resolves a name to addresses that a webhook may connect to. Every address is checked, and one is
//! used without resolving the name again.

use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::{fmt, io};

use super::guard::is_open;
use super::target::{Host, Origin};

/// The future of a lookup.
pub type Resolving<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// A resolver of host names.
pub trait Resolve: fmt::Debug + Send + Sync + 'static {
    /// Returns the addresses of a name.
    fn resolve<'a>(&'a self, name: &'a str) -> Resolving<'a>;
}

/// The resolver of the machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn resolve<'a>(&'a self, name: &'a str) -> Resolving<'a> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}

/// LIMIT: addresses of one name that are tried.
const ADDRESSES_MAX: usize = 3;

/// Returns the addresses that may be connected to, in the order of the resolver.
///
/// An origin that the operator allows may have any address. Every address of another origin must be
/// public: a name that mixes public and private addresses is an attack.
pub(super) async fn addresses(
    resolver: &dyn Resolve,
    allowed: &[Origin],
    origin: &Origin,
) -> Result<Vec<SocketAddr>, String> {
    let is_allowed = allowed.contains(origin);
    if !is_allowed {
        check_origin(origin)?;
    }
    let found = match &origin.host {
        Host::Address(address) => vec![*address],
        Host::Name(name) => {
            let found = resolver.resolve(name).await;
            found.map_err(|error| format!("cannot resolve `{name}`: {error}"))?
        }
    };
    if found.is_empty() {
        return Err(format!("cannot resolve `{}`: no address found", origin.host));
    }
    if !is_allowed && !found.iter().all(|address| is_open(*address)) {
        return Err(format!(
            "`{}` resolves to a network that is not open to webhooks",
            origin.host
        ));
    }
    let addresses = found.into_iter().take(ADDRESSES_MAX);
    Ok(addresses.map(|address| SocketAddr::new(address, origin.port)).collect())
}

/// Checks the scheme, port and literal address of an origin before it is resolved.
pub(super) fn check_origin(origin: &Origin) -> Result<(), String> {
    if !origin.is_tls || origin.port != 443 {
        return Err("webhooks must use `https` on port 443".to_owned());
    }
    match &origin.host {
        Host::Address(address) if !is_open(*address) => {
            Err(format!("`{}` is in a network that is not open to webhooks", origin.host))
        }
        Host::Address(_) | Host::Name(_) => Ok(()),
    }
}
