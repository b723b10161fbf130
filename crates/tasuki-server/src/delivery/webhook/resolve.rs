//! From a name to addresses, each of which is checked and of which one is used as it is.

use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::{fmt, io};

use super::guard::is_open;
use super::target::{Host, Origin};

/// What a resolver will have found.
pub type Resolving<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// Finds the addresses of a name.
pub trait Resolve: fmt::Debug + Send + Sync + 'static {
    /// The addresses of a name.
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

/// The addresses that may be connected to, in the resolver's order.
///
/// An origin that the operator allows may be anywhere. Of any other every address must be open: a name
/// with one closed address among open ones was made to get in.
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
            found.map_err(|error| format!("`{name}` has no address: {error}"))?
        }
    };
    if found.is_empty() {
        return Err(format!("`{}` has no address", origin.host));
    }
    if !is_allowed && !found.iter().all(|address| is_open(*address)) {
        return Err(format!("`{}` leads into a network that is not open to webhooks", origin.host));
    }
    let addresses = found.into_iter().take(ADDRESSES_MAX);
    Ok(addresses.map(|address| SocketAddr::new(address, origin.port)).collect())
}

/// Whether an origin may be used as far as its form tells, before anybody asks for its address.
pub(super) fn check_origin(origin: &Origin) -> Result<(), String> {
    if !origin.is_tls || origin.port != 443 {
        return Err("only `https` on port 443 may be reached".to_owned());
    }
    match &origin.host {
        Host::Address(address) if !is_open(*address) => {
            Err(format!("`{}` is in a network that is not open to webhooks", origin.host))
        }
        Host::Address(_) | Host::Name(_) => Ok(()),
    }
}
