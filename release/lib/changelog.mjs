// The sections of CHANGELOG.md: `## [0.1.0] - 2026-01-31`, or `## [Unreleased]: 0.1.0` before that version's release.

const FILE = "CHANGELOG.md";
const UNRELEASED = "Unreleased";
const HEADING = /^## \[(?<name>[^\]]+)\](?<rest>.*)$/gm;

/**
 * @param {string} changelog
 * @returns {{ name: string, heading: string, start: number, body: string }[]}
 */
function sections(changelog) {
  const matches = [...changelog.matchAll(HEADING)];
  return matches.map((it, index) => ({
    name: it.groups?.name ?? "",
    heading: it[0],
    start: it.index,
    body: withoutLinks(changelog.slice(it.index + it[0].length, matches[index + 1]?.index)),
  }));
}

/** Without the definitions of links, which a changelog of this form has at its end. */
const withoutLinks = (body) => body.replace(/^\[[^\]]+\]: .*$/gm, "").trim();

/**
 * The notes of a release: the changelog's section of the version.
 *
 * @param {string} changelog
 * @param {string} version
 * @param {(what: string) => void} leaveOut is called where the section has no date yet
 * @returns {string}
 * @throws {Error} when there is no such section, or it is empty
 */
export function releaseNotes(changelog, version, leaveOut) {
  const all = sections(changelog);
  const released = all.find((it) => it.name === version);
  const found = released ?? all.find((it) => isUnreleased(it, version));
  const remedy = `run \`node release/version.mjs ${version}\``;
  if (!found) throw new Error(`${FILE} has no section \`## [${version}]\`; write one, or ${remedy}`);
  if (!found.body.split("\n").some((it) => it.trim() && !it.startsWith("#")))
    throw new Error(`${FILE}: the section \`${found.heading}\` is empty; list the changes of ${version} there`);
  if (!released) leaveOut(`the date of ${version}: ${FILE} has \`${found.heading}\`; ${remedy}`);
  return `${found.body}\n`;
}

/**
 * Turns the heading of what is unreleased into that of a version.
 *
 * @param {string} changelog
 * @param {string} version
 * @param {string} date as in 2026-01-31
 * @returns {string}
 * @throws {Error} when there is neither such a heading nor one of the version
 */
export function release(changelog, version, date) {
  const all = sections(changelog);
  if (all.some((it) => it.name === version)) return changelog;
  const found = all.find((it) => it.name === UNRELEASED);
  if (!found)
    throw new Error(`${FILE} has neither \`## [${UNRELEASED}]\` nor \`## [${version}]\`; add one, with the changes`);
  const end = found.start + found.heading.length;
  return `${changelog.slice(0, found.start)}## [${version}] - ${date}${changelog.slice(end)}`;
}

/** A heading without a version is of the next one, whichever that is. */
const isUnreleased = ({ name, heading }, version) =>
  name === UNRELEASED && [`## [${UNRELEASED}]`, `## [${UNRELEASED}]: ${version}`].includes(heading.trim());
