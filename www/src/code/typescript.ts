/** A request as TypeScript that uses the npm package. */
import type { Capability } from "../catalogue";
import type { Values } from "../storage";
import { type Input, inputsOf, plain } from "./inputs";

/** `gateway` is the gateway's URL; the token is a placeholder. */
export function typescript(capability: Capability, values: Values, gateway: string): string {
  const inputs = inputsOf(capability, values);
  const parameters = inputs.map((it) => `${it.name}: ${it.many ? "File[]" : "File"}`).join(", ");
  return `import { connect, type Output } from "mediagate";

const media = await connect({
  url: ${JSON.stringify(gateway)},
  // A session token from your backend, or a function that returns one; without it, the session is anonymous.
  token: "SESSION_TOKEN",
});
${inputs.length > 0 ? "\n/** Each File, as from an input or a drop, is uploaded first. */" : ""}
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
