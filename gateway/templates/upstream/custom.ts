// The upstream module: a Worker in front of a provider of your choice. Its key is EXAMPLE_KEY, in
// .dev.vars on this machine. The host below does not exist: write the API of your provider instead.
import {
  type Env,
  type Model,
  ProviderError,
  requestJson,
  upstream,
  variable,
} from "mediagate-gateway/upstream";

const API = "https://api.example.com/v1";
const headersOf = (env: Env) => ({
  authorization: `Bearer ${variable(env, "EXAMPLE_KEY")}`,
});

interface Job {
  id: string;
  state: "waiting" | "running" | "done" | "failed";
  url?: string;
  error?: string;
}

const film: Model<"text_to_video"> = {
  provider: "example",
  name: "film-1",
  variables: ["EXAMPLE_KEY"],
  async start({ prompt, duration_seconds = 5 }, env, ready) {
    if (duration_seconds > 10)
      throw new ProviderError(422, "film-1 makes at most 10 seconds");
    ready(); // Refuses a request with a file whose content was not read.
    const json = { prompt, seconds: duration_seconds };
    // Sent once, and never again: a create may have been charged.
    const { id } = await requestJson<Job>(`${API}/films`, {
      headers: headersOf(env),
      json,
    });
    return { job: id };
  },
  async status(id, env) {
    const { state, url, error } = await requestJson<Job>(`${API}/films/${id}`, {
      headers: headersOf(env),
    });
    if (state === "failed")
      return { state: "FAILED", message: error ?? "the film failed" };
    if (state === "done" && url)
      return { state: "SUCCEEDED", outputs: [{ url }] };
    return { state: state === "waiting" ? "QUEUED" : "RUNNING" };
  },
};

export default upstream({ text_to_video: film });
