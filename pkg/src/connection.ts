import { type ErrorMembers, invalidArgument } from "./error.js";
import { type Instance, notify } from "./instance.js";
import {
  checkOptions,
  describeToken,
  type OptionsKind,
  type Target,
} from "./options.js";
import { Platform } from "./platform.js";
import { sumOf } from "./progress.js";
import { subjectOf } from "./subject.js";
import type { CallOptions, CreateOptions } from "./types/calls.js";
import type * as wasm from "./wasm/mediagate.js";

/**
 * A client of the wasm and its session, which is of one subject. `connect` calls with the same
 * options share a connection, and so the token, the uploads and the streams.
 */
export class Connection {
  readonly client: wasm.Client;
  readonly platform: Platform;
  private subject: string | undefined;

  constructor(
    readonly instance: Instance,
    private readonly target: Target,
    fake?: wasm.Client,
  ) {
    const { base, token, turnstile } = target;
    const platform = new Platform(instance, target);
    this.platform = platform;
    const provideToken =
      typeof token === "function"
        ? provider(instance, async () => this.ownToken(await token()))
        : token;
    this.client =
      fake ??
      instance.run(
        ({ Client }) =>
          new Client(
            platform,
            base,
            provideToken,
            turnstile && provider(instance, turnstile),
          ),
      );
  }

  isFor(instance: Instance, target: Target): boolean {
    const names = Object.keys(target) as (keyof Target)[];
    return (
      this.instance === instance &&
      !instance.hasCrashed &&
      names.every((name) => this.target[name] === target[name])
    );
  }

  /**
   * Returns true if the caller's function still returns tokens of the same subject: another user
   * may have signed in since.
   *
   * @throws The errors of the function.
   */
  async isOfSameSubject(): Promise<boolean> {
    const { token } = this.target;
    if (typeof token !== "function" || this.subject === undefined) return true;
    return subjectOf(await token()) === this.subject;
  }

  /**
   * Returns the token.
   *
   * @throws {MediagateError} `invalid_argument` if it is of another subject than those before: what
   * one user has begun must not go on in the name of another.
   */
  private ownToken(token: string): string {
    const subject = subjectOf(token);
    this.subject ??= subject;
    if (subject === undefined || subject === this.subject) return token;
    throw invalidArgument(
      "another user has signed in",
      "a client is of one user: call connect again",
    );
  }
}

export class Scope {
  constructor(
    readonly connection: Connection,
    readonly defaults: CallOptions,
  ) {}

  /** Returns the scope of waits for a task. The timeout of `connect` is only for requests. */
  get waits(): Scope {
    return new Scope(this.connection, { ...this.defaults, timeout: undefined });
  }

  /**
   * Checks the options of a call, before its input, which may take long or have effects.
   *
   * @throws {MediagateError} As {@link checkOptions}.
   */
  check(
    options: CallOptions | null | undefined,
    kind: OptionsKind = "call",
    members?: Partial<ErrorMembers>,
  ): CallOptions {
    return checkOptions(options, kind, this.defaults, members);
  }

  /** Returns the listeners of a create as the wasm takes them. */
  listeners(
    options: CreateOptions | undefined,
  ): Pick<wasm.CallLimits, "onProgress" | "onState"> {
    const { onProgress, onState } = options ?? {};
    const { instance } = this.connection;
    return {
      onProgress: onProgress && ((files) => notify(onProgress, sumOf(files))),
      // Called in a microtask, because it may call the client.
      onState:
        onState &&
        ((state) => instance.guard(Promise.resolve(state).then(onState))),
    };
  }

  /** Calls a method of the client that returns a promise. See {@link Instance.call}. */
  async call<Result>(
    limits: CallOptions,
    begin: (client: wasm.Client, limits: wasm.CallLimits) => Promise<Result>,
    idempotencyKey?: string,
  ): Promise<Result> {
    const { instance, client } = this.connection;
    return instance.call(
      limits,
      (limits) => begin(client, limits),
      idempotencyKey,
    );
  }
}

let connections: WeakRef<Connection>[] = [];

export async function connectionTo(
  instance: Instance,
  target: Target,
): Promise<Connection> {
  connections = connections.filter((reference) => reference.deref());
  for (const reference of connections) {
    const connection = reference.deref();
    if (!connection?.isFor(instance, target)) continue;
    // If the function fails, the first call reports it.
    if (await connection.isOfSameSubject().catch(() => false))
      return connection;
    connections = connections.filter((other) => other !== reference);
  }
  const connection = new Connection(instance, target);
  connections.push(new WeakRef(connection));
  return connection;
}

/**
 * Wraps a function of the caller for the wasm. It is called in a microtask, because it may call the
 * client. A result that is not a string becomes a symbol that describes it, for the error of the
 * wasm.
 */
function provider(
  instance: Instance,
  provide: () => string | Promise<string>,
): () => Promise<string> {
  return () => {
    const providing = Promise.resolve()
      .then(provide)
      .then((text: unknown) =>
        typeof text === "string" ? text : Symbol(describeToken(text)),
      );
    return instance.guard(providing) as Promise<string>;
  };
}
