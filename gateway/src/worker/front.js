// Before the gateway, where no Cloudflare is: checks the name that the request was sent to and the disk, and says who sent it.
import { forwarded } from "./forwarded.js";
import { isServed } from "./host.js";
import Gateway, { Durations, Ledger, Pipeline, Transfer, Watcher } from "./index.js";
import { notReady, storageProblem } from "./ready.js";

export { Durations, Ledger, Pipeline, Transfer, Watcher };

export default {
  /**
   * @param {Request & { cf?: { clientIp?: string } }} request
   * @param {{ FRONT: { hosts: string[] | null, proxies: string[], readiness: string }, READINESS: { fetch: typeof fetch } }} env
   */
  async fetch(request, env, context) {
    const url = new URL(request.url);
    const { hosts, proxies } = env.FRONT;
    if (hosts && !isServed(hosts, url.hostname)) return misdirected(url.hostname);
    const problem = url.pathname === "/healthz" ? await storageProblem(env) : "";
    if (problem) return notReady(problem);
    const { address, scheme } = forwarded(request.headers, request.cf?.clientIp ?? "", proxies);
    if (scheme) url.protocol = scheme;
    const headers = new Headers(request.headers);
    // A caller's own value of this header must not count: the gateway trusts it.
    headers.set("cf-connecting-ip", address);
    return new Gateway(context, env).fetch(new Request(url, new Request(request, { headers })));
  },
};

const misdirected = (name) =>
  new Response(
    `This server is not reached under the name ${name}: a foreign page may have had it resolve to this machine.\n`,
    { status: 421, headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-store" } },
  );
