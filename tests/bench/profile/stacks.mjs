// What perf sampled, as call stacks, and what a function belongs to.

/**
 * @typedef {{ name: string, file: string }} Frame `file` is the program, library or map of compiled code that it is in
 * @typedef {Frame[]} Stack the running function first
 */

/** The stacks in the output of `perf script -F ip,sym,dso`. @returns {Stack[]} */
export function parseStacks(text) {
  const stacks = text
    .split(/\n\s*\n/)
    .map((block) => [...block.matchAll(/^\s*[0-9a-f]+ (.*) \(([^()]*)\)$/gm)]);
  return stacks
    .map((frames) =>
      frames.map(([, name, file]) => ({ name: plainName(name), file })),
    )
    .filter((it) => it.length > 0);
}

/** V8's name of compiled code without the tier that compiled it, and Rust's without its hash. */
const plainName = (name) =>
  name
    .replace(/^JS:[\^*~+']+/, "JS:")
    .replace(/-\d+-(turbofan|liftoff)$/, "-wasm")
    .replace(/::h[0-9a-f]{16}/g, "");

/**
 * The parts of the process, each with what its functions have in common; the first that fits counts.
 *
 * @type {[string, (frame: Frame) => boolean][]}
 */
const PARTS = [
  ["kernel", ({ file }) => file.includes("kernel")],
  [
    "between wasm and JavaScript",
    ({ name }) => /js-to-wasm|wasm-to-js/.test(name),
  ],
  ["wasm", ({ name }) => /^JS:.*-wasm$/.test(name)],
  [
    "JavaScript",
    ({ name, file }) =>
      /^(JS:|Builtins_|Builtin:)/.test(name) || /perf-\d+\.map/.test(file),
  ],
  ["memory allocation", ({ name }) => /tcmalloc/i.test(name)],
  ["SQLite", ({ name }) => /sqlite|^vdbe|^pager|^wal|^btree/i.test(name)],
  [
    "V8's garbage collection",
    ({ name }) =>
      /cppgc|heap::base|v8::internal::.*(Scaveng|Mark|Sweep|GC|Heap::)/.test(
        name,
      ),
  ],
  ["V8", ({ name }) => /v8::|N2v88/.test(name)],
  ["workerd's interfaces", ({ name }) => /workerd::|N7workerd/.test(name)],
  ["event loop and HTTP (kj)", ({ name }) => /kj::|N2kj|capnp/.test(name)],
];

/** The part of the process that a stack's running function belongs to. @param {Stack} stack */
export const partOf = ([running]) =>
  PARTS.find(([, fits]) => fits(running))?.[0] ?? "other";

/**
 * What a request has the platform do, by the functions that do it.
 *
 * @type {[string, RegExp][]}
 */
const CALLS = [
  ["SQL statements", /^workerd::api::SqlStorage::exec/],
  ["SQL commits", /^workerd::ActorSqlite::(startImplicitTxn|commit)/],
  [
    "fetch, to the upstream and to objects",
    /^workerd::api::(\(anonymous namespace\)::)?fetchImpl/,
  ],
  [
    "remote calls (RPC) of objects",
    /^workerd::api::(JsRpc|\(anonymous namespace\)::callImpl)/,
  ],
  [
    "construction of responses",
    /ConstructorCallback<\S+ namespace\)::JsgWorkerdIsolate_TypeWrapper, workerd::api::Response,/,
  ],
  [
    "timers",
    /^workerd::api::ServiceWorkerGlobalScope::(set|clear)Timeout|^workerd::IoContext::TimeoutManagerImpl/,
  ],
  [
    "abort signals",
    /TypeWrapper, workerd::api::Abort(Controller|Signal),|^workerd::api::Abort(Controller|Signal)::/,
  ],
  ["reading bodies", /^workerd::api::Body::(text|json|arrayBuffer)/],
  ["cryptography and random bytes", /^workerd::api::(SubtleCrypto|Crypto)::/],
  [
    "text that crosses into JavaScript",
    /^workerd::api::TextDecoder|3api11TextDecoder15registerMembers/,
  ],
  [
    "microtasks of the platform",
    /^workerd::api::ServiceWorkerGlobalScope::queueMicrotask/,
  ],
  ["log lines", /__wbg_log_|JS:formatLog/],
  [
    "garbage collection",
    /^v8::internal::Heap::CollectGarbage|^cppgc::internal::Sweeper/,
  ],
  ["writes to sockets", /^sock_write_iter|^sock_sendmsg/],
];

/** The calls that a stack is in, in this file's words. @param {Stack} stack */
export const callsOf = (stack) =>
  CALLS.filter(([, made]) => stack.some((it) => made.test(it.name))).map(
    ([name]) => name,
  );

/** The functions of the host that the wasm is in a call of. @param {Stack} stack */
export const importsOf = (stack) => [
  ...new Set(
    stack
      .map((it) => /^JS:__wbg_(\w+)_[0-9a-f]{16}\b/.exec(it.name)?.[1])
      .filter(Boolean),
  ),
];

/** The gateway's modules whose wasm a stack is running, those that it was called from included. @param {Stack} stack */
export const modulesOf = (stack) =>
  partOf(stack) !== "wasm"
    ? []
    : [
        ...new Set(
          stack
            .map(
              (it) =>
                /\bmediagate_(?:worker|core)::[a-z_]+(?:::[a-z_]+)?/.exec(
                  it.name,
                )?.[0],
            )
            .filter(Boolean),
        ),
      ];
