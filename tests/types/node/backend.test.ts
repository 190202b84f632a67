// The entry for servers: correct uses compile, and wrong ones do not, without a DOM library.
import {
  type Budget,
  isMediagateError,
  type MintedSession,
  mintSession,
  nextSessionHandler,
  type Scope,
  type ScopeWord,
  type SessionHandlerOptions,
  type SessionOptions,
  verifyWebhook,
  WebhookError,
  type WebhookEvent,
  type WebhookPipeline,
  type WebhookPipelineEvent,
  type WebhookTask,
  type WebhookTaskEvent,
} from "mediagate/server";
import type { AnyPaths, Members } from "../any.js";

const secret = process.env.SESSION_SECRET;

export async function mints(): Promise<MintedSession> {
  const scopes: Scope[] = [
    "upload",
    "upload image_to_video",
    ["generate:*", "process:*", "split_pdf", "mcp"],
    "later",
  ];
  const assets = ["a", { id: "b", category: "voice" }] as const;
  for (const scope of scopes)
    await mintSession({ secret, subject: "alice", scope, assets, watch: true });
  // A computed value may be `undefined`, which counts as left out.
  const budget: Budget | undefined =
    scopes.length > 2 ? { creates: 20, inFlight: 2 } : undefined;
  const tokenId: string | undefined = scopes[3] && "token-7";
  return mintSession({
    secret,
    subject: "alice",
    tokenId,
    budget,
    expiresIn: 900,
    issuer: "app",
    audience: "media",
  });
}

export async function mintsNot(): Promise<void> {
  // @ts-expect-error a subject is required
  await mintSession({ secret });
  // @ts-expect-error a secret is required, if only as a variable that may be missing
  await mintSession({ subject: "alice" });
  // @ts-expect-error no such capability
  await mintSession({ secret, subject: "alice", scope: ["image_to_vide"] });
  // @ts-expect-error no such limit
  await mintSession({ secret, subject: "alice", budget: { create: 3 } });
  await mintSession({
    secret,
    subject: "alice",
    // @ts-expect-error a limit that is `undefined` would be none
    budget: { creates: undefined },
  });
  await mintSession({
    secret,
    subject: "alice",
    // @ts-expect-error no such category
    assets: [{ id: "a", category: "logo" }],
  });
  // @ts-expect-error a subject is a string
  await mintSession({ secret, subject: 7 });
  // @ts-expect-error an id is a string
  await mintSession({ secret, subject: "alice", tokenId: 7 });
  // @ts-expect-error a session has a subject
  nextSessionHandler({ secret, authenticate: () => ({ scope: "upload" }) });
  nextSessionHandler({
    secret,
    authenticate: () => null,
    // @ts-expect-error a limit is a number
    budget: { creates: "3" },
  });
  // @ts-expect-error the token is a member of the result
  const token: string = await mintSession({ secret, subject: "alice" });
  void token;
}

// The getters of a class are members too.
class Signed {
  get subject(): string {
    return "alice";
  }
  get budget(): Budget {
    return { creates: 3 };
  }
}

export async function verifies(
  request: Request,
  bytes: Uint8Array,
): Promise<string> {
  try {
    const { id, type, data }: WebhookEvent = await verifyWebhook(
      request,
      process.env.WEBHOOK_SECRET,
    );
    if (type === "task.failed") return `${id} ${data.task.error?.message}`;
    if (type === "pipeline.failed")
      return data.pipeline.steps.map((step) => step.error?.message).join();
    if (type === "pipeline.succeeded")
      return data.pipeline.outputs[0]?.url ?? data.pipeline.endedAt;
    if (type === "pipeline.cancelled")
      return `${data.pipeline.title} ${data.pipeline.resumable}`;
    // @ts-expect-error a task that runs sends no webhook
    if (type === "task.running") return "never";
    // @ts-expect-error a pipeline that runs sends no webhook
    if (type === "pipeline.running") return "never";
    // @ts-expect-error the event of a task has no pipeline
    void data.pipeline;
    return data.task.outputs.map(({ url }) => url).join(data.subject.name);
  } catch (error) {
    if (error instanceof WebhookError && error.code === "unusable_body")
      throw error;
    // @ts-expect-error there is no such code
    if (error instanceof WebhookError && error.code === "other") return "never";
    return isMediagateError(error) ? error.code : "";
  } finally {
    await verifyWebhook(
      { headers: { "webhook-id": "a", many: ["b"] }, body: bytes },
      secret,
    );
    await verifyWebhook({ headers: new Headers(), body: "{}" }, secret);
    // @ts-expect-error a parsed body can't be verified
    await verifyWebhook({ headers: {}, body: { type: "task.failed" } }, secret);
  }
}

export function narrows({
  type,
  data,
}: WebhookEvent): WebhookPipeline["state"] | WebhookTask["state"] {
  // @ts-expect-error `type` says which of them there is
  void data.task;
  const types: [WebhookTaskEvent["type"], WebhookPipelineEvent["type"]] = [
    "task.expired",
    "pipeline.cancelled",
  ];
  return type === types[0] || "task" in data ? "EXPIRED" : data.pipeline.state;
}

// A secret may come with the request, or later.
export const handler = nextSessionHandler({
  secret: async () => secret,
  authenticate: () => null,
  scope: ["upload"],
});
nextSessionHandler({ secret, authenticate: () => new Signed() });
nextSessionHandler({
  secret,
  authenticate: () => ({ subject: "alice", tokenId: crypto.randomUUID() }),
});
// @ts-expect-error an environment has strings
nextSessionHandler({ secret: 7, authenticate: () => null });
// @ts-expect-error an id is one token's, and no default
nextSessionHandler({ secret, authenticate: () => null, tokenId: "token-7" });

type NoAny = [
  Members<SessionOptions>,
  Members<MintedSession>,
  Members<WebhookTaskEvent>,
  Members<WebhookPipelineEvent>,
  Members<WebhookTask>,
  Members<WebhookPipeline>,
  Members<WebhookPipeline["steps"][number]>,
  Members<WebhookEvent["data"]["subject"]>,
  Members<SessionHandlerOptions<[request: Request]>>,
  AnyPaths<ScopeWord>,
];
// A type other than `never` here is a member that is `any`.
export const noAny: NoAny extends never[] ? true : false = true;
