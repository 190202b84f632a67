/** A pipeline as TypeScript that uses the npm package, and as HTTP. */
import { prefix } from "../catalogue";
import { isChosen, isStep, mapChosen } from "../results/reference";
import type { Draft, Values } from "../storage";
import {
  AUTHORIZATION,
  command,
  JSON_TYPE,
  placeholders,
  quoted,
  SETUP,
  sources,
} from "./http";
import { type CodeStep, codeSteps, usedBy } from "./steps";
import { beginning, remark } from "./typescript";

/** `gateway` is the gateway's URL; the token is a placeholder. */
export function pipelineTypescript(draft: Draft, gateway: string): string {
  const steps = codeSteps(draft);
  const inputs = steps.flatMap((it) => it.inputs);
  const options = draft.title
    ? `, { title: ${JSON.stringify(draft.title)} }`
    : "";
  return `${beginning("runPipeline", inputs, gateway)}
  const pipeline = await media.pipelines.start((p) => {
${steps.map((it) => statement(it, steps)).join("\n")}
  }${options});
  for await (const { state, steps } of pipeline) console.log(state, steps.map((it) => it.state));
  const { outputs } = await pipeline.done();
  return outputs;
}
`;
}

function statement(step: CodeStep, steps: readonly CodeStep[]): string {
  const isUsed = steps.some((it) => usedBy(it).includes(step.name));
  const lines = step.definition.fields.flatMap(({ name }) => {
    const value = expressionOf(name, step, steps);
    const input = step.inputs.find((it) => it.field.name === name);
    return value === undefined
      ? []
      : [`      ${name}: ${value},${remark(input)}`];
  });
  return `    ${isUsed ? `const ${step.variable} = ` : ""}p.${step.definition.method}({\n${lines.join("\n")}\n    });`;
}

/** The expression of a field; `undefined` for a blank one. */
function expressionOf(
  name: string,
  { values, inputs }: CodeStep,
  steps: readonly CodeStep[],
): string | undefined {
  const input = inputs.find((it) => it.field.name === name);
  const used = [values[name]].flat().filter(isStep);
  if (used.length === 0)
    return (
      input?.name ?? (name in values ? JSON.stringify(values[name]) : undefined)
    );
  const variables = used.map(
    (it) =>
      steps.find((step) => step.name === it.step)?.variable ?? "undefined",
  );
  if (!Array.isArray(values[name])) return variables[0];
  // In order: the parameter is a list, in the place of its first file.
  const first = values[name].findIndex((it) => isChosen(it) && !isStep(it));
  const items = input
    ? variables.toSpliced(first, 0, `...${input.name}`)
    : variables;
  return `[${items.join(", ")}]`;
}

/** Written with curl; tokens and ids are placeholders. */
export function pipelineHttp(draft: Draft, gateway: string): string {
  const steps = codeSteps(draft);
  const url = (path: string) => quoted(`${gateway}${prefix}${path}`);
  const all = steps.map((it) => [
    it.name,
    { capability: it.capability, input: bodyOf(it) },
  ]);
  const body = {
    ...(draft.title && { title: draft.title }),
    steps: Object.fromEntries(all),
  };
  const start = command(
    `curl ${url("pipelines")}`,
    AUTHORIZATION,
    JSON_TYPE,
    `-H "Idempotency-Key: $(date +%s)"`,
    `-d ${quoted(JSON.stringify(body, undefined, 2))}`,
  );
  return [
    SETUP,
    ...sources(
      steps.flatMap((it) => it.inputs),
      url,
    ),
    `# The pipeline is data.pipeline in the response\n${start}`,
    `# Until its state is not RUNNING any more\n${command(`curl ${url("pipelines/PIPELINE_ID")}`, AUTHORIZATION)}`,
    "",
  ].join("\n\n");
}

/** With placeholders for ids, and with the names of steps. */
function bodyOf({ values, inputs }: CodeStep): Values {
  const body = { ...values };
  for (const input of inputs) {
    const { name } = input.field;
    const ids = placeholders(input);
    const isBlank = input.chosen.length === 0;
    if (isBlank) body[name] = input.many ? ids : ids[0];
    else
      body[name] = mapChosen(values[name], (it) =>
        isStep(it) ? it : ids.shift(),
      );
  }
  return mapChosen(body, (it) =>
    isStep(it) ? { step: it.step } : it,
  ) as Values;
}
