//! Paths of a task's status (§4.1: "the status endpoint for that task type").

use mediagate_core::{Capability, Group};

const TASK_ID: &str = "{task_id}";

/// The placeholders of a status path. `{task_id}` is required. `{medium}` is the second segment of
/// the capability's path, such as `video`, and `{capability}` is the last one, such as
/// `image_to_video`.
const PLACEHOLDERS: [&str; 4] = [TASK_ID, "{group}", "{medium}", "{capability}"];

/// Returns the path of a task's status from a template. `task_id` is an escaped segment of a path.
/// Returns `None` if the template names the capability's parts and the capability is not known.
pub fn status_path(
    template: &str,
    group: Group,
    capability: Option<&Capability>,
    task_id: &str,
) -> Option<String> {
    let mut path = template.replace("{group}", group.name());
    if path.contains("{medium}") || path.contains("{capability}") {
        let capability = capability?;
        path = path
            .replace("{medium}", capability.medium())
            .replace("{capability}", capability.name());
    }
    // The id comes last: it may have braces of its own.
    Some(path.replace(TASK_ID, task_id))
}

/// Checks the placeholders. Fails with a phrase if `{task_id}` is missing or repeated, or if a
/// placeholder is not known.
pub fn check_status_path(template: &str) -> Result<(), &'static str> {
    if template.matches(TASK_ID).count() != 1 {
        return Err("does not hold {task_id} exactly once");
    }
    let mut rest = template.to_owned();
    for placeholder in PLACEHOLDERS {
        rest = rest.replace(placeholder, "");
    }
    if rest.contains(['{', '}']) {
        return Err(
            "has an unknown placeholder; there are {task_id}, {group}, {medium}, {capability}",
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_placeholder_is_filled_in() {
        let capability = mediagate_core::find("merge_pdf");
        for (template, path) in [
            ("/t/{task_id}", "/t/a%2Fb"),
            ("/{group}/t/{task_id}", "/process/t/a%2Fb"),
            ("/{group}/{medium}/{task_id}", "/process/asset/a%2Fb"),
            (
                "/{capability}/{task_id}/{capability}",
                "/merge_pdf/a%2Fb/merge_pdf",
            ),
        ] {
            assert_eq!(
                status_path(template, Group::Process, capability, "a%2Fb").as_deref(),
                Some(path)
            );
        }
    }

    #[test]
    fn an_id_is_not_searched_for_placeholders() {
        let path = status_path("/{group}/{task_id}", Group::Generate, None, "{medium}");
        assert_eq!(path.as_deref(), Some("/generate/{medium}"));
    }

    #[test]
    fn a_path_of_an_unknown_capability_needs_no_capability() {
        let path = |template| status_path(template, Group::Generate, None, "t");
        assert_eq!(path("/{group}/{task_id}").as_deref(), Some("/generate/t"));
        assert_eq!(path("/{medium}/{task_id}"), None);
        assert_eq!(path("/{capability}/{task_id}"), None);
    }

    #[test]
    fn a_path_has_the_task_once_and_only_known_placeholders() {
        for right in ["/{task_id}", "/{group}/{medium}/{capability}/{task_id}"] {
            assert_eq!(check_status_path(right), Ok(()));
        }
        for wrong in [
            "/t",
            "/{task_id}/{task_id}",
            "/{kind}/{task_id}",
            "/}{task_id}",
        ] {
            assert!(check_status_path(wrong).is_err(), "{wrong}");
        }
    }
}
