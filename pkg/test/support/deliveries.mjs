// Makes deliveries of webhooks, signed by the published library of Standard Webhooks.
import { Webhook } from "standardwebhooks";

export const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
export const OTHER = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";

export const EVENT = {
  type: "task.succeeded",
  timestamp: "2026-11-21T10:00:00.000Z",
  data: {
    task: { id: "t", state: "SUCCEEDED", outputs: [] },
    subject: { source: "hs256", issuer: "", name: "Zoë 🎬" },
  },
};
export const BODY = JSON.stringify(EVENT);

export const now = () => Math.floor(Date.now() / 1000);

export function delivery({
  id = "msg_1",
  at = now(),
  body = BODY,
  secrets = [SECRET],
} = {}) {
  const signatures = secrets.map((secret) =>
    new Webhook(secret).sign(id, new Date(at * 1000), body),
  );
  const headers = {
    "webhook-id": id,
    "webhook-timestamp": String(at),
    "webhook-signature": signatures.join(" "),
  };
  return { headers: { "content-type": "application/json", ...headers }, body };
}
