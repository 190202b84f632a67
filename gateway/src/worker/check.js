// What is wrong with the settings, by the gateway's own reading. workerd runs it as a test, before the gateway is started.
import Gateway, { Durations, Ledger, Watcher } from "./index.js";

export { Durations, Ledger, Watcher };

export default {
  /** Prints a line of JSON with the first setting that is missing or wrong, `null` where none is. */
  async test(_controller, env, context) {
    const response = await new Gateway(context, env).fetch(new Request("http://localhost/healthz"));
    const { message, data } = await response.json();
    console.log(JSON.stringify({ problem: response.ok ? null : { setting: data.setting, message } }));
  },
};
