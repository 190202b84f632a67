// What each package of npm contains and depends on, as CycloneDX.
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "./process.mjs";

/** The workspaces whose code is in each package: the gateway's has the playground, built. */
const WORKSPACES = { mediagate: ["mediagate"], "mediagate-gateway": ["mediagate-gateway", "www"] };
/** Of the dependencies for development those whose code is in what is built. */
const BUNDLED = ["ipaddr.js"];
const DEVELOPMENT = "cdx:npm:package:development";

/**
 * @param {{ root: string, out: string, staged: string, version: string }} paths
 */
export async function writeNpmSboms(paths) {
  const project = await copyManifests(paths);
  const { peerDependencies } = JSON.parse(await readFile(join(paths.root, "pkg/package.json"), "utf8"));
  const peers = Object.keys(peerDependencies ?? {});
  const write = async ([name, workspaces]) => {
    const selected = workspaces.flatMap((it) => ["--workspace", it]);
    const args = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only", "--loglevel=error", ...selected];
    const sbom = prune(JSON.parse(await run("npm", args, { cwd: project })), workspaces, peers);
    await writeFile(join(paths.out, `${name}-${paths.version}.cdx.json`), `${JSON.stringify(sbom, undefined, 2)}\n`);
  };
  await Promise.all(Object.entries(WORKSPACES).map(write));
}

/** A copy of the manifests and the lock, whose root has a version: npm refuses to describe one without. */
async function copyManifests({ root, staged, version }) {
  const project = join(staged, "manifests");
  const read = async (file) => JSON.parse(await readFile(join(root, file), "utf8"));
  const write = (file, value) => writeFile(join(project, file), JSON.stringify(value));
  const manifest = await read("package.json");
  const lock = await read("package-lock.json");
  await mkdir(project);
  await write("package.json", { ...manifest, version });
  const packages = { ...lock.packages, "": { ...lock.packages[""], version } };
  await write("package-lock.json", { ...lock, version, packages });
  for (const it of manifest.workspaces) {
    await mkdir(join(project, it), { recursive: true });
    await copyFile(join(root, it, "package.json"), join(project, it, "package.json"));
  }
  return project;
}

/**
 * Makes the package the subject, and removes what only building it needs. npm's own `--omit dev` also removes what is
 * needed for both.
 *
 * @param {any} sbom
 * @param {string[]} shipped the workspaces in the package, itself first
 * @param {string[]} peers what the app that installs the package brings
 */
function prune(sbom, shipped, peers) {
  const named = sbom.components.map((it) => ({ ...it, name: nameOf(it["bom-ref"]) }));
  const [component, ...bundled] = shipped.map((name) => named.find((it) => it.name === name));
  if (!component || bundled.includes(undefined))
    throw new Error(`npm sbom lacks one of ${shipped.join(", ")}; run \`npm install\` and commit package-lock.json`);
  const inside = bundled.map((it) => it["bom-ref"]);
  const edges = new Map(sbom.dependencies.map((it) => [it.ref, it.dependsOn]));
  edges.set(component["bom-ref"], [...edges.get(component["bom-ref"]), ...inside]);
  const used = named.filter((it) => isShipped(it, peers)).map((it) => it["bom-ref"]);
  const reached = reachable(edges, component["bom-ref"], new Set(used));
  const components = named.filter((it) => it !== component && reached.has(it["bom-ref"]));
  const dependencies = [...reached].map((ref) => ({ ref, dependsOn: edges.get(ref).filter((it) => reached.has(it)) }));
  return { ...sbom, metadata: { ...sbom.metadata, component }, components, dependencies };
}

/** npm calls a workspace by its folder. */
const nameOf = (ref) => ref.slice(0, ref.lastIndexOf("@"));

function isShipped({ name, properties }, peers) {
  if (peers.includes(name)) return false;
  return BUNDLED.includes(name) || !properties.some((it) => it.name === DEVELOPMENT);
}

/**
 * @param {Map<string, string[]>} edges
 * @param {string} start
 * @param {Set<string>} allowed
 */
function reachable(edges, start, allowed) {
  const reached = new Set([start]);
  // A set's iteration reaches what is added meanwhile.
  for (const ref of reached) for (const it of edges.get(ref) ?? []) if (allowed.has(it)) reached.add(it);
  return reached;
}
