// The gateway with its calls between wasm and JavaScript counted; counting has to start before its wasm does.
import { counts } from "./crossings.js";
import Gateway, {
  Durations,
  Ledger,
  Pipeline,
  Transfer,
  Watcher,
} from "./index.js";

export { Durations, Ledger, Pipeline, Transfer, Watcher };

export default {
  async fetch(request, env, context) {
    if (new URL(request.url).pathname === "/counts")
      return Response.json(counts);
    return new Gateway(context, env).fetch(request);
  },
};
