/** Writes a pipeline as a module with the npm package, as a shell script, and in Python. */
import { isChosen, isStep, mapChosen, stepsIn } from "../results/reference";
import type { Draft, Values } from "../storage";
import { create, idIn, poll, setup, sources, urlsOf, variables } from "./http";
import * as py from "./python";
import { type CodeStep, codeSteps } from "./steps";
import { beginning, expressionOf, remark } from "./typescript";

export function pipelineTypescript(draft: Draft, gateway: string): string {
  const steps = codeSteps(draft);
  const inputs = steps.flatMap((step) => step.inputs);
  const options = draft.title
    ? `, { title: ${JSON.stringify(draft.title)} }`
    : "";
  const files = inputs.map(
    (input) =>
      `const ${input.name} = ${expressionOf(input)};${remark(input)}\n`,
  );
  return `${beginning(inputs, gateway)}
${files.join("")}const pipeline = await media.pipelines.start((p) => {
${steps.map((step) => statement(step, steps)).join("\n")}
}${options});
for await (const { state, steps } of pipeline) console.log(state, steps.map((step) => step.state));
const { outputs } = await pipeline.done();
console.log(outputs);
`;
}

function statement(step: CodeStep, steps: readonly CodeStep[]): string {
  const isUsed = steps.some(({ values }) =>
    stepsIn(values).includes(step.name),
  );
  const lines = step.definition.fields.flatMap(({ name }) => {
    const value = valueOfField(name, step, steps);
    return value === undefined ? [] : [`    ${name}: ${value},`];
  });
  const variable = isUsed ? `const ${step.variable} = ` : "";
  return `  ${variable}p.${step.definition.method}({\n${lines.join("\n")}\n  });`;
}

function valueOfField(
  name: string,
  { values, inputs }: CodeStep,
  steps: readonly CodeStep[],
): string | undefined {
  const files = inputs.find(({ field }) => field.name === name)?.name;
  const variableOf = (used: string) =>
    steps.find((step) => step.name === used)?.variable ?? "undefined";
  return (
    withSteps(values[name], files, variableOf, "...") ??
    files ??
    (name in values ? JSON.stringify(values[name]) : undefined)
  );
}

/**
 * Returns the expression of a field that has steps; `undefined` for one without. `files` is the
 * variable of the field's files, which `spread` spreads in a list.
 */
function withSteps(
  value: unknown,
  files: string | undefined,
  textOf: (step: string) => string,
  spread: string,
): string | undefined {
  const steps = [value]
    .flat()
    .filter(isStep)
    .map(({ step }) => textOf(step));
  if (!Array.isArray(value) || steps.length === 0) return steps[0];
  // The files stand where the first of them is in the field.
  const first = value.findIndex(isOtherThanStep);
  const items = files ? steps.toSpliced(first, 0, spread + files) : steps;
  return `[${items.join(", ")}]`;
}

function isOtherThanStep(value: unknown): boolean {
  return isChosen(value) && !isStep(value);
}

export function pipelineHttp(draft: Draft, gateway: string): string {
  const steps = codeSteps(draft);
  const url = urlsOf(gateway);
  const all = steps.map((step) => [
    step.name,
    { capability: step.capability, input: bodyOf(step) },
  ]);
  const body = {
    ...(draft.title && { title: draft.title }),
    steps: Object.fromEntries(all),
  };
  return [
    setup(gateway),
    ...sources(
      steps.flatMap((step) => step.inputs),
      url,
    ),
    `PIPELINE_ID=$(${create(url("pipelines"), body)} | jq -r .data.pipeline.id)`,
    poll(`${url("pipelines/")}"$PIPELINE_ID"`, "pipeline"),
    "",
  ].join("\n\n");
}

function bodyOf({ values, inputs }: CodeStep): Values {
  const body = { ...values };
  for (const input of inputs) {
    const { name } = input.field;
    const ids = variables(input).map(idIn);
    const isBlank = [values[name]].flat().filter(isChosen).length === 0;
    if (isBlank) body[name] = input.many ? ids : ids[0];
    else
      body[name] = mapChosen(values[name], (chosen) =>
        isStep(chosen) ? chosen : ids.shift(),
      );
  }
  return mapChosen(body, (chosen) =>
    isStep(chosen) ? { step: chosen.step } : chosen,
  ) as Values;
}

export function pipelinePython(draft: Draft, gateway: string): string {
  const steps = codeSteps(draft);
  const inputs = steps.flatMap((step) => step.inputs);
  const files = inputs.map(
    (input) => `${input.name} = ${py.inputText(input)}\n`,
  );
  const title = draft.title ? `    "title": ${py.literal(draft.title)},\n` : "";
  return `${py.beginning(inputs, gateway)}
${files.join("")}pipeline = call("POST", "pipelines", {
${title}    "steps": {
${steps.map(pythonStep).join("\n")}
    },
})["pipeline"]
${py.polling("pipeline", `f"pipelines/{pipeline['id']}"`)}
print(json.dumps(pipeline, indent=2))
`;
}

function pythonStep({ name, capability, values, inputs }: CodeStep): string {
  const names = new Set([
    ...Object.keys(values),
    ...inputs.map(({ field }) => field.name),
  ]);
  const lines = [...names].map((key) => {
    const files = inputs.find(({ field }) => field.name === key)?.name;
    const value =
      withSteps(values[key], files, (step) => py.literal({ step }), "*") ??
      files ??
      py.literal(values[key]);
    return `            ${py.literal(key)}: ${value},`;
  });
  return `        ${py.literal(name)}: {"capability": ${py.literal(capability)}, "input": {
${lines.join("\n")}
        }},`;
}
