// The claims of a session token, checked by the gateway's own rules: what it would refuse, or read as no limit, is an error
// here, in the backend's log, and not in the page of a user.

import { scopeClaim } from "./server-scope.js";
import {
  invalid,
  isRecord,
  isText,
  membersOf,
  unknownMember,
} from "./server-values.js";

/** The lifetime that the gateway accepts at most, in seconds. */
const MAX_LIFETIME_S = 3600;
/** The lifetime of a token that names none, in seconds. */
const DEFAULT_LIFETIME_S = 600;
/** The maximum of a limit in a budget. */
const MAX_LIMIT = 2 ** 32 - 1;

const LIMITS = ["creates", "generate", "process", "in_flight"];
const CATEGORIES = ["avatar", "voice"];
/** An id that the gateway's list of revoked tokens can hold: visible ASCII without the comma, which separates the ids. */
const TOKEN_ID = /^[!-+\--~]{1,128}$/;

/** The members that differ between tokens. */
export const IDENTITY = ["subject", "tokenId"];
/** The members that say what a user may do. */
export const PERMISSIONS = ["scope", "budget", "assets", "watch", "expiresIn"];
/** The members that are the same for every user of a gateway. */
export const NAMES = ["issuer", "audience"];

/**
 * The claims of a token that is issued now.
 *
 * @param {Record<string, unknown>} options
 * @throws {MediagateError} that names what is not valid
 */
export function claimsOf({
  subject,
  tokenId,
  scope,
  budget,
  assets,
  watch,
  issuer,
  audience = "mediagate",
  expiresIn,
}) {
  const iat = Math.floor(Date.now() / 1000);
  return {
    jti: tokenIdClaim(tokenId),
    sub: subjectClaim(subject),
    aud: name("audience", audience, "mediagate"),
    iss: issuer === undefined ? undefined : name("issuer", issuer, "none"),
    iat,
    exp: iat + lifetime(expiresIn),
    scope: scopeClaim(scope),
    budget: budget === undefined ? undefined : budgetClaim(budget),
    assets: assets === undefined ? undefined : assetsClaim(assets),
    watch: watchClaim(watch),
  };
}

/** @param {unknown} subject */
function subjectClaim(subject) {
  if (!isText(subject))
    throw invalid(
      "subject is missing, blank or no string; give the user's id as a string",
    );
  if (subject.startsWith("anon:"))
    throw invalid(
      "subject begins with anon:, which is for the gateway's anonymous sessions; put another prefix before it",
    );
  return subject;
}

/** @param {unknown} tokenId */
function tokenIdClaim(tokenId) {
  if (typeof tokenId === "string" && TOKEN_ID.test(tokenId)) return tokenId;
  throw invalid(
    "tokenId is not a string of 1 to 128 visible ASCII characters without a comma; leave it out for a random one",
  );
}

/**
 * @param {string} member
 * @param {unknown} value
 * @param {string} without
 */
function name(member, value, without) {
  if (!isText(value))
    throw invalid(
      `${member} is blank or no string; give the gateway's, or leave it out for ${without}`,
    );
  return value;
}

/**
 * A token's lifetime in seconds.
 *
 * @param {unknown} expiresIn
 */
function lifetime(expiresIn = DEFAULT_LIFETIME_S) {
  if (isWhole(expiresIn, 1, MAX_LIFETIME_S)) return expiresIn;
  throw invalid(
    `expiresIn is not a whole number of seconds from 1 to ${MAX_LIFETIME_S}; leave it out for ${DEFAULT_LIFETIME_S}`,
  );
}

/**
 * Returns whether an object inherits from nothing but a realm's `Object`.
 *
 * @param {object} value
 */
function isPlain(value) {
  const parent = Object.getPrototypeOf(value);
  return parent === null || Object.getPrototypeOf(parent) === null;
}

/** @param {unknown} budget */
function budgetClaim(budget) {
  if (!isRecord(budget))
    throw invalid(
      "budget is not an object with limits; give one such as { creates: 20, in_flight: 2 }",
    );
  const other = unknownMember(budget, LIMITS);
  if (other !== undefined)
    throw invalid(
      `budget has the unknown member ${other}; it has ${LIMITS.join(", ")}`,
    );
  const claim = membersOf(budget, LIMITS);
  // A limit that is there and `undefined` was meant to be one. `claim` has those of a proxy that lists none.
  for (const limit of LIMITS.filter(
    (name) => name in budget || name in claim,
  )) {
    if (!isWhole(claim[limit], 0, MAX_LIMIT))
      throw invalid(
        `budget.${limit} is not a whole number from 0 to ${MAX_LIMIT}; leave it out for no limit`,
      );
  }
  // The instance of a class may be a query that was not awaited, which has no limit yet.
  if (Object.keys(claim).length === 0 && !isPlain(budget))
    throw invalid(
      `budget is an instance of a class and has no limit; give it one of ${LIMITS.join(", ")}`,
    );
  return claim;
}

/** @param {unknown} assets */
function assetsClaim(assets) {
  if (!Array.isArray(assets))
    throw invalid(
      'assets is not a list; give ids, or objects such as { id, category: "voice" }',
    );
  // Only what the gateway reads: a row of a database may have more, and the page can read its token.
  return Array.from(assets, (asset, index) => {
    const { id, category } =
      typeof asset === "string" ? { id: asset } : (asset ?? {});
    if (!isText(id))
      throw invalid(
        `assets[${index}] has no id; give the media service's id as a string`,
      );
    if (category === undefined) return typeof asset === "string" ? id : { id };
    if (CATEGORIES.includes(category)) return { id, category };
    throw invalid(
      `assets[${index}].category is neither avatar nor voice; leave it out if it is unknown`,
    );
  });
}

/** @param {unknown} watch */
function watchClaim(watch) {
  if (watch === undefined || typeof watch === "boolean") return watch;
  throw invalid("watch is not true or false; leave it out for false");
}

/**
 * @param {unknown} value
 * @param {number} min
 * @param {number} max
 * @returns {value is number}
 */
const isWhole = (value, min, max) =>
  typeof value === "number" &&
  Number.isInteger(value) &&
  value >= min &&
  value <= max;
