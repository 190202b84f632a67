// `mediagate-gateway init`: the files of a gateway, in a project that may exist already.

import { UsageFailure } from "../failure.js";
import { serviceOf, writeConfig } from "../init/config.js";
import { frameworkOf, writeEndpoint } from "../init/endpoint.js";
import { ignoreLocalFiles, PATTERNS } from "../init/gitignore.js";
import { nameOf, upstreamOf } from "../init/options.js";
import { readProject } from "../init/project.js";
import { providerOf, writeModule } from "../init/provider.js";
import { writeSecrets } from "../init/secrets.js";
import { originsOf } from "../origins.js";
import { MODULE_VARIABLES } from "../own-module.js";
import { readModule } from "../workerd/module.js";
import { offersOf } from "../workerd/offers.js";

export const summary =
  "Write a gateway's configuration, secrets and token endpoint into this folder";

export const help = `
It writes wrangler.toml for Cloudflare, .dev.vars with random secrets for this machine, and an
endpoint of your own server that issues session tokens, for Next.js and SvelteKit with its secret in
.env.local. Lines that .gitignore lacks are added to it; any other file that exists stays as it is.

Options:
  --provider WORD         the provider of the media, instead of a media service: fal, replicate,
                          runway, google or openrouter, or custom for another one. It writes an
                          upstream module for it into the folder upstream, and the gateway's
                          binding to it
  --upstream URL          the media service's address [default: a line to fill in]
  --upstream-module FILE  an upstream module instead, in TypeScript or JavaScript: the configuration
                          gets its binding, and offers what it offers
  --upstream-vars FILE    the module's variables, as lines NAME=value
                          [default: .dev.vars beside the module]
  --origin ORIGIN         an origin whose pages may call the gateway, such as
                          https://www.example.com; repeat it for several
  --name NAME             the Worker's name [default: mediagate]
  --jsonc                 write wrangler.jsonc instead of wrangler.toml
  --token-endpoint WORD   next, hono, express or sveltekit, or none
                          [default: the framework in package.json]
  -h, --help              print this`;

/** @type {import("../main.js").Command["options"]} */
export const options = {
  provider: { type: "string" },
  upstream: { type: "string" },
  "upstream-module": { type: "string" },
  "upstream-vars": { type: "string" },
  origin: { type: "string", multiple: true, default: [] },
  name: { type: "string", default: "mediagate" },
  jsonc: { type: "boolean", default: false },
  "token-endpoint": { type: "string" },
};

export async function run(values) {
  const config = await configOf(values);
  const project = await readProject();
  const { word, note } = frameworkOf(values["token-endpoint"], project);
  const steps = [
    // Before the secrets, so that they are never in a folder whose .gitignore lacks them.
    () =>
      ignoreLocalFiles(
        config.provider ? [...PATTERNS, MODULE_VARIABLES] : PATTERNS,
      ),
    writeSecrets,
    ...moduleSteps(config),
    () => writeConfig(config),
    ...(word === "none" ? [] : [() => writeEndpoint(word, project)]),
  ];
  const results = [];
  for (const step of steps) {
    const result = await step();
    for (const done of [result.done].flat()) print(done);
    results.push(result);
  }
  const notes = results.flatMap((result) => result.notes ?? []);
  const isForeign = results.some((result) => result.isForeign);
  console.log(
    describeNextSteps(
      [...notes, ...(note ? [note] : [])],
      project,
      word,
      isForeign,
      config.provider,
    ),
  );
}

const moduleSteps = ({ provider, name }) =>
  provider ? [() => writeModule(provider, serviceOf(name))] : [];

async function configOf({ name, jsonc, upstream, origin, ...values }) {
  const origins = await originsOf(origin);
  const provider =
    values.provider === undefined ? undefined : providerOf(values.provider);
  if (provider && (upstream !== undefined || values["upstream-module"]))
    throw new UsageFailure(
      "--provider excludes --upstream and --upstream-module; leave it or them out",
    );
  const module = await readModule(
    values["upstream-module"],
    values["upstream-vars"],
  );
  if (module && upstream !== undefined)
    throw new UsageFailure(
      "--upstream and --upstream-module exclude each other; leave one out",
    );
  return {
    name: nameOf(name),
    jsonc,
    provider,
    offers: module ? await offersOf(module) : provider?.offers,
    vars: {
      UPSTREAM_BASE_URL:
        upstream === undefined ? undefined : upstreamOf(upstream),
      ALLOWED_ORIGINS: origins.length > 0 ? origins.join(",") : undefined,
    },
  };
}

/** @param {import("../files.js").Done} done */
const print = ({ action, path, detail }) =>
  console.log(
    `${action.padEnd(11)}${path}${detail === undefined ? "" : ` (${detail})`}`,
  );

const DEPLOY =
  "npx mediagate-gateway deploy   " +
  "# checks the configuration, prompts for the secrets, and deploys to Cloudflare";
const inAFolderOfItsOwn = (provider) =>
  "mkdir gateway && cd gateway && npx mediagate-gateway init --token-endpoint none" +
  `${provider ? ` --provider ${provider.word}` : ""}   # the Worker's configuration`;

function describeNextSteps(
  notes,
  { hasPackage, dependencies },
  word,
  isForeign,
  provider,
) {
  const isMissing = (name) => !dependencies.includes(name);
  const forPages = word === "none" ? [] : ["mediagate"].filter(isMissing);
  const forTools = ["mediagate-gateway", "wrangler", provider?.types ?? []]
    .flat()
    .filter(isMissing);
  const installs = [
    hasPackage ? "" : "npm init -y",
    forPages.length > 0 ? `npm install ${forPages.join(" ")}` : "",
    forTools.length > 0 ? `npm install -D ${forTools.join(" ")}` : "",
  ].filter(Boolean);
  const upstream = provider ? "module" : "emulator";
  const steps = [
    ...(installs.length > 0 ? [installs.join(" && ")] : []),
    `npx mediagate-gateway dev      # gateway, ${upstream} and playground on this machine`,
    isForeign ? inAFolderOfItsOwn(provider) : DEPLOY,
  ];
  const list =
    notes.length > 0
      ? `\n${notes.map((note) => `- ${note}`).join("\n")}\n`
      : "";
  return `${list}\nNext:\n${steps.map((step) => `  ${step}`).join("\n")}`;
}
