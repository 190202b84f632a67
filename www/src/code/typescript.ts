/** Writes a request as a module with the npm package, which runs in Node as it is. */
import type { Capability } from "../catalogue";
import type { Values } from "../storage";
import { type Input, inputsOf, plain, type Source } from "./inputs";

export function typescript(
  capability: Capability,
  values: Values,
  gateway: string,
): string {
  const inputs = inputsOf(capability, values);
  const input = literal(capability, values, inputs);
  return `${beginning(inputs, gateway)}
const task = await media.${capability.method}(${input});
for await (const { state, progress } of task) console.log(state, progress);
const { outputs } = await task.done();
console.log(outputs);
`;
}

export function beginning(inputs: readonly Input[], gateway: string): string {
  const hasFiles = inputs.some(({ sources }) => sources.some(isOnDisk));
  return `import { connect } from "mediagate";
${hasFiles ? 'import { openAsBlob } from "node:fs";\n' : ""}
const gateway = ${JSON.stringify(gateway)};
const media = await connect({
  url: gateway,
  // An anonymous session, as this page has one. In your app, return a token that your backend signs.
  token: async () => {
    const response = await fetch(\`\${gateway}/session\`, {
      method: "POST",
      headers: { origin: gateway, "x-mediagate": "1" },
    });
    return (await response.json()).data.session.token;
  },
});
`;
}

function isOnDisk(source: Source): boolean {
  return "type" in source;
}

export function expressionOf({ many, sources }: Input): string {
  const all = sources.map(valueOfSource);
  return many ? `[${all.join(", ")}]` : (all[0] ?? "undefined");
}

function valueOfSource(source: Source): string {
  if ("url" in source)
    return `await (await fetch(${JSON.stringify(source.url)})).blob()`;
  if ("type" in source) {
    const { name, type } = source;
    const options = type && `, { type: ${JSON.stringify(type)} }`;
    return `await openAsBlob(${JSON.stringify(name)}${options})`;
  }
  if ("address" in source) return `{ url: ${JSON.stringify(source.address)} }`;
  const { task, output, capability } = source;
  return capability
    ? `{ id: "${task}", capability: ${JSON.stringify(capability)} }`
    : `{ taskId: "${task}", output: ${output} }`;
}

function literal(
  capability: Capability,
  values: Values,
  inputs: Input[],
): string {
  const lines = capability.fields.flatMap(({ name }) => {
    const input = inputs.find(({ field }) => field.name === name);
    if (input) return [`  ${name}: ${expressionOf(input)},${remark(input)}`];
    return name in values
      ? [`  ${name}: ${JSON.stringify(values[name])},`]
      : [];
  });
  return `{\n${lines.join("\n")}\n}`;
}

/** Returns a comment with the names of the results, which their expressions do not contain. */
export function remark(input: Input | undefined): string {
  const names = (input?.sources ?? [])
    .filter((source) => !isOnDisk(source))
    .map(({ name }) => plain(name));
  return names.length > 0 ? ` // ${names.join(", ")}` : "";
}
