/** Prints a plan as a module with the npm package, which runs in Node as it is. */
import { isStep, stepsIn } from "../results/reference";
import {
  type Create,
  camelCase,
  type Plan,
  plain,
  Source,
  TASK_ID,
} from "./plan";

const json = JSON.stringify;

export function typescript(plan: Plan): string {
  const { kind, gateway, sources } = plan;
  const isUploading = sources.some(({ origin }) => origin.from === "disk");
  return `import { connect } from "mediagate";
${isUploading ? 'import { openAsBlob } from "node:fs";\n' : ""}
const gateway = ${json(gateway)};
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

${sources.map(declaration).join("")}const ${kind} = await media.${start(plan)};
${FOLLOW[kind]}
const { outputs } = await ${kind}.done();
console.log(outputs);
`;
}

const FOLLOW = {
  task: "for await (const { state, progress } of task) console.log(state, progress);",
  pipeline:
    "for await (const { state, steps } of pipeline) console.log(state, steps.map((step) => step.state));",
};

/** Declares the variable of a file. A reference needs none, since it is in the input itself. */
function declaration({ variable, name, origin }: Source): string {
  switch (origin.from) {
    case "disk":
      return `const ${variable} = await openAsBlob(${json(name)}, { type: ${json(origin.type)} });\n`;
    case "link":
      return `const ${variable} = await (await fetch(${json(origin.url)})).blob(); // ${plain(name)}\n`;
    default:
      return "";
  }
}

function start(plan: Plan): string {
  if (plan.kind === "task") return call(plan.create, "");
  const { title, steps } = plan;
  const used = stepsIn(steps.map(({ input }) => input));
  const lines = steps.map((step) => {
    const result = used.includes(step.name)
      ? `const ${camelCase(step.name)} = `
      : "";
    return `  ${result}p.${call(step, "  ")};\n`;
  });
  const options = title && `, { title: ${json(title)} }`;
  return `pipelines.start((p) => {\n${lines.join("")}}${options})`;
}

function call({ capability, input }: Create, indent: string): string {
  const lines = Object.entries(input).map(
    ([name, value]) =>
      `${indent}  ${name}: ${expression(value)},${remark(value)}\n`,
  );
  return `${capability.method}({\n${lines.join("")}${indent}})`;
}

function expression(value: unknown): string {
  if (isStep(value)) return camelCase(value.step);
  if (Array.isArray(value)) return `[${value.map(expression).join(", ")}]`;
  if (!(value instanceof Source)) return json(value);
  const { variable, origin } = value;
  if (origin.from === "address") return `{ url: ${json(origin.body.url)} }`;
  if (origin.from !== "task") return variable;
  return origin.capability
    ? `{ id: "${TASK_ID}", capability: ${json(origin.capability)} }`
    : `{ taskId: "${TASK_ID}", output: ${origin.body.output} }`;
}

/** Returns a comment with the names of the references in a field. */
function remark(value: unknown): string {
  const names = [value]
    .flat()
    .flatMap((item) =>
      item instanceof Source && "body" in item.origin ? [plain(item.name)] : [],
    );
  return names.length > 0 ? ` // ${names.join(", ")}` : "";
}
