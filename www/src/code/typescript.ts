/** A request as TypeScript that uses the npm package. */
import type { Capability } from "../catalogue";
import { type Chosen, isRunning } from "../results/reference";
import type { Values } from "../storage";
import { type Input, inputsOf, plain } from "./inputs";

/** `gateway` is the gateway's URL; the token is a placeholder. */
export function typescript(
  capability: Capability,
  values: Values,
  gateway: string,
): string {
  const inputs = inputsOf(capability, values);
  return `${beginning(capability.method, inputs, gateway)}
  const task = await media.${capability.method}(${literal(capability, values, inputs)});
  for await (const { state, progress } of task) console.log(state, progress);
  const { outputs } = await task.done();
  return outputs;
}
`;
}

/** Everything before the body of the function, whose parameters are the inputs. */
export function beginning(
  name: string,
  inputs: readonly Input[],
  gateway: string,
): string {
  const parameters = inputs.map((it) => `${it.name}: ${typeOf(it)}`).join(", ");
  const types = inputs.some((it) => typesOf(it).includes("Task"))
    ? "type Output, type Task"
    : "type Output";
  return `import { connect, ${types} } from "mediagate";

const media = await connect({
  url: ${JSON.stringify(gateway)},
  // A session token from your backend, or a function that returns one; without it, the session is anonymous.
  token: "SESSION_TOKEN",
});
${documentation(inputs)}
export async function ${name}(${parameters}): Promise<readonly Output[]> {`;
}

/** What an input takes, by what is chosen. */
function typesOf({ chosen }: Input): string[] {
  const types = chosen.map((it) =>
    it instanceof File ? "File" : isRunning(it) ? "Task" : "Output",
  );
  return types.length > 0 ? [...new Set(types)].sort() : ["File"];
}

function typeOf(input: Input): string {
  const types = typesOf(input);
  const union = types.join(" | ");
  if (!input.many) return union;
  return types.length > 1 ? `(${union})[]` : `${union}[]`;
}

const SENTENCES: Record<string, string> = {
  File: "Each File, as from an input or a drop, is uploaded first.",
  Output:
    "An Output is one of another task's outputs, which the gateway moves.",
  Task: "A Task is waited for, and its output that fits is used.",
};

function documentation(inputs: readonly Input[]): string {
  const sentences = [...new Set(inputs.flatMap(typesOf))]
    .sort()
    .map((it) => ` * ${SENTENCES[it]}`);
  if (sentences.length === 0) return "";
  if (sentences.length === 1) return `\n/**${sentences[0]?.slice(2)} */`;
  return `\n/**\n${sentences.join("\n")}\n */`;
}

function literal(
  capability: Capability,
  values: Values,
  inputs: Input[],
): string {
  const lines = capability.fields.flatMap(({ name }) => {
    const input = inputs.find((it) => it.field.name === name);
    if (input) return [member(name, input)];
    return name in values
      ? [`    ${name}: ${JSON.stringify(values[name])},`]
      : [];
  });
  return `{\n${lines.join("\n")}\n  }`;
}

function member(name: string, input: Input): string {
  return `    ${name}: ${input.name},${remark(input)}`;
}

/** A comment with the names of what is chosen. */
export function remark(input: Input | undefined): string {
  const chosen = (input?.chosen ?? [])
    .map((it: Chosen) => plain(it.name))
    .join(", ");
  return chosen && ` // ${chosen}`;
}
