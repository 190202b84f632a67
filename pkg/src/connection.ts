import type { ErrorMembers } from "./error.js";
import type { Instance } from "./instance.js";
import { checkOptions, type Limits, type Target } from "./options.js";
import { Platform } from "./platform.js";
import type { CallOptions } from "./types/calls.js";
import type * as wasm from "./wasm/mediagate.js";

/**
 * A client of the wasm and its session. `connect` calls with the same options share a
 * connection, and so the token, the uploads and the streams.
 */
export class Connection {
  constructor(
    readonly instance: Instance,
    private readonly target: Target,
    readonly client: wasm.Client = clientOf(instance, target),
  ) {}

  /** Returns true if the client works, and was made for the same options. */
  isFor(instance: Instance, target: Target): boolean {
    const names = Object.keys(target) as (keyof Target)[];
    return (
      this.instance === instance &&
      !instance.hasCrashed &&
      names.every((name) => this.target[name] === target[name])
    );
  }
}

/** The calls of one client: its connection, and the limits of its `connect`. */
export class Scope {
  constructor(
    readonly connection: Connection,
    readonly defaults: Limits,
  ) {}

  /** Returns the scope of waits for a task. The timeout of `connect` is only for requests. */
  get waits(): Scope {
    return new Scope(this.connection, { ...this.defaults, timeout: undefined });
  }

  /**
   * Checks the options of a call before its input, which may take long or have effects.
   * {@link Scope.call} checks them again: the signal may be aborted by then.
   *
   * @throws {MediagateError} Those of {@link checkOptions}.
   */
  check(
    options: CallOptions | null | undefined,
    members?: Partial<ErrorMembers>,
  ): Limits {
    return checkOptions(options, this.defaults, members);
  }

  /** Calls a method of the client that returns a promise. See {@link Instance.call}. */
  async call<Result>(
    options: CallOptions | null | undefined,
    begin: (client: wasm.Client, limits: wasm.CallLimits) => Promise<Result>,
    idempotencyKey?: string,
  ): Promise<Result> {
    const { instance, client } = this.connection;
    return instance.call(
      options,
      (limits) => begin(client, limits),
      idempotencyKey,
      this.defaults,
    );
  }
}

/** The connections that are in use. */
let connections: WeakRef<Connection>[] = [];

/** Returns the connection for these options, which several clients may share. */
export function connectionTo(instance: Instance, target: Target): Connection {
  connections = connections.filter((reference) => reference.deref());
  for (const reference of connections) {
    const connection = reference.deref();
    if (connection?.isFor(instance, target)) return connection;
  }
  const connection = new Connection(instance, target);
  connections.push(new WeakRef(connection));
  return connection;
}

function clientOf(instance: Instance, target: Target): wasm.Client {
  const { base, token, turnstile } = target;
  const platform = new Platform(instance, target);
  return instance.run(
    ({ Client }) =>
      new Client(
        platform,
        base,
        typeof token === "function" ? provider(instance, token) : token,
        turnstile && provider(instance, turnstile),
      ),
  );
}

/**
 * Wraps a function of the caller for the wasm. It is called in a microtask, because it may call the
 * client. A result that is not a string becomes an empty one, which the wasm rejects.
 */
function provider(
  instance: Instance,
  provide: () => string | Promise<string>,
): () => Promise<string> {
  return () => {
    const providing = Promise.resolve()
      .then(provide)
      .then((text) => (typeof text === "string" ? text : ""));
    return instance.guard(providing);
  };
}
