//! The routes: the operation for a method and a path.

#![allow(
    missing_docs,
    reason = "only crates of the gateway import this one: a name that says all needs no sentence"
)]

use mediagate_access::refusal::Refusal;
use mediagate_core::{
    CAPABILITIES, Capability, Group, PREFIX, Reason, by_path, find, nearest_capability,
};
use mediagate_settings::MCP_PATH;

/// The paths of the protected resource metadata (RFC 9728), for `/mcp` and for the whole origin.
pub const METADATA_PATHS: [&str; 2] = [
    "/.well-known/oauth-protected-resource/mcp",
    "/.well-known/oauth-protected-resource",
];

/// The most messages of a batch at `/mcp`.
pub const MAX_BATCH: usize = 20;

/// The OAuth error (RFC 6749, §4.1.2.1) at the paths of an authorization server. After a 401, a
/// client without metadata treats the gateway itself as the authorization server, and shows a
/// person this error instead of the 401's message.
pub const NO_ISSUER: &str = "access_denied";

/// Returns the description of [`NO_ISSUER`]. `servers` are the issuers of tokens.
pub fn no_issuer(servers: &[String]) -> String {
    let source = match servers {
        [] => "get one from the backend of the app, and send it to /mcp in the header \
               Authorization: Bearer (an operator prints one with `npx mediagate-gateway token`)"
            .to_owned(),
        servers => format!(
            "get one from the authorization server {}",
            servers.join(" or ")
        ),
    };
    format!(
        "the access token is missing, is not valid or has expired, and this gateway issues none: \
         {source}"
    )
}

#[derive(Clone, Copy, Debug)]
pub enum Route {
    Health,
    Ready,
    Document,
    Session,
    UploadUrl,
    Upload,
    Create(&'static Capability),
    Status(Group),
    Events,
    Files,
    Output,
    Result,
    Tasks,
    Forget,
    Pipelines,
    Pipeline,
    ForgetPipeline,
    PipelineEvents,
    ResumePipeline,
    CancelPipeline,
    Models,
    Capabilities,
    Estimate,
    Mcp,
    /// A path at which an agent without a valid token looks for the issuer of tokens.
    TokenSource(&'static str),
    /// Any other `GET` outside `/api/`: the playground's files.
    Asset,
}

/// Every route except the capabilities and the playground's files: method, path and route. A
/// parameter is one segment of the path.
const TABLE: [(&str, &str, Route); 26] = [
    ("GET", "/healthz", Route::Health),
    ("GET", "/readyz", Route::Ready),
    ("GET", "/openapi.json", Route::Document),
    ("POST", "/session", Route::Session),
    ("POST", "/api/app/v1/upload_urls", Route::UploadUrl),
    ("PUT", "/api/app/v1/uploads/{ticket}", Route::Upload),
    (
        "GET",
        "/api/app/v1/generate/tasks/{id}",
        Route::Status(Group::Generate),
    ),
    (
        "GET",
        "/api/app/v1/process/tasks/{id}",
        Route::Status(Group::Process),
    ),
    ("GET", "/api/app/v1/tasks/{id}/events", Route::Events),
    ("POST", "/api/app/v1/files", Route::Files),
    ("GET", "/api/app/v1/outputs/{output}", Route::Output),
    ("GET", "/api/app/v1/results/{result}", Route::Result),
    ("GET", "/api/app/v1/tasks", Route::Tasks),
    ("DELETE", "/api/app/v1/tasks/{id}", Route::Forget),
    ("POST", "/api/app/v1/pipelines", Route::Pipelines),
    ("GET", "/api/app/v1/pipelines/{id}", Route::Pipeline),
    (
        "DELETE",
        "/api/app/v1/pipelines/{id}",
        Route::ForgetPipeline,
    ),
    (
        "GET",
        "/api/app/v1/pipelines/{id}/events",
        Route::PipelineEvents,
    ),
    (
        "POST",
        "/api/app/v1/pipelines/{id}/resume",
        Route::ResumePipeline,
    ),
    (
        "POST",
        "/api/app/v1/pipelines/{id}/cancel",
        Route::CancelPipeline,
    ),
    ("GET", "/api/app/v1/models", Route::Models),
    ("GET", "/api/app/v1/capabilities", Route::Capabilities),
    ("POST", "/api/app/v1/credits/estimate", Route::Estimate),
    ("POST", MCP_PATH, Route::Mcp),
    (
        "GET",
        METADATA_PATHS[0],
        Route::TokenSource(METADATA_PATHS[0]),
    ),
    (
        "GET",
        METADATA_PATHS[1],
        Route::TokenSource(METADATA_PATHS[1]),
    ),
];

/// Returns every route, with its method and its path. The playground's files are one route, at `/`.
pub fn all() -> impl Iterator<Item = (&'static str, String, Route)> {
    let fixed = TABLE.map(|(method, path, route)| (method, path.to_owned(), route));
    let creates = CAPABILITIES.iter().map(|capability| {
        let path = [PREFIX, capability.path].concat();
        ("POST", path, Route::Create(capability))
    });
    let asset = ("GET", "/".to_owned(), Route::Asset);
    fixed.into_iter().chain(creates).chain([asset])
}

/// Returns the route of a method and a path, and the parameter in the path, which is empty if the
/// route has none. The path is not decoded or normalised: a path that needs it is unknown.
///
/// # Errors
/// 404 for an unknown path, 405 for a method that the path does not take.
pub fn route<'a>(method: &str, path: &'a str) -> Result<(Route, &'a str), Refusal> {
    let here = at(path);
    let takes_head = |route| {
        matches!(
            route,
            Route::Health | Route::Ready | Route::Output | Route::Result | Route::Asset
        )
    };
    let found = here.iter().find(|(accepted, route, _)| {
        *accepted == method || (method == "HEAD" && takes_head(*route))
    });
    if let Some((_, route, parameter)) = found {
        return Ok((*route, parameter));
    }
    // A misspelt path is at most a file of the playground.
    let may_be_file = here
        .iter()
        .all(|(_, route, _)| matches!(route, Route::Asset));
    let probable = may_be_file.then(|| probable_path(path)).flatten();
    if here.is_empty() || probable.is_some() {
        return Err(unknown_path(probable));
    }
    let allowed: Vec<_> = here.iter().map(|(accepted, ..)| *accepted).collect();
    Err(Refusal::method(&allowed.join(", ")))
}

/// Refuses an unknown path, and suggests the path that was probably meant.
fn unknown_path(probable: Option<String>) -> Refusal {
    let Some(probable) = probable else {
        return Refusal::from(Reason::UnknownPath);
    };
    let message = format!("there is nothing at this path; did you mean {probable}?");
    Refusal::new(Reason::UnknownPath, message)
}

/// Returns the path of a route that differs from a path only in the beginning, in slashes, or in
/// the spelling of a capability.
fn probable_path(path: &str) -> Option<String> {
    let rest = path.rsplit_once(PREFIX).map_or(path, |(_, rest)| rest);
    let rest = rest.trim_matches('/');
    let exact = [PREFIX, rest].concat();
    if !at(&exact).is_empty() {
        return Some(exact);
    }
    let name = rest.rsplit('/').next()?;
    let capability = find(nearest_capability(name)?)?;
    Some([PREFIX, capability.path].concat())
}

fn at(path: &str) -> Vec<(&'static str, Route, &str)> {
    let fixed: Vec<_> = TABLE
        .into_iter()
        .filter_map(|(method, template, route)| Some((method, route, segment(template, path)?)))
        .collect();
    if !fixed.is_empty() {
        return fixed;
    }
    if let Some(path) = authorization_server_path(path) {
        return ["GET", "POST"]
            .map(|method| (method, Route::TokenSource(path), ""))
            .into();
    }
    let other = match path.strip_prefix(PREFIX) {
        Some(path) => by_path(path).map(|capability| ("POST", Route::Create(capability), "")),
        None => {
            let is_api = path == "/api" || path.starts_with("/api/");
            // An encoded or doubled slash could hide `/api/` from a proxy that filters paths.
            let is_plain = !path.contains("//") && !path.contains(['%', '\\']);
            (is_plain && !is_api).then_some(("GET", Route::Asset, ""))
        }
    };
    other.into_iter().collect()
}

/// The paths at which clients look for the metadata of an authorization server at the gateway's own
/// origin, with and without the path of `/mcp` (RFC 8414, OpenID Connect Discovery), and the
/// endpoints that they assume without metadata (MCP 2025-03-26, Authorization).
const AUTHORIZATION_SERVER_PATHS: [&str; 8] = [
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-authorization-server/mcp",
    "/.well-known/openid-configuration",
    "/.well-known/openid-configuration/mcp",
    "/mcp/.well-known/openid-configuration",
    "/authorize",
    "/register",
    "/token",
];

/// Returns a path of an authorization server, if `path` is one.
fn authorization_server_path(path: &str) -> Option<&'static str> {
    AUTHORIZATION_SERVER_PATHS
        .into_iter()
        .find(|known| *known == path)
}

/// Returns the parameter in a path that matches a template. It is empty if the template has no
/// parameter.
fn segment<'a>(template: &str, path: &'a str) -> Option<&'a str> {
    let Some((before, rest)) = template.split_once('{') else {
        return (path == template).then_some("");
    };
    let after = rest.split_once('}')?.1;
    let between = path.strip_prefix(before)?.strip_suffix(after)?;
    (!between.is_empty() && !between.contains('/')).then_some(between)
}

impl Route {
    /// Returns true if agents' tokens are accepted: at `/mcp`, and for the uploads that its tool
    /// requests.
    pub fn accepts_agent_tokens(self) -> bool {
        matches!(self, Route::Mcp | Route::Upload)
    }

    /// Returns true if the gateway reads no body of such a request. A client may send one.
    pub fn ignores_body(self) -> bool {
        matches!(self, Route::Session | Route::TokenSource(_))
    }

    /// Returns the name in logs. A create has the name of its capability.
    pub fn name(self) -> &'static str {
        match self {
            Route::Health => "health",
            Route::Ready => "ready",
            Route::Document => "document",
            Route::Session => "session",
            Route::UploadUrl => "upload_url",
            Route::Upload => "upload",
            Route::Create(capability) => capability.name(),
            Route::Status(_) => "status",
            Route::Events => "events",
            Route::Files => "files",
            Route::Output => "output",
            Route::Result => "result",
            Route::Tasks => "tasks",
            Route::Forget => "forget",
            Route::Pipelines => "pipelines",
            Route::Pipeline => "pipeline",
            Route::ForgetPipeline => "forget_pipeline",
            Route::PipelineEvents => "pipeline_events",
            Route::ResumePipeline => "resume_pipeline",
            Route::CancelPipeline => "cancel_pipeline",
            Route::Models => "models",
            Route::Capabilities => "capabilities",
            Route::Estimate => "estimate",
            Route::Mcp => "mcp",
            Route::TokenSource(_) => "token_source",
            Route::Asset => "asset",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(method: &str, path: &str) -> Result<&'static str, u16> {
        route(method, path)
            .map(|(route, _)| route.name())
            .map_err(|refusal| refusal.status)
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
    fn every_route_is_found_where_it_says() {
        for (method, path, expected) in all() {
            assert_eq!(
                name(method, &path.replace(['{', '}'], "")),
                Ok(expected.name()),
                "{method} {path}"
            );
            let is_under_prefix = path.starts_with(PREFIX) || !path.starts_with("/api");
            assert!(is_under_prefix && path.matches('{').count() <= 1, "{path}");
        }
    }

    #[test]
    fn only_documented_pairs_are_routes() {
        assert_eq!(name("GET", "/session"), Err(405));
        assert_eq!(name("GET", "/api/app/v1/tasks/x"), Err(405));
        for path in [
            "/api/app/v1/generate/tasks/",
            "/api/app/v1/generate/tasks/a/b",
            "/api/app/v1/uploads/a/b",
            "/api/app/v1/",
            "/api/app/v1/MODELS",
            "/api/app/v1/upload_urls/",
            "/api",
            "/api/",
            "/api/app/v2/models",
            "/%2e%2e/x",
            "//api/app/v1/models",
            "/a\\b",
        ] {
            assert_eq!(name("GET", path), Err(404), "{path}");
        }
        let refusal = route("PUT", "/api/app/v1/pipelines/x").expect_err("another method");
        assert_eq!(refusal.headers, [("allow", "GET, DELETE".to_owned())]);
        let (_, parameter) = route("GET", "/api/app/v1/pipelines/x").expect("a route");
        assert_eq!(parameter, "x");
        assert_eq!(name("HEAD", "/index.html"), Ok("asset"));
        assert_eq!(name("HEAD", "/api/app/v1/results/x"), Ok("result"));
        assert_eq!(name("HEAD", "/api/app/v1/tasks"), Err(405));
        for (method, path) in [
            ("POST", "/register"),
            ("GET", "/.well-known/oauth-authorization-server/mcp"),
        ] {
            assert_eq!(name(method, path), Ok("token_source"));
        }
        assert_eq!(name("POST", "/index.html"), Err(405));
    }

    #[test]
    fn an_unknown_path_is_refused_with_the_one_that_was_probably_meant() {
        for (path, probable) in [
            ("/api/app/v1/api/app/v1/models", Some("models")),
            ("/media/api/app/v1/tasks", Some("tasks")),
            ("/models", Some("models")),
            ("/api/app/v1/upload_urls/", Some("upload_urls")),
            (
                "/generate/video/image_to_video",
                Some("generate/video/image_to_video"),
            ),
            (
                "/api/app/v1/image_to_vido",
                Some("generate/video/image_to_video"),
            ),
            ("/api/app/v1/elsewhere", None),
            ("/api/app/v2/", None),
        ] {
            let refusal = route("POST", path).expect_err("no route");
            assert_eq!(refusal.status, 404, "{path}");
            let (_, found) = refusal.message.split_once("did you mean ").unzip();
            let probable = probable.map(|rest| format!("{PREFIX}{rest}?"));
            assert_eq!(found, probable.as_deref(), "{path}");
        }
    }
}
