"""What a document cannot say of the requests it describes, and a caller knows: which files are uploaded, which values
this account's models take, and which of two values comes first.

A body that obeys the schema is given values that exist, in place of random ones of the same type. A body that breaks the
schema breaks it still: only valid values are replaced.
"""

import json
import os
import re
import uuid

import requests
import schemathesis

FACTS = json.loads(os.environ["OPENAPI_FACTS"])
"""The callers, each with a token; an id of each format, by caller; the default model of each capability; the page's origin;
the form of a file's id; the name of a result."""

OFFERED = {"aspect_ratio": ["16:9", "9:16", "1:1"], "clarity": ["480P"], "resolution": ["480p"], "logo_type": ["default"]}
TIME = re.compile(r"[0-9]{2}:[0-5][0-9]:[0-5][0-9]")
FILLED = r".*\S.*"
RANGE = re.compile(r"(\d+)-(\d+)")


@schemathesis.hook
def before_call(context, case, kwargs):
    """Puts in what exists."""
    body, capability = case.body, case.path.rsplit("/", 1)[-1]
    if capability == "estimate" and isinstance(body, dict):
        body, capability = body.get("input"), body.get("capability")
    if isinstance(body, dict) and isinstance(capability, str) and capability in FACTS["models"]:
        for name, value in body.items():
            body[name] = existing(name, value, capability, case)
    elif capability == "upload_urls" and isinstance(body, dict) and is_whole(body.get("size")):
        body["size"] = 1 + int(body["size"]) % 1024
    path = case.path_parameters or {}
    if path.get("name"):
        path["name"] = FACTS["file"]
    for name in ["ticket", "token"]:
        if name in path and case.meta.generation.mode.is_positive and (size := len(getattr(body, "data", b""))):
            path[name] = new_upload(case, size)
    headers = case.headers or {}
    if isinstance(headers.get("Origin"), str):
        headers["Origin"] = FACTS["origin"]
    # A key that was used with another body is refused, as it should be.
    if re.fullmatch(r"[!-~]{1,255}", headers.get("Idempotency-Key") or ""):
        headers["Idempotency-Key"] = str(uuid.uuid4())


def new_upload(case, size):
    """The last part of an upload URL that the caller is given for so many bytes."""
    url = f"{case.operation.base_url.rstrip('/')}/api/app/v1/upload_urls"
    announced = {"file_name": "a.bin", "content_type": "application/octet-stream", "size": size}
    token = {"Authorization": f"Bearer {FACTS['callers'][caller(case)]}"}
    return requests.post(url, json=announced, headers=token, timeout=10).json()["data"]["upload_url"].rsplit("/", 1)[-1]


def caller(case):
    """Whose request it is."""
    identity = getattr(case, "auth_identity", None)
    return identity if identity in FACTS["callers"] else next(iter(FACTS["callers"]))


def existing(name, value, capability, case):
    """The value of a field, or one in its place that this account knows."""
    ids = FACTS["ids"][caller(case)]
    form = format_of(name, capability, case)
    if known := ids.get(form):
        valid = FACTS["file_id"] if form.endswith("file-id") else FILLED
        one = lambda it: known if isinstance(it, str) and re.fullmatch(valid, it, re.DOTALL) else it
        return [one(it) for it in value] if isinstance(value, list) else one(value)
    if isinstance(value, str) and name in OFFERED:
        return OFFERED[name][len(value) % len(OFFERED[name])]
    if isinstance(value, str) and name == "model_id":
        return FACTS["models"][capability]
    if isinstance(value, str) and name == "page_range":
        return RANGE.sub(lambda it: "-".join(sorted(it.groups(), key=int)), value)
    if name in ["width", "height"] and is_whole(value, 2**31):
        return 16 + 2 * (int(value) % 24)
    if name == "duration_seconds" and is_whole(value, 2**31):
        return 1
    if name == "segments" and isinstance(value, list):
        return [in_order(it) for it in value]
    return value


def format_of(name, capability, case):
    """The format of a field, or of what it lists."""
    schemas = case.operation.schema.raw_schema["components"]["schemas"]
    properties = schemas["".join(it.capitalize() for it in capability.split("_")) + "Input"]["properties"]
    field = properties.get(name, {})
    return (field.get("items") or field.get("oneOf", [field])[0] or {}).get("format")


def is_whole(value, most=2**53):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 1 <= value < most and value == int(value)


def in_order(segment):
    """A segment that ends after it starts."""
    ends = [segment.get(it) for it in ["start_time", "end_time"]] if isinstance(segment, dict) else []
    if len(ends) == 2 and all(isinstance(it, str) and TIME.fullmatch(it) for it in ends):
        first, last = sorted(ends)
        first, last = ("00:00:00", "00:00:01") if first == last else (first, last)
        return {**segment, "start_time": first, "end_time": last}
    return segment
