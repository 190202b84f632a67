//! Which operation a method and a path ask for. Nothing but the documented pairs is one.

use mediagate_core::{Capability, Group, PREFIX, by_path};

use crate::{Refusal, mcp};

/// An operation of the gateway.
#[derive(Clone, Copy, Debug)]
pub enum Route<'a> {
    /// `GET /healthz`
    Health,
    /// `POST /session`
    Session,
    /// `POST /api/app/v1/upload_urls`
    UploadUrl,
    /// `PUT /api/app/v1/uploads/{ticket}`
    Upload(&'a str),
    /// `POST` to one of the 19 capabilities.
    Create(&'static Capability),
    /// `GET /api/app/v1/{group}/tasks/{id}`
    Status(Group, &'a str),
    /// `GET /api/app/v1/tasks/{id}/events`
    Events(&'a str),
    /// `GET /api/app/v1/models`
    Models,
    /// `POST /api/app/v1/credits/estimate`
    Estimate,
    /// `POST /mcp`
    Mcp,
    /// `GET /.well-known/oauth-protected-resource`, with and without the path of what it is about.
    ProtectedResource,
    /// Any other `GET` outside `/api/`: the playground's files.
    Asset,
}

/// Names the operation. The path is taken as it is: one that would have to be decoded or tidied first is unknown.
pub fn route<'a>(method: &str, path: &'a str) -> Result<Route<'a>, Refusal> {
    let (route, allow) = find(path).ok_or_else(Refusal::no_such_path)?;
    match (route, method) {
        (Route::Asset, "HEAD") => Ok(route),
        _ if method == allow => Ok(route),
        _ => Err(Refusal::method(allow)),
    }
}

/// The operation at a path, with the method that it takes.
fn find(path: &str) -> Option<(Route<'_>, &'static str)> {
    match path {
        "/healthz" => return Some((Route::Health, "GET")),
        "/session" => return Some((Route::Session, "POST")),
        mcp::PATH => return Some((Route::Mcp, "POST")),
        _ if mcp::METADATA.contains(&path) => return Some((Route::ProtectedResource, "GET")),
        _ => {}
    }
    let Some(path) = path.strip_prefix(PREFIX) else {
        let plain = !path.contains("//") && !path.contains(['%', '\\']) && path != "/api" && !path.starts_with("/api/");
        return plain.then_some((Route::Asset, "GET"));
    };
    match path {
        "upload_urls" => return Some((Route::UploadUrl, "POST")),
        "models" => return Some((Route::Models, "GET")),
        "credits/estimate" => return Some((Route::Estimate, "POST")),
        _ => {}
    }
    let segment = |prefix: &str, suffix: &str| {
        let between = path.strip_prefix(prefix)?.strip_suffix(suffix)?;
        (!between.is_empty() && !between.contains('/')).then_some(between)
    };
    if let Some(ticket) = segment("uploads/", "") {
        return Some((Route::Upload(ticket), "PUT"));
    }
    if let Some(id) = segment("tasks/", "/events") {
        return Some((Route::Events(id), "GET"));
    }
    for group in Group::ALL {
        if let Some(id) = segment(&[group.name(), "/tasks/"].concat(), "") {
            return Some((Route::Status(group, id), "GET"));
        }
    }
    by_path(path).map(|it| (Route::Create(it), "POST"))
}

impl Route<'_> {
    /// The group whose tasks it is about, where that shows.
    pub fn group(&self) -> Option<Group> {
        match self {
            Route::Create(capability) => Some(capability.group()),
            Route::Status(group, _) => Some(*group),
            _ => None,
        }
    }

    /// Whether agents come here, with tokens of their own: to `/mcp`, and with the bytes that it asked them for.
    pub fn is_for_agents(&self) -> bool {
        matches!(self, Route::Mcp | Route::Upload(_))
    }

    /// Its name in logs; for a create, the capability's.
    pub fn name(&self) -> &'static str {
        match self {
            Route::Health => "health",
            Route::Session => "session",
            Route::UploadUrl => "upload_url",
            Route::Upload(_) => "upload",
            Route::Create(capability) => capability.name(),
            Route::Status(..) => "status",
            Route::Events(_) => "events",
            Route::Models => "models",
            Route::Estimate => "estimate",
            Route::Mcp => "mcp",
            Route::ProtectedResource => "protected_resource",
            Route::Asset => "asset",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mediagate_core::CAPABILITIES;

    fn name(method: &str, path: &str) -> Result<&'static str, u16> {
        route(method, path).map(|it| it.name()).map_err(|it| it.status)
    }

    #[test]
    fn every_capability_has_its_route() {
        for capability in CAPABILITIES {
            let path = format!("{PREFIX}{}", capability.path);
            assert_eq!(name("POST", &path), Ok(capability.name()));
            assert_eq!(name("GET", &path), Err(405));
            assert_eq!(name("POST", &format!("{path}/")), Err(404));
            assert_eq!(name("POST", &path.replacen('a', "%61", 1)), Err(404));
            assert_eq!(name("POST", &format!("/{path}")), Err(404));
        }
    }

    #[test]
    fn only_documented_pairs_are_routes() {
        assert_eq!(name("GET", "/healthz"), Ok("health"));
        assert_eq!(name("POST", "/session"), Ok("session"));
        assert_eq!(name("GET", "/session"), Err(405));
        assert_eq!(name("GET", "/api/app/v1/generate/tasks/x"), Ok("status"));
        assert_eq!(name("GET", "/api/app/v1/process/tasks/x"), Ok("status"));
        assert_eq!(name("DELETE", "/api/app/v1/process/tasks/x"), Err(405));
        for path in [
            "generate/tasks/",
            "generate/tasks/a/b",
            "tasks/x",
            "uploads/",
            "uploads/a/b",
            "",
            "MODELS",
            "upload_urls/",
        ] {
            assert_eq!(name("GET", &format!("{PREFIX}{path}")), Err(404), "{path}");
        }
        for path in ["/api", "/api/", "/api/app/v2/models", "/%2e%2e/x", "//api/app/v1/models", "/a\\b"] {
            assert_eq!(name("GET", path), Err(404), "{path}");
        }
        assert_eq!(
            (name("POST", "/mcp"), name("GET", "/mcp"), name("DELETE", "/mcp")),
            (Ok("mcp"), Err(405), Err(405))
        );
        for path in ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"] {
            assert_eq!(name("GET", path), Ok("protected_resource"));
        }
        assert_eq!(name("GET", "/"), Ok("asset"));
        assert_eq!(name("HEAD", "/index.html"), Ok("asset"));
        assert_eq!(name("POST", "/index.html"), Err(405));
    }
}
