// Samples workerd under load with perf, which sees all of the process: wasm, JavaScript, V8, workerd and the kernel.
import { execFile, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { load } from "../support/load.mjs";
import { parseStacks } from "./stacks.mjs";

/** Has V8 write the names of the code that it compiles to a file, where perf finds them. */
export const V8_FLAGS = [
  "--perf-basic-prof",
  "--interpreted-frames-native-stack",
];
const PER_SECOND = 997;
const MISSING = "perf is missing; on Debian, `apt-get install linux-perf`";
const REFUSED =
  "perf may not sample; as root, `sysctl kernel.perf_event_paranoid=1`";

/**
 * The stacks of a Worker that was started with `V8_FLAGS`, under load, and its CPU time per request in milliseconds.
 *
 * @param {{ url: string, pid: number }} worker
 */
export async function record(worker, next, { warmUp, seconds }) {
  await load(worker, next, warmUp);
  const folder = await mkdtemp(join(tmpdir(), "mediagate-profile-"));
  const data = join(folder, "perf.data");
  try {
    // The clock, and not the processor's counters, which most virtual machines lack.
    const flags = [
      "-e",
      "cpu-clock",
      "-F",
      String(PER_SECOND),
      "--call-graph",
      "fp",
      "-p",
      String(worker.pid),
      "-o",
      data,
    ];
    const perf = spawn("perf", ["record", ...flags], { stdio: "ignore" });
    const ended = new Promise((resolve, reject) => {
      perf.once("error", () => reject(new Error(MISSING)));
      perf.once("exit", resolve);
    });
    const { cpu } = await Promise.race([
      load(worker, next, seconds),
      ended.then(() => Promise.reject(new Error(REFUSED))),
    ]);
    perf.kill("SIGINT");
    await ended;
    const fields = ["script", "-i", data, "-F", "ip,sym,dso", "--no-inline"];
    const { stdout } = await promisify(execFile)("perf", fields, {
      maxBuffer: 2 ** 30,
    });
    return { stacks: parseStacks(stdout), cpu };
  } finally {
    await rm(folder, { recursive: true });
    // V8's map of the code that it compiled.
    await rm(`/tmp/perf-${worker.pid}.map`, { force: true });
  }
}
