//! Links into the console. `console/src/router.tsx` has the routes that they lead to.

use tasuki_packet::id::ProjectId;

/// The address of the console and the project that messages are about.
#[derive(Debug, Clone)]
pub(crate) struct Links {
    base: String,
    pub(super) project: ProjectId,
    pub(super) name: String,
}

impl Links {
    /// Creates links into the project of this name at the public address of the server.
    pub(crate) fn new(base: String, project: ProjectId, name: String) -> Self {
        Self { base, project, name }
    }

    /// Returns the address of a handoff.
    pub(super) fn handoff(&self, id: &str) -> String {
        format!("{}/ui/p/{}/h/{id}", self.base, self.name)
    }

    /// Returns the address where a mailed code decides. The code is in the fragment, which browsers
    /// send to no server.
    pub(super) fn mail_code(&self, code: &str) -> String {
        format!("{}/ui/m/#{code}", self.base)
    }

    /// Returns the name of the project.
    pub(crate) fn project_name(&self) -> &str {
        &self.name
    }

    /// Returns the address of the inbox.
    pub(super) fn inbox(&self) -> String {
        format!("{}/ui/p/{}/inbox", self.base, self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The routes of the console.
    const ROUTER: &str =
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../console/src/router.tsx"));

    #[test]
    fn every_link_has_a_route_in_the_console() {
        let project = ProjectId::from_bytes([1; 16]);
        let links = Links::new("https://t.example".to_owned(), project, "default".to_owned());
        assert_eq!(links.handoff("hof_1"), "https://t.example/ui/p/default/h/hof_1");
        assert_eq!(links.inbox(), "https://t.example/ui/p/default/inbox");
        let routes =
            ["basepath: \"/ui\"", "path: \"/p/$project\"", "path: \"/h/$id\"", "path: \"/inbox\""];
        for route in routes {
            assert!(ROUTER.contains(route), "{route}");
        }
    }
}
