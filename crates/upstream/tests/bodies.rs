//! Responses of text-to-image under 200, each with the right answer: a false success is worse than
//! an unknown outcome, and the id of a paid task is never lost.

mod support;

use mediagate_core::Expects::TaskOrResult;
use mediagate_upstream::Dialect;
use support::read;

/// Lines with a body and its answer. A task has its id, state, progress and outputs.
const BODIES: &str = r#"{"code": 0, "data": {"task": {"id": "t", "status": "QUEUED"}}} => t QUEUED -
{"code": 0, "data": {"images": [{"url": "https://h/a.png"}]}} => result https://h/a.png
{"code": 0, "data": {"images": ["https://h/a", "https://h/b"]}} => result https://h/a https://h/b
{"code": 0, "data": {"image_url": "https://h/signed?x=1"}} => result https://h/signed?x=1
{"code": 0, "data": "https://h/a.png"} => result https://h/a.png
{"code": 0, "url": "https://h/a.png"} => result https://h/a.png
{"created": 1, "data": [{"url": "https://h/a.png?x=1"}]} => result https://h/a.png?x=1
{"code": 0, "status": "success", "data": {"image_url": "https://h/a.png"}} => result https://h/a.png
{"error_code": 0, "error_msg": "success", "images": ["https://h/a.png"]} => result https://h/a.png
{"code": 0, "data": {"progress": 0.3, "image_url": "https://h/a.png"}} => no_task
{"code": 0, "data": {"Status": "FAILED", "image_url": "https://h/a.png"}} => no_task
{"code": 0, "data": {"success": "false", "image_url": "https://h/a.png"}} => no_task
{"code": 0, "data": {"done": 0, "image_url": "https://h/a.png"}} => no_task
{"code": 0, "data": {"status": {"value": "failed"}, "image_url": "https://h/a.png"}} => no_task
{"code": 0, "data": {"failReason": "nsfw", "image_url": "https://h/a.png"}} => no_task
{"code": 0, "data": {"type": "image_generation", "url": "https://h/tasks/7"}} => no_task
{"id": "t", "type": "text_to_image", "url": "https://h/tasks/7"} => t - -
{"code": 0, "message": "ok", "task_id": "t"} => t - -
{"images": [{"url": "https://h/a", "content_type": "image/jpeg"}], "seed": 7} => result https://h/a
{"code": 0, "data": {"output": {"url": "https://h/a"}}} => result https://h/a
{"code": 0, "data": {"id": "r", "url": "https://h/a.png"}} => result https://h/a.png
{"code": 0, "error": null, "success": true, "status": 200, "data": {"image": "https://h/a"}} => result https://h/a
{"code": 0, "data": {"errors": [], "error": {"code": 0, "message": ""}, "image": "https://h/a"}} => result https://h/a
{"code": 0, "data": {"status": "SUCCEEDED", "images": ["https://h/a"]}} => result https://h/a
{"code": 0, "data": {"status": "ok", "images": ["https://h/a"]}} => result https://h/a
{"code": "0", "data": {"video_url": "https://h/a.mp4", "image_url": "https://h/a.png"}} => result https://h/a.png
{"code": 0, "data": {"id": "t", "status": "SUCCEEDED", "images": ["https://h/a"]}} => t SUCCEEDED - https://h/a
{"code": 0, "data": {"id": "t", "status": "processing", "images": ["https://h/a"]}} => t processing - https://h/a
{"id": "t", "status": "starting", "urls": {"get": "https://h/t"}} => t starting -
{"id": "t", "status": "starting", "output": ["https://h/a.png"]} => t starting - https://h/a.png
{"code": 0, "data": {"task": {"id": "t"}, "images": ["https://h/a"]}} => t - - https://h/a
{"code": 0, "data": {"task_id": "t"}} => t - -
{"code": 0, "data": {"id": "t"}} => t - -
{"code": 0, "data": {"id": "t", "status": "FAILED", "error": "no face"}} => t FAILED - "no face" null
{"code": 99, "data": {"task": {"id": "t", "status": "SUCCEEDED", "url": "https://h/a.png"}}} => t - - https://h/a.png
{"code": 1401, "data": {"task": {"id": "t"}, "images": ["https://h/a.png"]}} => error 1401
{"status": "completed", "images": ["https://h/a.png"]} => not_an_envelope
{"code": 0, "status": "completed", "images": ["https://h/a.png"]} => no_task
{"code": 0, "data": {"status": "success", "images": ["https://h/a.png"]}} => no_task
{"code": 0, "data": {"status": "FAILED", "image_url": "https://h/a.png"}} => no_task
{"code": 0, "data": {"task": {"status": "running"}, "image_url": "https://h/a.png"}} => no_task
{"code": 0, "data": {"job": {"state": "failed"}, "images": ["https://h/a.png"]}} => no_task
{"code": 0, "data": {"done": false, "image_url": "https://h/a.png"}} => no_task
{"code": 0, "data": {"success": false, "image_url": "https://h/a.png"}} => error 99
{"code": 0, "success": false, "data": {"image_url": "https://h/a.png"}} => error 99
{"code": 0, "data": {"error": "no face", "image_url": "https://h/a.png"}} => error 99
{"code": 0, "error": {"code": "insufficient_credits"}, "data": {"image_url": "https://h/a.png"}} => error 1401
{"code": 0, "data": {"images": [{"url": "https://h/a.png", "error": "blocked"}]}} => no_task
{"code": 0, "data": {"images": [{"url": "https://h/a.png", "status": "failed"}]}} => no_task
{"code": 0, "data": {"code": 1404, "image_url": "https://h/a.png"}} => no_task
{"code": 0, "data": {"code": "E17", "image_url": "https://h/a.png"}} => no_task
{"code": 0, "data": {"code": 1.5, "image_url": "https://h/a.png"}} => no_task
{"code": 0, "data": [{"id": "t", "url": "https://h/tasks/t"}]} => t - -
{"code": 0, "data": {"error_code": "E7", "image_url": "https://h/a.png"}} => error 99
{"code": 0, "data": {"failure_reason": "nsfw", "image_url": "https://h/a.png"}} => error 99
{"code": 1.5, "data": {"image_url": "https://h/a.png"}} => not_an_envelope
{"code": "E17", "data": {"image_url": "https://h/a.png"}} => not_an_envelope
{"code": 200, "data": {"image_url": "https://h/a.png"}} => error 200
{"code": 0, "data": {"reference_image_url": "https://h/a.png"}} => no_task
{"code": 0, "data": {"input": {"image_url": "https://h/a.png"}}} => no_task
{"code": 0, "data": {"user": {"avatar_url": "https://h/me.png"}}} => no_task
{"code": 0, "data": {"logo_url": "https://h/logo.png"}} => no_task
{"code": 0, "data": {"thumbnail_url": "https://h/t.png", "preview": "https://h/p.png"}} => no_task
{"code": 0, "data": {"status_url": "https://h/s", "cancel_url": "https://h/c"}} => no_task
{"code": 0, "data": {"url": "https://h/tasks/7"}} => no_task
{"code": 0, "data": {"url": "https://h/account.html"}} => no_task
{"code": 0, "data": {"image_url": "https://h/view.html"}} => no_task
{"code": 0, "data": {"output": {"url": "https://h/x", "content_type": "text/html"}}} => no_task
{"code": 0, "data": {"result_url": "https://h/results/7"}} => no_task
{"code": 0, "data": {"outputs": ["https://h/a.mp4"]}} => no_task
{"code": 0, "data": {"docs": "https://h/a.png", "message": "see https://h/a.png"}} => no_task
{"code": 0, "data": {"image_file_id": "f"}} => no_task
{"code": 0, "data": null} => no_task
{} => not_an_envelope
{"request_id": "r", "status_url": "https://h/s", "response_url": "https://h/r"} => not_an_envelope
{"code": 0, "data": {"result": {"id": "t", "status": "QUEUED"}}} => no_task
{"code": 0, "data": {"image_url": "ftp://h/a.png"}} => no_task
{"code": 0, "data": {"image_url": "//h/a.png"}} => no_task
{"code": 0, "data": {"image_url": "https://h/a b.png"}} => no_task"#;

#[test]
fn each_body_has_its_answer() {
    let mut wrong = Vec::new();
    for line in BODIES.lines() {
        let (body, expected) = line.rsplit_once(" => ").expect("a line");
        let body = body.parse().expect("JSON");
        let answer = read(&Dialect::default(), 200, body, TaskOrResult);
        if answer != expected {
            wrong.push(format!("{line}, not {answer}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
