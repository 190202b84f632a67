// `cargo xtask bench --profile create` or `status`: what a request's CPU time is spent on, in the gateway and in the
// peer that does comparable work.
import { mkdir, writeFile } from "node:fs/promises";
import { callers, plainCallers } from "../support/callers.mjs";
import { startUpstream } from "../support/upstream.mjs";
import { startDurablePeer, startGateway } from "../support/workerd.mjs";
import { cpuProfile } from "./cpuprofile.mjs";
import { record, V8_FLAGS } from "./record.mjs";
import { callsOf, importsOf, modulesOf, partOf } from "./stacks.mjs";

export const KINDS = ["create", "status"];
const SUBJECTS = 64;
/** Shares below this, in percent, are noise. */
const LEAST = 0.5;

/** Profiles one kind of request, and writes the profiles to the folder. @returns its tables */
export async function profile(kind, { quick, folder }) {
  const times = quick ? { warmUp: 3, seconds: 3 } : { warmUp: 10, seconds: 20 };
  const upstream = await startUpstream();
  const starts = {
    mediagate: async () => {
      const worker = await startGateway(
        upstream.url,
        {},
        { v8Flags: V8_FLAGS },
      );
      return { worker, requests: await callers(worker.url, SUBJECTS) };
    },
    "JavaScript with a Durable Object": async () => {
      const worker = await startDurablePeer(upstream.url, {
        v8Flags: V8_FLAGS,
      });
      return { worker, requests: plainCallers(SUBJECTS) };
    },
  };
  const seen = {};
  try {
    await mkdir(folder, { recursive: true });
    for (const [name, start] of Object.entries(starts)) {
      const { worker, requests } = await start();
      try {
        seen[name] = await record(worker, () => requests[kind](), times);
      } finally {
        await worker.stop();
      }
      const { stacks } = seen[name];
      const microseconds = (times.seconds * 1e6) / stacks.length;
      const file = `${folder}${kind}-${name.split(" ")[0].toLowerCase()}.cpuprofile`;
      await writeFile(file, JSON.stringify(cpuProfile(stacks, microseconds)));
      console.log(`written: ${file}`);
    }
  } finally {
    await upstream.stop();
  }
  return tables(kind, seen);
}

function tables(kind, seen) {
  const ours = { mediagate: seen.mediagate };
  return [
    table(`CPU of one ${kind} by part of the process`, seen, (stack) => [
      partOf(stack),
    ]),
    table(
      "The same by call, with all that the call causes; one call may be in another",
      seen,
      callsOf,
    ),
    table(
      "Calls from the wasm to the host, with all that they cause",
      ours,
      importsOf,
    ),
    table(
      "The wasm's own time by module, with the modules that it calls",
      ours,
      modulesOf,
    ),
  ];
}

/** Shares of each Worker's CPU in percent, and the time per request that they are. */
function table(title, seen, groupsOf) {
  const counts = Object.values(seen).map(({ stacks }) => {
    const count = new Map();
    for (const group of stacks.flatMap(groupsOf))
      count.set(group, (count.get(group) ?? 0) + 1);
    return count;
  });
  const share = (index, name) =>
    (100 * (counts[index].get(name) ?? 0)) /
    Object.values(seen)[index].stacks.length;
  const names = [...new Set(counts.flatMap((it) => [...it.keys()]))]
    .filter((name) => counts.some((_, index) => share(index, name) >= LEAST))
    .sort((a, b) => share(0, b) - share(0, a));
  return {
    title,
    columns: Object.keys(seen).flatMap((name) => [
      `${name}, %`,
      "µs per request",
    ]),
    rows: Object.fromEntries(
      names.map((name) => [
        name,
        Object.values(seen).flatMap(({ cpu }, index) => [
          share(index, name),
          share(index, name) * cpu * 10,
        ]),
      ]),
    ),
  };
}
