"""What a document cannot say about the requests it describes, but a caller knows: which files are uploaded, which values
this account's models accept, and which of two values has to be smaller.

In a body that fits the schema, random values are replaced by existing ones of the same type. A body that does not fit the
schema still does not: only valid values are replaced.
"""

import json
import os
import re
import uuid

import requests
import schemathesis

FACTS = json.loads(os.environ["OPENAPI_FACTS"])
"""`callers`: a token by caller. `ids`: an id of each format, by caller. `models`: the default model by capability. `origin`: the
page's."""

ACCEPTED = {"aspect_ratio": ["16:9", "9:16", "1:1"], "clarity": ["480P"], "resolution": ["480p"], "logo_type": ["default"]}
TIME = re.compile(r"[0-9]{2}:[0-5][0-9]:[0-5][0-9]")
FILE_ID = r"[A-Za-z0-9_-]{23,8192}"
NOT_BLANK = r".*\S.*"
RANGE = re.compile(r"(\d+)-(\d+)")


@schemathesis.hook
def before_call(context, case, kwargs):
    """Replaces valid values by existing ones."""
    body, capability = case.body, case.path.rsplit("/", 1)[-1]
    if capability == "estimate" and isinstance(body, dict):
        body, capability = body.get("input"), body.get("capability")
    if isinstance(body, dict) and isinstance(capability, str) and capability in FACTS["models"]:
        for name, value in body.items():
            body[name] = existing(name, value, capability, case)
    elif capability == "upload_urls" and isinstance(body, dict) and is_whole(body.get("size")):
        body["size"] = 1 + int(body["size"]) % 1024
    path = case.path_parameters or {}
    if "ticket" in path and case.meta.generation.mode.is_positive and (size := len(getattr(body, "data", b""))):
        path["ticket"] = new_upload(case, size)
    headers = case.headers or {}
    if isinstance(headers.get("Origin"), str):
        headers["Origin"] = FACTS["origin"]
    # A key that was used with another body would be refused.
    if re.fullmatch(r"[!-~]{1,255}", headers.get("Idempotency-Key") or ""):
        headers["Idempotency-Key"] = str(uuid.uuid4())


def new_upload(case, size):
    """The last part of a new upload URL of the caller, for `size` bytes."""
    url = f"{case.operation.base_url.rstrip('/')}/api/app/v1/upload_urls"
    file = {"file_name": "a.bin", "content_type": "application/octet-stream", "size": size}
    token = {"Authorization": f"Bearer {FACTS['callers'][caller(case)]}"}
    return requests.post(url, json=file, headers=token, timeout=10).json()["data"]["upload_url"].rsplit("/", 1)[-1]


def caller(case):
    """The caller of a request."""
    identity = getattr(case, "auth_identity", None)
    return identity if identity in FACTS["callers"] else next(iter(FACTS["callers"]))


def existing(name, value, capability, case):
    """The value of a field, or an existing one to replace it."""
    ids = FACTS["ids"][caller(case)]
    form = format_of(name, capability, case)
    if known := ids.get(form):
        valid = FILE_ID if form.endswith("file-id") else NOT_BLANK
        one = lambda it: known if isinstance(it, str) and re.fullmatch(valid, it, re.DOTALL) else it
        return [one(it) for it in value] if isinstance(value, list) else one(value)
    if isinstance(value, str) and name in ACCEPTED:
        return ACCEPTED[name][len(value) % len(ACCEPTED[name])]
    if isinstance(value, str) and name == "model_id":
        return FACTS["models"][capability]
    if isinstance(value, str) and name == "page_range":
        return RANGE.sub(lambda it: "-".join(sorted(it.groups(), key=int)), value)
    if name in ["width", "height"] and is_integer(value):
        return 16 + 2 * (int(value) % 24)
    if name == "duration_seconds" and is_integer(value) and -(2**31) <= value < 2**31:
        return 1
    if name == "segments" and isinstance(value, list):
        return [in_order(it) for it in value]
    return value


def format_of(name, capability, case):
    """The format of a field, or of its items."""
    schemas = case.operation.schema.raw_schema["components"]["schemas"]
    properties = schemas["".join(it.capitalize() for it in capability.split("_")) + "Input"]["properties"]
    field = properties.get(name, {})
    return (field.get("items") or field.get("oneOf", [field])[0] or {}).get("format")


def is_whole(value, limit=2**53):
    return is_integer(value) and 1 <= value < limit


def is_integer(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and value == int(value)


def in_order(segment):
    """The segment, with its end after its start."""
    ends = [segment.get(it) for it in ["start_time", "end_time"]] if isinstance(segment, dict) else []
    if len(ends) == 2 and all(isinstance(it, str) and TIME.fullmatch(it) for it in ends):
        first, last = sorted(ends)
        first, last = ("00:00:00", "00:00:01") if first == last else (first, last)
        return {**segment, "start_time": first, "end_time": last}
    return segment
