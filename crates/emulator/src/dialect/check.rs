//! Checks that the parts of a dialect fit together.

use mediagate_core::{CAPABILITIES, Group, PREFIX};

use super::{
    document::Dialect,
    paths::{ASSET_ID, TASK_ID},
    pointer::Pointer,
    upload::{FILE_ID, Transfer},
};

/// Paths that the emulator serves in every dialect.
const OWN_PATHS: [&str; 3] = ["/healthz", "/uploads", "/files"];

impl Dialect {
    /// Checks that the parts fit together.
    ///
    /// # Errors
    /// A sentence that begins with the name of the first part that does not fit.
    pub fn check(&self) -> Result<(), String> {
        self.check_paths()?;
        self.check_upload()?;
        self.check_states()?;
        self.check_places()
    }

    fn check_paths(&self) -> Result<(), String> {
        let paths = &self.paths;
        for capability in CAPABILITIES {
            let part = match capability.group() {
                Group::Generate => "paths.generate_task",
                Group::Process => "paths.process_task",
            };
            path_with(TASK_ID, part, &paths.task(capability))?;
        }
        for (part, path) in [
            ("paths.models", &paths.models),
            ("paths.estimate", &paths.estimate),
        ] {
            if let Some(path) = path {
                plain_path(part, path)?;
            }
        }
        if let Some(path) = &paths.asset {
            path_with(ASSET_ID, "paths.asset", path)?;
            let as_task = path.replace(ASSET_ID, TASK_ID);
            if paths.tasks().contains_key(&as_task) {
                return Err("paths.asset: this is the path of tasks".into());
            }
        }
        // Of the paths without an id, only the estimate is a POST, as the documented endpoints are.
        let is_taken = |path: &str| {
            path == "upload_urls" || CAPABILITIES.iter().any(|known| known.path == path)
        };
        let estimate = paths
            .estimate
            .as_deref()
            .and_then(|path| path.strip_prefix(PREFIX));
        if estimate.is_some_and(is_taken) {
            return Err("paths.estimate: the document has another endpoint there".into());
        }
        Ok(())
    }

    fn check_upload(&self) -> Result<(), String> {
        if let Some(path) = &self.upload.confirm {
            path_with(FILE_ID, "upload.confirm", path)?;
        }
        let response = &self.upload.response;
        match self.upload.send {
            Transfer::SignedPut if response.headers.is_none() => {
                Err("upload.response.headers: a signed upload must name its headers".into())
            }
            Transfer::Form if response.fields.is_none() => {
                Err("upload.response.fields: a form must name its fields".into())
            }
            _ => Ok(()),
        }
    }

    fn check_states(&self) -> Result<(), String> {
        let words = self.states.all().map(str::to_lowercase);
        let is_new = |(index, word): (usize, &String)| {
            !word.trim().is_empty() && !words[..index].contains(word)
        };
        if words.iter().enumerate().all(is_new) {
            Ok(())
        } else {
            Err("states: give five different words".into())
        }
    }

    fn check_places(&self) -> Result<(), String> {
        let request = &self.upload.request;
        let response = &self.upload.response;
        let task = &self.task;
        let models = &self.models;
        let request = [
            Some(&request.file_name),
            request.content_type.as_ref(),
            request.size.as_ref(),
        ];
        apart("upload.request", request)?;
        let members = [
            Some(&response.url),
            Some(&response.file_id),
            response.method.as_ref(),
            response.headers.as_ref(),
        ];
        let more = [response.fields.as_ref(), response.expires.as_ref()];
        let extra = response.extra.keys().map(Some);
        apart(
            "upload.response",
            members.into_iter().chain(more).chain(extra),
        )?;
        let members = [
            Some(&task.id),
            Some(&task.state),
            task.progress.as_ref(),
            Some(&task.error_message),
        ];
        let more = [task.error_code.as_ref(), Some(&task.output)];
        apart("task", members.into_iter().chain(more))?;
        // `task.output` may be inside of `task.outputs`: the first output of the list. No other
        // part may.
        let others = members.into_iter().chain([task.error_code.as_ref()]);
        apart("task.outputs", others.chain([task.outputs.as_ref()]))?;
        let overlapping = task
            .outputs
            .as_ref()
            .filter(|outputs| outputs.overlaps(&task.output));
        if overlapping.is_some_and(|outputs| outputs.join("0").join(&task.url_name) != task.output)
        {
            return Err("task.output: inside of task.outputs, give the url_name of item 0".into());
        }
        let members = [
            Some(&models.id).filter(|_| !models.keyed),
            models.capability.as_ref(),
        ];
        apart(
            "models",
            members
                .into_iter()
                .chain([models.options.as_ref(), models.references.as_ref()]),
        )?;
        self.check_outermost()
    }

    /// Checks the places that start at the outermost object of a response.
    fn check_outermost(&self) -> Result<(), String> {
        let response = &self.upload.response;
        let task = &self.task;
        let optional = [
            &response.method,
            &response.headers,
            &response.fields,
            &response.expires,
        ];
        let places = [
            &task.created,
            &task.read,
            &response.url,
            &response.file_id,
            &self.models.list,
        ];
        let places = places
            .into_iter()
            .chain([&self.estimate.credits])
            .chain(optional.into_iter().flatten());
        let is_reserved = |place: &&Pointer| {
            place
                .tokens()
                .next()
                .is_some_and(|name| ["code", "message", "Code", "Message"].contains(&name.as_str()))
        };
        if let Some(place) = places
            .chain(response.extra.keys())
            .find(is_reserved)
            .filter(|_| self.envelope)
        {
            return Err(format!("{place}: the envelope has a member of this name"));
        }
        if self.estimate.credits.as_str().is_empty() {
            return Err(
                "estimate.credits: give the place of a member, as the body is an object".into(),
            );
        }
        if self.models.list.as_str().is_empty() && self.envelope {
            return Err("models.list: give a place inside of the envelope".into());
        }
        Ok(())
    }
}

/// Checks that no two places overlap.
fn apart<'a>(
    part: &str,
    places: impl IntoIterator<Item = Option<&'a Pointer>>,
) -> Result<(), String> {
    let mut seen: Vec<&Pointer> = Vec::new();
    for place in places.into_iter().flatten() {
        if let Some(other) = seen.iter().find(|seen| seen.overlaps(place)) {
            return Err(format!(
                "{part}: {other:?} and {place:?} overlap; give different places",
                other = other.as_str(),
                place = place.as_str()
            ));
        }
        seen.push(place);
    }
    Ok(())
}

/// Checks that a placeholder is one segment of a path, and that the path has no other placeholder.
fn path_with(placeholder: &str, part: &str, path: &str) -> Result<(), String> {
    let ids = path
        .split('/')
        .filter(|segment| *segment == placeholder)
        .count();
    if ids != 1 {
        return Err(format!(
            "{part}: give a path with one segment {placeholder}"
        ));
    }
    plain_path(part, &path.replace(placeholder, "id"))
}

fn plain_path(part: &str, path: &str) -> Result<(), String> {
    // The unreserved characters of RFC 3986, which need no escape and are no pattern for the
    // router.
    let is_segment = |segment: &str| {
        !segment.is_empty()
            && segment
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte))
    };
    let is_own = OWN_PATHS
        .iter()
        .any(|own| path == *own || path.starts_with(&format!("{own}/")));
    match path.strip_prefix('/') {
        Some(_) if is_own => Err(format!("{part}: the emulator has another endpoint there")),
        Some(segments) if segments.split('/').all(is_segment) => Ok(()),
        _ => Err(format!(
            "{part}: give an absolute path, such as /api/app/v1/models"
        )),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn what_does_not_go_together_is_named() {
        for (dialect, part) in [
            (
                json!({"paths": {"generate_task": "/tasks"}}),
                "paths.generate_task",
            ),
            (
                json!({"paths": {"process_task": "/files/{task_id}"}}),
                "paths.process_task",
            ),
            (
                json!({"paths": {"process_task": "/a/x{task_id}"}}),
                "paths.process_task",
            ),
            (
                json!({"paths": {"process_task": "/a/{kind}/{task_id}"}}),
                "paths.process_task",
            ),
            (json!({"paths": {"models": "models"}}), "paths.models"),
            (json!({"paths": {"asset": "/assets"}}), "paths.asset"),
            (
                json!({"paths": {"asset": "/api/app/v1/process/tasks/{asset_id}"}}),
                "paths.asset",
            ),
            (
                json!({"upload": {"confirm": "/files/{file_id}"}}),
                "upload.confirm",
            ),
            (json!({"paths": {"models": "/a/{b}"}}), "paths.models"),
            (
                json!({"paths": {"estimate": "/api/app/v1/upload_urls"}}),
                "paths.estimate",
            ),
            (
                json!({"upload": {"send": "signed_put"}}),
                "upload.response.headers",
            ),
            (
                json!({"upload": {"send": "form"}}),
                "upload.response.fields",
            ),
            (
                json!({"upload": {"request": {"size": "/file_name/size"}}}),
                "upload.request",
            ),
            (json!({"states": {"failed": "succeeded"}}), "states"),
            (json!({"task": {"id": "/status"}}), "task"),
            (json!({"task": {"outputs": "/error"}}), "task.outputs"),
            (
                json!({"task": {"output": "/outputs/1/url"}}),
                "task.output: ",
            ),
            (json!({"task": {"read": "/message/x"}}), "/message/x"),
            (
                json!({"upload": {"response": {"extra": {"/code": "random_id"}}}}),
                "/code",
            ),
            (json!({"estimate": {"credits": ""}}), "estimate.credits"),
            (json!({"models": {"list": ""}}), "models.list"),
            (json!({"models": {"options": "/model_id"}}), "models"),
        ] {
            let dialect: Dialect = serde_json::from_value::<Value>(dialect)
                .and_then(serde_json::from_value)
                .unwrap();
            let error = dialect.check().unwrap_err();
            assert!(error.starts_with(part), "{error}");
        }
        assert_eq!(Dialect::default().check(), Ok(()));
        let inside: Dialect =
            serde_json::from_value(json!({"task": {"output": "/outputs/0/url"}})).unwrap();
        assert_eq!(inside.check(), Ok(()));
    }
}
