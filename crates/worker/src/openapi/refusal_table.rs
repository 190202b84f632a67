//! Every error response that the gateway itself can send, and the steps of an operation that can send it.
//! `docs/gateway.md` documents the same list for people; a test compares the two.

use mediagate_core::Code;

/// A step of an operation that can fail. An operation's error responses are those of its steps, in the table's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Checks the origin and reads the settings, for every operation.
    Always,
    /// Verifies a session token.
    Token,
    /// Checks the token's scope.
    Scope,
    /// Reads a JSON body.
    Body,
    /// Checks that the operation is enabled.
    Enabled,
    /// Unseals a task's id.
    TaskId,
    /// Reads the history in the caller's ledger.
    Ledger,
    /// Reads the parameters of a list.
    List,
    /// Removes a task from the history.
    Forget,
    /// Subscribes to a task's watcher.
    Watcher,
    /// Sends a request to the upstream.
    Upstream,
    /// Reads the `data` of the upstream's response, without a task in it.
    Data,
    /// Reads the task of the upstream's response.
    TaskRecord,
    /// Creates a task at most once.
    Create,
    /// Starts an anonymous session.
    Session,
    /// Counts what anonymous callers take besides creates.
    Shared,
    /// Estimates credits.
    Estimate,
    /// Requests an upload URL.
    UploadUrl,
    /// Relays an upload to the storage.
    Relay,
    /// Moves an output into the storage.
    Transfer,
    /// Unseals a pipeline's id.
    PipelineId,
    /// Sends a request to a pipeline's object.
    Pipeline,
    /// Starts a pipeline.
    StartPipeline,
    /// Resumes a pipeline.
    Resume,
    /// Removes a pipeline.
    ForgetPipeline,
}

/// One error response: the step, HTTP status, application code, `data.reason`, and when it is sent.
pub(super) struct Row(
    pub Step,
    pub u16,
    pub Code,
    pub &'static str,
    pub &'static str,
);

const INVALID_INPUT: Code = Code::INVALID_INPUT;
const UNAUTHENTICATED: Code = Code::UNAUTHENTICATED;
const SERVER_ERROR: Code = Code::SERVER_ERROR;

const WRONG_CATEGORY: &str = "the token says that the asset is of another category";
const NO_MODEL: &str = "the media service's catalogue has no model of this `model_id`";
const TOO_MANY_CREATES: &str = "its creates exceed a budget, or too many pipelines run: `data.limit` names the limit; see `Retry-After`";
const NO_VOICE: &str = "a voice asset is all that is missing";

use Step::{
    Always, Body, Create, Data, Enabled, Estimate, Forget, ForgetPipeline, Ledger, List, Pipeline,
    PipelineId,
};
use Step::{
    Relay, Resume, Scope, Session, Shared, StartPipeline, TaskId, TaskRecord, Token, Transfer,
    UploadUrl,
};
use Step::{Upstream, Watcher};

pub(super) static ROWS: [Row; 98] = [
    Row(
        Always,
        403,
        UNAUTHENTICATED,
        "origin_not_allowed",
        "the operator's list does not contain the `Origin`",
    ),
    Row(
        Always,
        500,
        SERVER_ERROR,
        "misconfigured",
        "a setting of the gateway is wrong; `message` names it",
    ),
    Row(
        Token,
        401,
        UNAUTHENTICATED,
        "no_token",
        "`Authorization: Bearer` is missing",
    ),
    Row(
        Token,
        401,
        UNAUTHENTICATED,
        "invalid_token",
        "the value is not a token, or has a wrong signature or algorithm",
    ),
    Row(
        Token,
        401,
        UNAUTHENTICATED,
        "invalid_claims",
        "the claims are not a JSON object, or lack `iat` or `exp`",
    ),
    Row(
        Token,
        401,
        UNAUTHENTICATED,
        "expired_token",
        "the token has expired",
    ),
    Row(
        Token,
        401,
        UNAUTHENTICATED,
        "early_token",
        "the token is not valid yet",
    ),
    Row(
        Token,
        401,
        UNAUTHENTICATED,
        "long_token",
        "the token lives longer than an hour",
    ),
    Row(
        Token,
        401,
        UNAUTHENTICATED,
        "agent_token",
        "the scope contains `mcp`: the token is valid only at `/mcp`",
    ),
    Row(
        Token,
        401,
        UNAUTHENTICATED,
        "revoked_token",
        "the token was issued before a time that the operator set, or its id is revoked",
    ),
    Row(
        Token,
        401,
        UNAUTHENTICATED,
        "wrong_type",
        "the token is no access token",
    ),
    Row(
        Token,
        401,
        UNAUTHENTICATED,
        "wrong_audience",
        "the token has another `aud`",
    ),
    Row(
        Token,
        401,
        UNAUTHENTICATED,
        "wrong_issuer",
        "the token has another `iss`",
    ),
    Row(
        Token,
        401,
        UNAUTHENTICATED,
        "invalid_subject",
        "the token's `sub` is empty, or not allowed",
    ),
    Row(
        Token,
        401,
        UNAUTHENTICATED,
        "invalid_budget",
        "the token's `budget` is not a valid budget",
    ),
    Row(
        Token,
        401,
        UNAUTHENTICATED,
        "invalid_assets",
        "the token's `assets` is not a list of assets",
    ),
    Row(
        Token,
        401,
        UNAUTHENTICATED,
        "invalid_id",
        "an agent's token of more than an hour has no `jti` to revoke it by",
    ),
    Row(
        Token,
        429,
        Code::RATE_LIMIT,
        "rate_limit",
        "too many requests in a minute; see `Retry-After`",
    ),
    Row(
        Token,
        503,
        SERVER_ERROR,
        "keys_unavailable",
        "the keys that verify tokens cannot be fetched",
    ),
    Row(
        Scope,
        403,
        UNAUTHENTICATED,
        "scope",
        "the token's scope does not allow this",
    ),
    Row(
        Body,
        400,
        INVALID_INPUT,
        "invalid_fields",
        "`data.errors` lists every problem with the request's fields",
    ),
    Row(
        Body,
        400,
        INVALID_INPUT,
        "malformed_json",
        "not JSON, nested deeper than 64 levels, or over 100,000 values",
    ),
    Row(
        Body,
        400,
        INVALID_INPUT,
        "broken_body",
        "the body was cut off",
    ),
    Row(
        Body,
        408,
        INVALID_INPUT,
        "slow_body",
        "the body took too long",
    ),
    Row(
        Body,
        413,
        INVALID_INPUT,
        "body_too_large",
        "the body is larger than the gateway accepts",
    ),
    Row(
        Enabled,
        404,
        INVALID_INPUT,
        "unknown_path",
        "the operation is disabled on this gateway",
    ),
    Row(
        TaskId,
        404,
        INVALID_INPUT,
        "unknown_task",
        "the id is unknown, damaged, or another caller's",
    ),
    Row(
        Ledger,
        500,
        SERVER_ERROR,
        "ledger",
        "the platform failed unexpectedly",
    ),
    Row(
        List,
        400,
        INVALID_INPUT,
        "invalid_parameter",
        "`limit` or `cursor` is not valid",
    ),
    Row(
        Forget,
        409,
        INVALID_INPUT,
        "task_running",
        "the task has not ended",
    ),
    Row(
        Watcher,
        500,
        SERVER_ERROR,
        "watcher",
        "the platform failed unexpectedly",
    ),
    Row(
        Upstream,
        502,
        UNAUTHENTICATED,
        "upstream_credentials",
        "the media service rejected the gateway's API key",
    ),
    Row(
        Upstream,
        502,
        SERVER_ERROR,
        "not_json",
        "the media service's response is not JSON, or too large or too deep",
    ),
    Row(
        Upstream,
        502,
        SERVER_ERROR,
        "not_an_envelope",
        "the media service's response is not an envelope",
    ),
    Row(
        Upstream,
        502,
        SERVER_ERROR,
        "contradictory",
        "the response's code is success, and its HTTP status an error",
    ),
    Row(
        Upstream,
        502,
        SERVER_ERROR,
        "unreachable",
        "the media service sent no response",
    ),
    Row(
        Upstream,
        502,
        SERVER_ERROR,
        "redirect",
        "the media service sent a redirect, which is not followed",
    ),
    Row(
        Upstream,
        502,
        SERVER_ERROR,
        "answer_too_large",
        "the media service's response is larger than allowed",
    ),
    Row(
        Upstream,
        503,
        SERVER_ERROR,
        "upstream_unavailable",
        "the circuit breaker is open; see `Retry-After`",
    ),
    Row(
        Upstream,
        504,
        Code::PROVIDER_TIMEOUT,
        "deadline",
        "the media service did not respond in time",
    ),
    Row(
        Data,
        502,
        SERVER_ERROR,
        "no_data",
        "the media service's response has no `data`",
    ),
    Row(
        TaskRecord,
        502,
        SERVER_ERROR,
        "no_task",
        "the media service's response has no task",
    ),
    Row(
        Create,
        502,
        SERVER_ERROR,
        "unusable_id",
        "the id of the created task cannot be used in a path",
    ),
    Row(
        Create,
        502,
        SERVER_ERROR,
        "ledger",
        "the ledger did not respond; repeat the create with the same key",
    ),
    Row(
        Create,
        502,
        SERVER_ERROR,
        "interrupted",
        "the gateway was interrupted during the create",
    ),
    Row(
        Create,
        409,
        Code::ASSET_CATEGORY_MISMATCH,
        "asset_category_mismatch",
        WRONG_CATEGORY,
    ),
    Row(Create, 422, Code::INVALID_MODEL, "invalid_model", NO_MODEL),
    Row(
        Create,
        422,
        Code::VOICE_ASSET_REQUIRED,
        "voice_asset_required",
        NO_VOICE,
    ),
    Row(
        Create,
        400,
        INVALID_INPUT,
        "idempotency_key",
        "the `Idempotency-Key` is not valid",
    ),
    Row(
        Create,
        422,
        INVALID_INPUT,
        "idempotency_key_reused",
        "the key was used with another body",
    ),
    Row(
        Create,
        429,
        Code::RATE_LIMIT,
        "budget",
        "a budget is used up: `data.limit` names it; see `Retry-After`",
    ),
    Row(
        Create,
        500,
        SERVER_ERROR,
        "ledger",
        "the platform failed unexpectedly; nothing was sent",
    ),
    Row(
        Create,
        500,
        SERVER_ERROR,
        "capability",
        "the platform failed unexpectedly; nothing was sent",
    ),
    Row(
        Create,
        500,
        SERVER_ERROR,
        "unexpected_success",
        "the platform failed unexpectedly",
    ),
    Row(
        Session,
        403,
        UNAUTHENTICATED,
        "turnstile",
        "Turnstile did not verify the request",
    ),
    Row(
        Session,
        429,
        Code::RATE_LIMIT,
        "rate_limit",
        "too many sessions in a minute; see `Retry-After`",
    ),
    Row(
        Session,
        500,
        SERVER_ERROR,
        "no_key",
        "the platform failed unexpectedly",
    ),
    Row(
        Session,
        500,
        SERVER_ERROR,
        "no_randomness",
        "the platform failed unexpectedly",
    ),
    Row(
        Shared,
        429,
        Code::RATE_LIMIT,
        "budget",
        "what anonymous callers share is used up: `data.limit` names it",
    ),
    Row(
        Shared,
        500,
        SERVER_ERROR,
        "ledger",
        "the platform failed unexpectedly; nothing was sent",
    ),
    Row(
        Estimate,
        409,
        Code::ASSET_CATEGORY_MISMATCH,
        "asset_category_mismatch",
        WRONG_CATEGORY,
    ),
    Row(
        Estimate,
        422,
        Code::INVALID_MODEL,
        "invalid_model",
        NO_MODEL,
    ),
    Row(
        Estimate,
        422,
        Code::VOICE_ASSET_REQUIRED,
        "voice_asset_required",
        NO_VOICE,
    ),
    Row(
        Estimate,
        400,
        INVALID_INPUT,
        "unknown_capability",
        "`capability` is not the name of a capability",
    ),
    Row(
        UploadUrl,
        400,
        INVALID_INPUT,
        "file_too_large",
        "the file is larger than the gateway allows",
    ),
    Row(
        UploadUrl,
        502,
        SERVER_ERROR,
        "no_upload_url",
        "the media service's response has no upload URL",
    ),
    Row(
        UploadUrl,
        502,
        SERVER_ERROR,
        "upload_host_not_allowed",
        "the upload URL's host is not on the operator's list",
    ),
    Row(
        UploadUrl,
        502,
        SERVER_ERROR,
        "upload_too_long",
        "what the storage wants of the upload is too long to be relayed",
    ),
    Row(
        Relay,
        400,
        INVALID_INPUT,
        "wrong_size",
        "the body does not have the requested size",
    ),
    Row(
        Relay,
        408,
        INVALID_INPUT,
        "slow_body",
        "no byte of the upload arrived for a while",
    ),
    Row(
        Relay,
        403,
        INVALID_INPUT,
        "invalid_ticket",
        "the ticket is invalid, another caller's, or expired",
    ),
    Row(
        Relay,
        403,
        INVALID_INPUT,
        "upload_url_expired",
        "the storage rejected the upload URL as expired; request a new one",
    ),
    Row(
        Relay,
        500,
        SERVER_ERROR,
        "relay",
        "the platform failed unexpectedly",
    ),
    Row(
        Relay,
        502,
        SERVER_ERROR,
        "storage_unreachable",
        "the storage did not respond",
    ),
    Row(
        Relay,
        502,
        SERVER_ERROR,
        "storage_refused",
        "the storage rejected the bytes",
    ),
    Row(
        Relay,
        504,
        Code::PROVIDER_TIMEOUT,
        "deadline",
        "the storage did not respond in time",
    ),
    Row(
        Transfer,
        404,
        INVALID_INPUT,
        "unknown_output",
        "the task has no output at this position",
    ),
    Row(
        Transfer,
        409,
        INVALID_INPUT,
        "task_running",
        "the task has not ended, and has no such output yet",
    ),
    Row(
        Transfer,
        409,
        INVALID_INPUT,
        "output_without_url",
        "the output is an asset without a file",
    ),
    Row(
        Transfer,
        500,
        SERVER_ERROR,
        "transfer",
        "the platform failed unexpectedly, or interrupted the transfer thrice",
    ),
    Row(
        Transfer,
        422,
        INVALID_INPUT,
        "output_host_not_allowed",
        "the output's host is not on the operator's list",
    ),
    Row(
        Transfer,
        502,
        SERVER_ERROR,
        "output_unavailable",
        "the output can't be loaded from its URL, or decoded",
    ),
    Row(
        Transfer,
        422,
        INVALID_INPUT,
        "output_without_length",
        "the output comes without a length",
    ),
    Row(
        Transfer,
        502,
        SERVER_ERROR,
        "transfer_stalled",
        "no byte of the output arrived for a while",
    ),
    Row(
        Transfer,
        502,
        SERVER_ERROR,
        "transfer_interrupted",
        "the output ended too early or has another length than announced, or the storage did not respond",
    ),
    Row(
        Transfer,
        502,
        SERVER_ERROR,
        "storage_refused",
        "the storage rejected the bytes",
    ),
    Row(
        PipelineId,
        404,
        INVALID_INPUT,
        "unknown_pipeline",
        "the id is unknown, damaged, or another caller's",
    ),
    Row(
        Pipeline,
        500,
        SERVER_ERROR,
        "pipeline",
        "the platform failed unexpectedly",
    ),
    Row(
        StartPipeline,
        400,
        INVALID_INPUT,
        "idempotency_key",
        "the `Idempotency-Key` is not valid",
    ),
    Row(
        StartPipeline,
        409,
        Code::ASSET_CATEGORY_MISMATCH,
        "asset_category_mismatch",
        WRONG_CATEGORY,
    ),
    Row(
        StartPipeline,
        422,
        Code::INVALID_MODEL,
        "invalid_model",
        NO_MODEL,
    ),
    Row(
        StartPipeline,
        422,
        Code::VOICE_ASSET_REQUIRED,
        "voice_asset_required",
        NO_VOICE,
    ),
    Row(
        StartPipeline,
        422,
        INVALID_INPUT,
        "idempotency_key_reused",
        "the key was used with another pipeline",
    ),
    Row(
        StartPipeline,
        422,
        INVALID_INPUT,
        "outputs_not_moved",
        "a step uses a file of another, and the gateway moves none",
    ),
    Row(
        StartPipeline,
        429,
        Code::RATE_LIMIT,
        "budget",
        TOO_MANY_CREATES,
    ),
    Row(Resume, 429, Code::RATE_LIMIT, "budget", TOO_MANY_CREATES),
    Row(
        Resume,
        409,
        INVALID_INPUT,
        "not_resumable",
        "it has not ended, or nothing of it can begin anew",
    ),
    Row(
        ForgetPipeline,
        409,
        INVALID_INPUT,
        "pipeline_running",
        "the pipeline has not ended",
    ),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The pairs of HTTP status and reason in the table of `docs/gateway.md`.
    fn documented() -> BTreeSet<(u16, String)> {
        let text = include_str!("../../../../docs/gateway.md");
        let table = text
            .split("\n## Refusals\n")
            .nth(1)
            .and_then(|it| it.split("In `data.errors`").next());
        let mut found = BTreeSet::new();
        for line in table.expect("a table of refusals").lines() {
            let cells: Vec<_> = line.split('|').map(str::trim).collect();
            if let [_, status, _, reasons, ..] = cells.as_slice()
                && let Ok(status) = status.parse()
            {
                found.extend(
                    reasons
                        .split(',')
                        .map(|it| (status, it.trim().trim_matches('`').to_owned())),
                );
            }
        }
        found
    }

    #[test]
    fn the_table_has_the_same_refusals_as_the_docs() {
        let listed: BTreeSet<_> = ROWS.iter().map(|it| (it.1, it.3.to_owned())).collect();
        // A method that a path does not allow is not an operation.
        let mut documented = documented();
        assert!(documented.remove(&(405, "unknown_method".to_owned())));
        assert_eq!(listed, documented);
    }
}
