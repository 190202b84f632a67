import { readFile } from "node:fs/promises";
import { startWorkerd, startPeer, ORIGIN } from "./support/workerd.mjs";
import { SETTINGS } from "../support/gateway.mjs";
import { callers, strangers } from "./support/callers.mjs";
import { loadAll } from "./support/load.mjs";
import { startUpstream } from "./support/upstream.mjs";
const up = await startUpstream();
const LIMITS = { RATE_LIMIT_PER_MINUTE: "1000000", MAX_TASKS_IN_FLIGHT: "10000", BREAKER_FAILURES: "100" };
const start = async (dir) => { const modules={}; for (const n of ["index.js","index_bg.wasm"]) modules[n]=await readFile(`/work/wt/bench/crates/worker/${dir}/${n}`);
 return startWorkerd({modules, bindings:{...SETTINGS, UPSTREAM_BASE_URL: up.url, ALLOWED_ORIGINS: ORIGIN, ...LIMITS}, objects:{LEDGER:"Ledger",WATCHER:"Watcher"}}); };
const dirs = process.argv.slice(2);
const subj = {};
for (const d of dirs) { const w = await start(d); subj[d] = { w, c: await callers(w.url, 64) }; }
const p = await startPeer("pass-through", up.url); subj.pass = { w: p, c: strangers(64) };
for (const kind of ["status","create"]) {
  const r = await loadAll(Object.fromEntries(Object.entries(subj).map(([k,{w,c}])=>[k,{worker:w,next:()=>c[kind]()}])), {rounds:3, seconds:2});
  for (const [k,v] of Object.entries(r)) console.log(kind, k, v.map(x=>x.toFixed(3)).join(" "));
}
for (const {w} of Object.values(subj)) await w.stop();
await up.stop();
