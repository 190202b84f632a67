/** A request as the TypeScript that an app would write for it, with the npm package. */
import type { Capability } from "../catalogue";
import type { Values } from "../kept";
import { inputsOf, plain, type Input } from "./inputs";

/** `gateway` is where it is; the token is a placeholder. */
export function typescript(capability: Capability, values: Values, gateway: string): string {
  const inputs = inputsOf(capability, values);
  const parameters = inputs.map((it) => `${it.name}: ${it.many ? "File[]" : "File"}`).join(", ");
  return `import { connect, type Output } from "mediagate";

const media = await connect({
  url: ${JSON.stringify(gateway)},
  // One that your backend mints, or a function that gets it; without, the gateway opens an anonymous session.
  token: "SESSION_TOKEN",
});
${inputs.length > 0 ? "\n/** A File, as an input or a drop gives it, is uploaded first. */" : ""}
export async function ${capability.method}(${parameters}): Promise<readonly Output[]> {
  const task = await media.${capability.method}(${literal(capability, values, inputs)});
  for await (const { state, progress } of task) console.log(state, progress);
  const { outputs } = await task.done();
  return outputs;
}
`;
}

function literal(capability: Capability, values: Values, inputs: Input[]): string {
  const lines = capability.fields.flatMap(({ name }) => {
    const input = inputs.find((it) => it.field.name === name);
    if (input) return [member(name, input)];
    return name in values ? [`    ${name}: ${JSON.stringify(values[name])},`] : [];
  });
  return `{\n${lines.join("\n")}\n  }`;
}

function member(name: string, input: Input): string {
  const chosen = input.files.map((it) => plain(it.name)).join(", ");
  return `    ${name}: ${input.name},${chosen && ` // ${chosen}`}`;
}
