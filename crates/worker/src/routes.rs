//! The routes: the operation for a method and a path.

use mediagate_core::{
    CAPABILITIES, Capability, Group, PREFIX, Reason, by_path, find, nearest_capability,
};

use crate::mcp::METADATA_PATHS;
use crate::refusal::Refusal;
use crate::settings::MCP_PATH;

/// An operation of the gateway.
#[derive(Clone, Copy, Debug)]
pub enum Route<'a> {
    /// `GET /healthz`
    Health,
    /// `GET /openapi.json`
    Document,
    /// `POST /session`
    Session,
    /// `POST /api/app/v1/upload_urls`
    UploadUrl,
    /// `PUT /api/app/v1/uploads/{ticket}`
    Upload(&'a str),
    /// `POST` to a capability.
    Create(&'static Capability),
    /// `GET /api/app/v1/{group}/tasks/{id}`
    Status(Group, &'a str),
    /// `GET /api/app/v1/tasks/{id}/events`
    Events(&'a str),
    /// `POST /api/app/v1/files`
    Files,
    /// `GET /api/app/v1/outputs/{output}`
    Output(&'a str),
    /// `GET /api/app/v1/results/{result}`
    Result(&'a str),
    /// `GET /api/app/v1/tasks`
    Tasks,
    /// `DELETE /api/app/v1/tasks/{id}`
    Forget(&'a str),
    /// `POST /api/app/v1/pipelines`
    Pipelines,
    /// `GET /api/app/v1/pipelines/{id}`
    Pipeline(&'a str),
    /// `DELETE /api/app/v1/pipelines/{id}`
    ForgetPipeline(&'a str),
    /// `GET /api/app/v1/pipelines/{id}/events`
    PipelineEvents(&'a str),
    /// `POST /api/app/v1/pipelines/{id}/resume`
    ResumePipeline(&'a str),
    /// `POST /api/app/v1/pipelines/{id}/cancel`
    CancelPipeline(&'a str),
    /// `GET /api/app/v1/models`
    Models,
    /// `POST /api/app/v1/credits/estimate`
    Estimate,
    /// `POST /mcp`
    Mcp,
    /// `GET /.well-known/oauth-protected-resource`, with and without the path of the resource.
    ProtectedResource(&'static str),
    /// Any other `GET` outside `/api/`: the playground's files.
    Asset,
}

/// Makes a route from the segment that is the parameter of its path.
type Make = for<'a> fn(&'a str) -> Route<'a>;

/// Every route except the capabilities and the playground's files: method, path and route. A
/// parameter is one segment of the path.
const TABLE: [(&str, &str, Make); 24] = [
    ("GET", "/healthz", |_| Route::Health),
    ("GET", "/openapi.json", |_| Route::Document),
    ("POST", "/session", |_| Route::Session),
    ("POST", "/api/app/v1/upload_urls", |_| Route::UploadUrl),
    ("PUT", "/api/app/v1/uploads/{ticket}", |ticket| {
        Route::Upload(ticket)
    }),
    ("GET", "/api/app/v1/generate/tasks/{id}", |id| {
        Route::Status(Group::Generate, id)
    }),
    ("GET", "/api/app/v1/process/tasks/{id}", |id| {
        Route::Status(Group::Process, id)
    }),
    ("GET", "/api/app/v1/tasks/{id}/events", |id| {
        Route::Events(id)
    }),
    ("POST", "/api/app/v1/files", |_| Route::Files),
    ("GET", "/api/app/v1/outputs/{output}", |output| {
        Route::Output(output)
    }),
    ("GET", "/api/app/v1/results/{result}", |result| {
        Route::Result(result)
    }),
    ("GET", "/api/app/v1/tasks", |_| Route::Tasks),
    ("DELETE", "/api/app/v1/tasks/{id}", |id| Route::Forget(id)),
    ("POST", "/api/app/v1/pipelines", |_| Route::Pipelines),
    ("GET", "/api/app/v1/pipelines/{id}", |id| {
        Route::Pipeline(id)
    }),
    ("DELETE", "/api/app/v1/pipelines/{id}", |id| {
        Route::ForgetPipeline(id)
    }),
    ("GET", "/api/app/v1/pipelines/{id}/events", |id| {
        Route::PipelineEvents(id)
    }),
    ("POST", "/api/app/v1/pipelines/{id}/resume", |id| {
        Route::ResumePipeline(id)
    }),
    ("POST", "/api/app/v1/pipelines/{id}/cancel", |id| {
        Route::CancelPipeline(id)
    }),
    ("GET", "/api/app/v1/models", |_| Route::Models),
    ("POST", "/api/app/v1/credits/estimate", |_| Route::Estimate),
    ("POST", MCP_PATH, |_| Route::Mcp),
    ("GET", METADATA_PATHS[0], |_| {
        Route::ProtectedResource(METADATA_PATHS[0])
    }),
    ("GET", METADATA_PATHS[1], |_| {
        Route::ProtectedResource(METADATA_PATHS[1])
    }),
];

/// Returns every route, with its method and its path. The playground's files are one route, at `/`.
pub fn all() -> impl Iterator<Item = (&'static str, String, Route<'static>)> {
    let fixed = TABLE
        .iter()
        .map(|(method, path, make)| (*method, (*path).to_owned(), make("")));
    let creates = CAPABILITIES.iter().map(|capability| {
        (
            "POST",
            [PREFIX, capability.path].concat(),
            Route::Create(capability),
        )
    });
    fixed
        .chain(creates)
        .chain([("GET", "/".to_owned(), Route::Asset)])
}

/// Returns the route of a method and a path. The path is not decoded or normalised: a path that
/// needs it is unknown.
///
/// # Errors
/// 404 for an unknown path, 405 for a method that the path does not take.
pub fn route<'a>(method: &str, path: &'a str) -> Result<Route<'a>, Refusal> {
    let here = at(path);
    let has_method = |route: &Route<'_>, taken: &str| {
        taken == method || (matches!(route, Route::Asset) && method == "HEAD")
    };
    match here.iter().find(|(route, taken)| has_method(route, taken)) {
        Some((route, _)) => Ok(*route),
        None if here.is_empty() || is_misspelt(path, &here) => Err(unknown_path(path)),
        None => {
            let allowed: Vec<_> = here.iter().map(|(_, taken)| *taken).collect();
            Err(Refusal::method(&allowed.join(", ")))
        }
    }
}

/// Returns true if a path is no route, or at most a file of the playground, and a route has a
/// similar path.
fn is_misspelt(path: &str, routes: &[(Route<'_>, &str)]) -> bool {
    let may_be_file = routes
        .iter()
        .all(|(route, _)| matches!(route, Route::Asset));
    may_be_file && probable_path(path).is_some()
}

/// Refuses an unknown path, and suggests a path that was probably meant.
fn unknown_path(path: &str) -> Refusal {
    match probable_path(path) {
        Some(probable) => {
            let message = format!("there is nothing at this path; did you mean {probable}?");
            Refusal::new(Reason::UnknownPath, message)
        }
        None => Refusal::from(Reason::UnknownPath),
    }
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

/// Returns the routes at a path, with their methods.
fn at(path: &str) -> Vec<(Route<'_>, &'static str)> {
    let fixed = TABLE
        .iter()
        .filter_map(|(method, template, make)| Some((make(segment(template, path)?), *method)));
    let fixed: Vec<_> = fixed.collect();
    if !fixed.is_empty() {
        return fixed;
    }
    let other = match path.strip_prefix(PREFIX) {
        Some(path) => by_path(path).map(|capability| (Route::Create(capability), "POST")),
        None => {
            let is_api = path == "/api" || path.starts_with("/api/");
            // An encoded or doubled slash could hide `/api/` from a proxy that filters paths.
            let is_plain = !path.contains("//") && !path.contains(['%', '\\']);
            (is_plain && !is_api).then_some((Route::Asset, "GET"))
        }
    };
    other.into_iter().collect()
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

impl Route<'_> {
    /// Returns true if agents' tokens are accepted: at `/mcp`, and for the uploads that its tool
    /// requests.
    pub fn accepts_agent_tokens(&self) -> bool {
        matches!(self, Route::Mcp | Route::Upload(_))
    }

    /// Returns the name in logs. A create has the name of its capability.
    pub fn name(&self) -> &'static str {
        match self {
            Route::Health => "health",
            Route::Document => "document",
            Route::Session => "session",
            Route::UploadUrl => "upload_url",
            Route::Upload(_) => "upload",
            Route::Create(capability) => capability.name(),
            Route::Status(..) => "status",
            Route::Events(_) => "events",
            Route::Files => "files",
            Route::Output(_) => "output",
            Route::Result(_) => "result",
            Route::Tasks => "tasks",
            Route::Forget(_) => "forget",
            Route::Pipelines => "pipelines",
            Route::Pipeline(_) => "pipeline",
            Route::ForgetPipeline(_) => "forget_pipeline",
            Route::PipelineEvents(_) => "pipeline_events",
            Route::ResumePipeline(_) => "resume_pipeline",
            Route::CancelPipeline(_) => "cancel_pipeline",
            Route::Models => "models",
            Route::Estimate => "estimate",
            Route::Mcp => "mcp",
            Route::ProtectedResource(_) => "protected_resource",
            Route::Asset => "asset",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(method: &str, path: &str) -> Result<&'static str, u16> {
        route(method, path)
            .map(|route| route.name())
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
        assert_eq!(name("GET", "/healthz"), Ok("health"));
        assert_eq!(name("POST", "/session"), Ok("session"));
        assert_eq!(name("GET", "/session"), Err(405));
        assert_eq!(name("GET", "/api/app/v1/generate/tasks/x"), Ok("status"));
        assert_eq!(name("GET", "/api/app/v1/process/tasks/x"), Ok("status"));
        assert_eq!(name("DELETE", "/api/app/v1/process/tasks/x"), Err(405));
        assert_eq!(name("GET", "/api/app/v1/tasks"), Ok("tasks"));
        assert_eq!(name("DELETE", "/api/app/v1/tasks/x"), Ok("forget"));
        assert_eq!(name("GET", "/api/app/v1/tasks/x"), Err(405));
        for path in [
            "generate/tasks/",
            "generate/tasks/a/b",
            "tasks/",
            "uploads/",
            "uploads/a/b",
            "",
            "MODELS",
            "upload_urls/",
        ] {
            assert_eq!(name("GET", &format!("{PREFIX}{path}")), Err(404), "{path}");
        }
        for path in [
            "/api",
            "/api/",
            "/api/app/v2/models",
            "/%2e%2e/x",
            "//api/app/v1/models",
            "/a\\b",
        ] {
            assert_eq!(name("GET", path), Err(404), "{path}");
        }
        assert_eq!(name("GET", "/api/app/v1/pipelines/x"), Ok("pipeline"));
        assert_eq!(
            name("DELETE", "/api/app/v1/pipelines/x"),
            Ok("forget_pipeline")
        );
        let refusal = route("PUT", "/api/app/v1/pipelines/x").expect_err("another method");
        assert_eq!(refusal.headers, [("allow", "GET, DELETE".to_owned())]);
        assert_eq!(name("GET", "/"), Ok("asset"));
        assert_eq!(name("HEAD", "/index.html"), Ok("asset"));
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
            let probable = probable.map(|rest| format!("did you mean {PREFIX}{rest}?"));
            match probable {
                Some(words) => assert!(refusal.message.ends_with(&words), "{}", refusal.message),
                None => assert!(!refusal.message.contains("did you mean"), "{path}"),
            }
        }
    }
}
