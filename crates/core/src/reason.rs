//! The reasons of the gateway's refusals, declared once.
//!
//! The OpenAPI document, the table in `docs/gateway.md` and the TypeScript types are generated from
//! [`Reason::ALL`]. To add a refusal, add its row to the table below.

use crate::code::Code;

/// `data.reason` of a create whose outcome is unknown. In that case, `data.cause` is the name of a
/// [`Reason`].
pub const OUTCOME_UNKNOWN: &str = "outcome_unknown";

/// A part of an operation that can refuse. An operation responds with the reasons of its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The checks of every request: the origin and the settings.
    Always,
    /// The verification of a session token.
    Token,
    /// The check of the token's scope.
    Scope,
    /// A JSON body.
    Body,
    /// The check that the operator has not switched the operation off.
    Enabled,
    /// The check that the upstream offers a capability.
    Offer,
    /// The sealed id of a task.
    TaskId,
    /// A read of the history in the caller's ledger.
    Ledger,
    /// The parameters of a list.
    List,
    /// Removal of a task from the history.
    Forget,
    /// A subscription to a task's watcher.
    Watcher,
    /// A request to the upstream.
    Upstream,
    /// The `data` of a response of the upstream without a task in it.
    Data,
    /// The task in a response of the upstream.
    TaskRecord,
    /// A create, at most once.
    Create,
    /// An anonymous session.
    Session,
    /// Limits that all anonymous callers share.
    Shared,
    /// An estimate of credits.
    Estimate,
    /// An upload URL.
    UploadUrl,
    /// An upload that is relayed to the storage.
    Relay,
    /// An output, or a file at a URL, that is moved into the storage.
    Transfer,
    /// An output that the gateway stores.
    Output,
    /// The sealed id of a pipeline.
    PipelineId,
    /// A request to a pipeline's object.
    Pipeline,
    /// The start of a pipeline.
    StartPipeline,
    /// The resumption of a pipeline.
    Resume,
    /// Removal of a pipeline.
    ForgetPipeline,
}

#[derive(Clone, Copy, Debug)]
struct Declaration {
    name: &'static str,
    status: u16,
    code: Code,
    parts: &'static [Part],
    message: &'static str,
    remedy: &'static str,
}

/// Declares [`Reason`] from rows. A row without parts is a reason of `/mcp`, of a method, or of a
/// pipeline's step.
macro_rules! reasons {
    ($($variant:ident(
        $name:literal, $status:literal, $code:ident, [$($part:ident),*],
        $message:literal, $remedy:literal
    );)*) => {
        /// A reason of a refusal: `data.reason` of the response.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Reason {
            $(#[doc = $message] $variant,)*
        }

        impl Reason {
            /// All reasons, in the order of the parts of a request.
            pub const ALL: &'static [Reason] = &[$(Reason::$variant),*];

            const fn declaration(self) -> Declaration {
                match self {
                    $(Reason::$variant => Declaration {
                        name: $name,
                        status: $status,
                        code: Code::$code,
                        parts: &[$(Part::$part),*],
                        message: $message,
                        remedy: $remedy,
                    },)*
                }
            }
        }
    };
}

#[rustfmt::skip]
reasons! {
    OriginNotAllowed("origin_not_allowed", 403, UNAUTHENTICATED, [Always],
        "this origin may not call the gateway",
        "its operator lists origins in ALLOWED_ORIGINS");
    Misconfigured("misconfigured", 500, SERVER_ERROR, [Always],
        "a setting of the gateway is missing or wrong",
        "correct the setting that `data.setting` names");
    NoToken("no_token", 401, UNAUTHENTICATED, [Token],
        "there is no session token",
        "send one as `Authorization: Bearer <token>`");
    InvalidToken("invalid_token", 401, UNAUTHENTICATED, [Token],
        "the session token is not valid: it is no token, or its signature or algorithm is wrong",
        "fetch a new one");
    InvalidClaims("invalid_claims", 401, UNAUTHENTICATED, [Token],
        "the session token's claims are not a JSON object, repeat a name, have a wrong type, or \
         lack `iat` or `exp`",
        "correct what issues it");
    ExpiredToken("expired_token", 401, UNAUTHENTICATED, [Token],
        "the session token has expired",
        "fetch a new one");
    EarlyToken("early_token", 401, UNAUTHENTICATED, [Token],
        "the session token is not valid yet",
        "check the clock of its issuer");
    LongToken("long_token", 401, UNAUTHENTICATED, [Token],
        "the session token lives longer than an hour, or than MCP_TOKEN_DAYS",
        "issue shorter ones, or for /mcp one with the scope mcp");
    AgentToken("agent_token", 401, UNAUTHENTICATED, [Token],
        "the session token has the scope mcp, which is valid only at /mcp and for uploads \
         requested there",
        "fetch one without that word");
    RevokedToken("revoked_token", 401, UNAUTHENTICATED, [Token],
        "the session token was revoked, by SESSION_NOT_BEFORE or MCP_REVOKED_TOKENS",
        "fetch a new one");
    WrongType("wrong_type", 401, UNAUTHENTICATED, [Token],
        "the token is of another type",
        "send the access token (typ at+jwt if MCP_AUTHORIZATION_SERVERS is set)");
    WrongAudience("wrong_audience", 401, UNAUTHENTICATED, [Token],
        "the session token is for another audience",
        "issue one with the `aud` of this gateway");
    WrongIssuer("wrong_issuer", 401, UNAUTHENTICATED, [Token],
        "the session token is of another issuer",
        "issue one with the `iss` of this gateway's settings");
    InvalidSubject("invalid_subject", 401, UNAUTHENTICATED, [Token],
        "the session token's `sub` is missing or empty, or begins with `anon:`",
        "put the user's id into `sub`");
    InvalidBudget("invalid_budget", 401, UNAUTHENTICATED, [Token],
        "the session token's claim budget is not valid",
        "give whole numbers for creates, generate, process, in_flight, and a number for credits");
    InvalidLimits("invalid_limits", 401, UNAUTHENTICATED, [Token],
        "the session token's claim limits is not valid",
        "give lists of texts for models and clarities, and whole numbers for max_seconds, \
         max_pixels, max_prompt_chars");
    InvalidAssets("invalid_assets", 401, UNAUTHENTICATED, [Token],
        "the session token's claim assets is not valid",
        "give a list of asset ids, or of objects with id and category, which is avatar or voice");
    InvalidId("invalid_id", 401, UNAUTHENTICATED, [Token],
        "the session token lives longer than an hour and has no jti of visible ASCII without \
         commas, by which it could be revoked",
        "issue one with a jti");
    RateLimit("rate_limit", 429, RATE_LIMIT, [Token, Session, Output],
        "too many requests",
        "wait for the time that Retry-After gives");
    KeysUnavailable("keys_unavailable", 503, SERVER_ERROR, [Token],
        "the keys at SESSION_JWKS_URL that verify session tokens can't be fetched at the moment",
        "try again later");
    Scope("scope", 403, UNAUTHENTICATED, [Scope],
        "the session token's scope does not allow this",
        "use a token with more scope");
    InvalidFields("invalid_fields", 400, INVALID_INPUT, [Body],
        "the request's fields are not valid",
        "correct what `data.errors` lists, each with `path`, `reason`, `message` and `severity`");
    MalformedJson("malformed_json", 400, INVALID_INPUT, [Body],
        "the body is not valid JSON, is nested deeper than 64 levels, or has more than 10,000 \
         values",
        "check its syntax and nesting");
    BrokenBody("broken_body", 400, INVALID_INPUT, [Body],
        "the body ended early",
        "send the request again");
    SlowBody("slow_body", 408, INVALID_INPUT, [Body, Relay],
        "the body did not arrive in time, which UPSTREAM_TIMEOUT_MS sets",
        "send the request again over a faster connection");
    BodyTooLarge("body_too_large", 413, INVALID_INPUT, [Body],
        "the body is larger than MAX_BODY_BYTES, or a pipeline's than 200,000 bytes",
        "send less");
    UnknownPath("unknown_path", 404, INVALID_INPUT, [Enabled],
        "there is nothing at this path, or the operator has switched it off",
        "check the path");
    NotOffered("not_offered", 404, INVALID_MODEL, [Offer],
        "this gateway does not offer this capability",
        "use one of those that GET /api/app/v1/capabilities lists");
    UnknownMethod("unknown_method", 405, INVALID_INPUT, [],
        "this path does not take this method",
        "use one that `Allow` lists");
    UnknownTask("unknown_task", 404, INVALID_INPUT, [TaskId],
        "there is no such task, or it is another caller's",
        "check the id");
    LedgerFailed("ledger", 500, SERVER_ERROR, [Ledger, Create, Shared, Output],
        "the gateway failed",
        "try again later; nothing was sent");
    InvalidParameter("invalid_parameter", 400, INVALID_INPUT, [List],
        "`limit` or `cursor` of a list is not valid",
        "give a limit of 1 to 100, and a cursor as a page returned it");
    TaskRunning("task_running", 409, INVALID_INPUT, [Forget, Transfer],
        "the task has not ended",
        "wait for its end");
    Busy("busy", 503, SERVER_ERROR,
        [Ledger, Create, Shared, Watcher, Output, Transfer, Pipeline, StartPipeline],
        "the gateway, on a server, has too many tasks and callers at once; nothing was sent",
        "try again after the time that Retry-After gives");
    WatcherFailed("watcher", 500, SERVER_ERROR, [Watcher], "the gateway failed", "try again later");
    UpstreamCredentials("upstream_credentials", 502, UNAUTHENTICATED, [Upstream],
        "the media service did not accept this gateway's credentials",
        "tell its operator");
    NotJson("not_json", 502, SERVER_ERROR, [Upstream],
        "the media service's response is not JSON, is too large or too deep, or has more than \
         1,000 ids",
        "try again later");
    UpstreamFirewall("upstream_firewall", 502, SERVER_ERROR, [Upstream, Transfer],
        "a firewall in front of the media service, or of its files, refused the gateway's request \
         with 403 and a page",
        "the firewall's operator must admit requests with the User-Agent Mediagate/1");
    NotAnEnvelope("not_an_envelope", 502, SERVER_ERROR, [Upstream],
        "the media service's response is not an envelope",
        "try again later");
    Contradictory("contradictory", 502, SERVER_ERROR, [Upstream],
        "the code of the media service's response says success, and its HTTP status an error",
        "try again later");
    Unreachable("unreachable", 502, SERVER_ERROR, [Upstream],
        "the media service sent no response",
        "try again later");
    Redirect("redirect", 502, SERVER_ERROR, [Upstream],
        "the media service sent a redirect, which is not followed",
        "check UPSTREAM_BASE_URL");
    AnswerTooLarge("answer_too_large", 502, SERVER_ERROR, [Upstream],
        "the media service's response is larger than MAX_RESPONSE_BYTES",
        "the gateway's operator can raise that setting");
    UpstreamUnavailable("upstream_unavailable", 503, SERVER_ERROR, [Upstream],
        "the media service is not responding, after BREAKER_FAILURES consecutive failures",
        "try again after the time that Retry-After gives");
    Deadline("deadline", 504, PROVIDER_TIMEOUT, [Upstream, Relay],
        "the media service did not respond within UPSTREAM_TIMEOUT_MS",
        "try again later");
    NoData("no_data", 502, SERVER_ERROR, [Data],
        "the media service's response has no `data`",
        "try again later");
    NoTask("no_task", 502, SERVER_ERROR, [TaskRecord],
        "the media service's response has no task",
        "try again later");
    UnusableId("unusable_id", 502, SERVER_ERROR, [Create],
        "the id of the created task can't be used in a path",
        "tell the gateway's operator");
    LedgerSilent("ledger", 502, SERVER_ERROR, [Create],
        "the ledger did not respond, so the outcome is unknown",
        "repeat the create with the same Idempotency-Key");
    Interrupted("interrupted", 502, SERVER_ERROR, [Create],
        "the gateway was interrupted while it created this",
        "look at the task list: whether the task exists is unknown");
    AssetCategoryMismatch("asset_category_mismatch", 409, ASSET_CATEGORY_MISMATCH,
        [Create, Estimate, StartPipeline],
        "the token says that an asset is of another category than the field needs",
        "use one of the category that `data.errors` names");
    ContentRefused("content_refused", 422, INVALID_INPUT, [Create],
        "the provider refuses the content of this request",
        "change the text or the files");
    InvalidModel("invalid_model", 422, INVALID_MODEL, [Create, Estimate, StartPipeline],
        "the media service has no model of this model_id",
        "GET /api/app/v1/models lists those it has");
    Limit("limit", 422, INVALID_INPUT, [Create, Estimate, StartPipeline, Resume],
        "a value is not within the limits of the session token, or of DEFAULT_LIMITS",
        "correct what `data.errors` lists; GET /api/app/v1/capabilities shows the limits");
    VoiceAssetRequired("voice_asset_required", 422, VOICE_ASSET_REQUIRED,
        [Create, Estimate, StartPipeline],
        "a voice asset is all that is missing",
        "give voice_asset_id");
    IdempotencyKey("idempotency_key", 400, INVALID_INPUT, [Create, StartPipeline],
        "the Idempotency-Key is not valid",
        "give 1 to 255 visible ASCII characters");
    IdempotencyKeyReused("idempotency_key_reused", 422, INVALID_INPUT, [Create, StartPipeline],
        "this Idempotency-Key was used with another body, or another pipeline",
        "use a new key only for a new request: the first one may have been charged");
    Budget("budget", 429, RATE_LIMIT, [Create, Shared, StartPipeline, Resume],
        "a budget is used up, or a pipeline's creates exceed it, or too many pipelines run: \
         `data.limit` names the limit",
        "wait for the time that Retry-After gives; without it, waiting does not help");
    CapabilityFailed("capability", 500, SERVER_ERROR, [Create],
        "the gateway failed",
        "try again later; nothing was sent");
    UnexpectedSuccess("unexpected_success", 500, SERVER_ERROR, [Create],
        "the gateway failed",
        "try again later");
    Turnstile("turnstile", 403, UNAUTHENTICATED, [Session],
        "Turnstile did not verify this request",
        "send the widget's response token in x-turnstile-response");
    NoKey("no_key", 500, SERVER_ERROR, [Session], "the gateway failed", "try again later");
    NoRandomness("no_randomness", 500, SERVER_ERROR, [Session],
        "the gateway failed",
        "try again later");
    UnknownCapability("unknown_capability", 400, INVALID_INPUT, [Estimate],
        "`capability` is not the name of a capability",
        "give capability, the name of one, and input, its request");
    FileTooLarge("file_too_large", 400, INVALID_INPUT, [UploadUrl, Transfer],
        "the file is larger than MAX_UPLOAD_BYTES, or a file that is to be moved is empty",
        "use a smaller file");
    NoUploads("no_uploads", 422, INVALID_INPUT, [UploadUrl],
        "this gateway takes no files: its upstream is a module, and there is no bucket for uploads",
        "its operator can set UPLOAD_MODE to bucket");
    FileNotUploaded("file_not_uploaded", 422, INVALID_INPUT, [Create],
        "a file of the request was not uploaded, or was removed since",
        "upload the file again, and use its new file_id");
    NoUploadUrl("no_upload_url", 502, SERVER_ERROR, [UploadUrl],
        "the media service's response has no upload URL",
        "try again later");
    UploadHostNotAllowed("upload_host_not_allowed", 502, SERVER_ERROR, [UploadUrl],
        "the media service named an upload URL whose host UPLOAD_HOSTS does not list, or that has \
         a character which no URL needs",
        "tell the gateway's operator");
    UploadTooLong("upload_too_long", 502, SERVER_ERROR, [UploadUrl],
        "what the storage requires of the upload is too long to be relayed",
        "tell the gateway's operator");
    WrongSize("wrong_size", 400, INVALID_INPUT, [Relay],
        "the body has another size than was requested",
        "send the file whose size the upload was requested with");
    InvalidTicket("invalid_ticket", 403, INVALID_INPUT, [Relay],
        "the upload ticket is not valid, belongs to another caller, or has expired",
        "request a new upload");
    UploadUrlExpired("upload_url_expired", 403, INVALID_INPUT, [Relay],
        "the storage rejected the upload URL as expired",
        "request a new one");
    RelayFailed("relay", 500, SERVER_ERROR, [Relay], "the gateway failed", "try again later");
    StorageUnreachable("storage_unreachable", 502, SERVER_ERROR, [Relay],
        "the storage did not respond",
        "try again later");
    StorageRefused("storage_refused", 502, SERVER_ERROR, [Relay, Transfer],
        "the storage rejected the bytes",
        "try again later");
    UnknownOutput("unknown_output", 404, INVALID_INPUT, [Transfer, Output],
        "the task has no output at this position",
        "its outputs are counted from 0");
    RangeNotSatisfiable("range_not_satisfiable", 416, INVALID_INPUT, [Output],
        "the requested range begins at or after the end of the file",
        "request a range that begins within the file; Content-Range has its size");
    OutputWithoutUrl("output_without_url", 409, INVALID_INPUT, [Transfer],
        "the output is an asset without a file",
        "use its asset_id in a field for an asset");
    TransferFailed("transfer", 500, SERVER_ERROR, [Transfer],
        "the gateway failed, or was interrupted three times",
        "try again later");
    OutputHostNotAllowed("output_host_not_allowed", 422, INVALID_INPUT, [Transfer],
        "the output is on a host that OUTPUT_HOSTS does not list",
        "the gateway's operator can list it");
    OutputUnavailable("output_unavailable", 502, SERVER_ERROR, [Transfer],
        "the output can't be loaded from its URL, which may have expired, or can't be decoded",
        "read the task again");
    OutputWithoutLength("output_without_length", 422, INVALID_INPUT, [Transfer],
        "the output, or the file at a URL, comes without a length",
        "download it and upload the file; if the storage takes files without a length, the \
         gateway's operator can set upload.send.without_length of UPSTREAM_DIALECT");
    InputHostNotAllowed("input_host_not_allowed", 422, INVALID_INPUT, [Transfer],
        "the URL of the file, or one that it redirects to, is no https URL of a host that \
         INPUT_HOSTS allows",
        "give another, or download the file and upload it");
    InputNeedsLogin("input_needs_login", 422, INVALID_INPUT, [Transfer],
        "the URL of the file has a user or a password in it, or its server responds with 401, or \
         with 403 and no page",
        "give one that is loaded without a login");
    InputFirewall("input_firewall", 422, INVALID_INPUT, [Transfer],
        "the server at the URL of the file responds with 403 and a page: a firewall, or a login",
        "give one that is loaded without a login, or have its firewall admit requests with the \
         User-Agent Mediagate/1");
    InputUnavailable("input_unavailable", 422, INVALID_INPUT, [Transfer],
        "the server at the URL of the file responds with another status than 200, with too many \
         redirects, or with an encoding that can't be decoded",
        "check the URL");
    InputUnreachable("input_unreachable", 502, SERVER_ERROR, [Transfer],
        "the server at the URL of the file does not respond, or responds with a status from 500 on",
        "try again later");
    TransferStalled("transfer_stalled", 502, SERVER_ERROR, [Transfer],
        "no byte of the file arrived for a while",
        "try again later");
    TransferInterrupted("transfer_interrupted", 502, SERVER_ERROR, [Transfer],
        "the file ended too early or has another length than announced, or the storage did not \
         respond",
        "try again later");
    UnknownPipeline("unknown_pipeline", 404, INVALID_INPUT, [PipelineId],
        "there is no such pipeline, or it is another caller's, or no longer stored",
        "check the id");
    PipelineFailed("pipeline", 500, SERVER_ERROR, [Pipeline],
        "the gateway failed",
        "try again later");
    OutputsNotMoved("outputs_not_moved", 422, INVALID_INPUT, [StartPipeline],
        "this gateway moves no outputs, so no step can use a file of another",
        "its operator can list the hosts of outputs in OUTPUT_HOSTS");
    NotResumable("not_resumable", 409, INVALID_INPUT, [Resume],
        "the pipeline has not ended, or none of its steps can begin again",
        "read it, and resume it after its end");
    PipelineRunning("pipeline_running", 409, INVALID_INPUT, [ForgetPipeline],
        "the pipeline is still running",
        "cancel it or wait for its end, then remove it");
    MediaType("media_type", 415, INVALID_INPUT, [],
        "the Content-Type is not JSON",
        "send Content-Type: application/json");
    NotAcceptable("not_acceptable", 406, INVALID_INPUT, [],
        "responses are JSON, or events for a client that takes them",
        "send Accept: application/json, text/event-stream");
    TaskUnfinished("task_unfinished", 504, PROVIDER_TIMEOUT, [],
        "the task has not ended in time, and is no longer followed",
        "look at the task list: it may still run");
    PipelineNotBegun("pipeline_not_begun", 504, PROVIDER_TIMEOUT, [],
        "none of the pipeline's creates was accepted within an hour",
        "resume it to try again");
    PriceUnknown("price_unknown", 422, INVALID_INPUT, [Create, StartPipeline, Resume],
        "the price of a create is unknown, and a budget in credits or Max-Credits needs it",
        "state the length, the model or the clarity, or have the operator add the price to PRICES");
    MaxCredits("max_credits", 422, INVALID_INPUT, [Create, StartPipeline, Resume],
        "the creates cost more than Max-Credits allows, or that header is no number of credits: \
         `data.expected_credits` has the price",
        "ask for something cheaper, or give a higher Max-Credits");
    PipelineTooOld("pipeline_too_old", 504, PROVIDER_TIMEOUT, [],
        "the pipeline ran for longer than the gateway's PIPELINE_DAYS",
        "resume it to continue");
}

impl Reason {
    /// Returns the name on the wire: `data.reason`.
    pub const fn name(self) -> &'static str {
        self.declaration().name
    }

    /// Returns the HTTP status.
    pub const fn status(self) -> u16 {
        self.declaration().status
    }

    /// Returns the application code (§7).
    pub const fn code(self) -> Code {
        self.declaration().code
    }

    /// Returns the parts of an operation that refuse for this reason.
    pub const fn parts(self) -> &'static [Part] {
        self.declaration().parts
    }

    /// Returns the problem, as a clause.
    pub const fn message(self) -> &'static str {
        self.declaration().message
    }

    /// Returns the remedy, as a clause.
    pub const fn remedy(self) -> &'static str {
        self.declaration().remedy
    }
}
