// What holds for the workflow of releases beyond its syntax.
import { PLATFORMS } from "../../gateway/scripts/platforms.mjs";
import { platformName } from "../lib/programs.mjs";
import { VERSION } from "../lib/sbom-rust.mjs";

const PINNED =
  /^actions\/(checkout|setup-node|(upload|download)-artifact|upload-pages-artifact|deploy-pages)@[0-9a-f]{40}$/;
/**
 * The only permissions to write, and the jobs that have each. GitHub Pages needs a token, too; npm refuses it, since it is
 * not of the environment npm.
 */
const WRITES = { "id-token": ["publish", "pages"], contents: ["github"], pages: ["pages"] };

/**
 * @param {any} workflow
 * @param {string} text
 * @returns {string[]} its problems
 */
export function checkRelease(workflow, text) {
  const jobs = Object.entries(workflow.jobs);
  return [
    ...expect(Object.keys(workflow.permissions ?? { all: "" }).length === 0, "has permissions outside of jobs"),
    ...expect(!text.includes("secrets."), "uses a secret; npm takes GitHub's OIDC token, and gh takes github.token"),
    ...expect(text.includes(`cargo-cyclonedx --version ${VERSION} `), `does not install cargo-cyclonedx ${VERSION}`),
    ...jobs.flatMap(([name, job]) => checkJob(name, job).map((it) => `the job ${name} ${it}`)),
    ...checkPublishing(workflow.jobs),
    ...checkPlatforms(workflow.jobs.emulator?.strategy?.matrix?.include ?? []),
  ];
}

const expect = (condition, problem) => (condition ? [] : [problem]);

function checkJob(name, job) {
  const uses = job.steps.map((it) => it.uses).filter((it) => it !== undefined);
  const granted = Object.entries(job.permissions ?? {}).filter(([, it]) => it === "write");
  return [
    ...expect(job.permissions, "states no permissions"),
    ...expect(job["timeout-minutes"], "has no timeout"),
    ...uses.filter((it) => !PINNED.test(it)).map((it) => `uses ${it}, expected one of GitHub's actions by its commit`),
    ...granted
      .filter(([it]) => !WRITES[it]?.includes(name))
      .map(([it]) => `may write ${it}, expected in no other job than ${WRITES[it]?.join(" and ")}`),
  ];
}

/** Only a tag publishes, with approval, and after everything else. */
function checkPublishing({ publish, github, rehearse }) {
  return [
    ...expect(publish?.if === "github.event_name == 'push'", "publishes for other events than a push of a tag"),
    ...expect(publish?.environment === "npm", "publishes without the approval of the environment npm"),
    ...expect(String(publish?.needs) === "test,assemble", "publishes what is not tested"),
    ...expect(github?.needs === "publish", "makes GitHub's release before npm has the packages"),
    ...expect(String(rehearse?.steps?.at(-1)?.run).endsWith("--dry-run"), "publishes in a dry run"),
  ];
}

function checkPlatforms(matrix) {
  const built = matrix.map((it) => `${it.platform} for ${it.target}`);
  const expected = PLATFORMS.map((it) => `${platformName(it)} for ${it.target}`);
  return [
    ...expected.filter((it) => !built.includes(it)).map((it) => `does not build ${it}`),
    ...built
      .filter((it) => !expected.includes(it))
      .map((it) => `builds ${it}, which gateway/scripts/platforms.mjs lacks`),
  ];
}
