// Makes the claims of a session token by the gateway's own rules. A claim that the gateway would
// refuse, or read as no limit, is an error here: in the backend's log instead of a user's page.

import {
  AGENT,
  ANONYMOUS_PREFIX,
  CATEGORIES,
  LIMITS,
  LISTED_LIMITS,
  MAX_AGENT_LIFETIME_S,
  MAX_LIFETIME_S,
  MAX_TOKEN_ID,
  VALUE_LIMITS,
} from "../generated/claims.js";
import { scopeClaim } from "./scope.js";
import {
  checkMembers,
  invalid,
  isRecord,
  isText,
  type Members,
  membersOf,
} from "./values.js";

/** The lifetime of a token without `expiresIn`, in seconds. */
const DEFAULT_LIFETIME_S = 600;
const MAX_LIMIT = 2 ** 32 - 1;
const MAX_CREDITS = 1e9;

const optionName = (name: string) =>
  name.replaceAll(/_(.)/g, (_, letter) => letter.toUpperCase());

/** The names of the limits in the claim, by their names in the options. */
const CLAIM_NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  [...LIMITS, ...VALUE_LIMITS].map((name) => [optionName(name), name]),
);
const BUDGET_NAMES = LIMITS.map(optionName);
const VALUE_NAMES = VALUE_LIMITS.map(optionName);
/**
 * An id that the gateway's list of revoked tokens can hold: visible ASCII without the comma, which
 * separates the ids.
 */
const TOKEN_ID = new RegExp(`^[!-+\\--~]{1,${MAX_TOKEN_ID}}$`);

/** The members that differ between tokens. */
export const IDENTITY = ["subject", "tokenId"];
export const PERMISSIONS = [
  "scope",
  "budget",
  "limits",
  "assets",
  "watch",
  "expiresIn",
];
export const NAMES = ["issuer", "audience"];

type AssetClaim = string | { id: string; category?: unknown };

/** The claims of a session token. Those that are `undefined` are not in the token. */
export interface Claims {
  jti: string;
  sub: string;
  aud: string;
  iss: string | undefined;
  iat: number;
  exp: number;
  scope: string | undefined;
  budget: Members | undefined;
  limits: Members | undefined;
  assets: AssetClaim[] | undefined;
  watch: boolean | undefined;
}

/**
 * @throws {MediagateError} `invalid_argument` for a member that is not valid; the message names it.
 */
export function claimsOf(options: Members): Claims {
  const { audience = "mediagate", issuer, budget, limits, assets } = options;
  const iat = Math.floor(Date.now() / 1000);
  const scope = scopeClaim(options.scope);
  const isAgent = scope?.split(" ").includes(AGENT) ?? false;
  return {
    jti: tokenIdClaim(options.tokenId),
    sub: subjectClaim(options.subject),
    aud: nameClaim("audience", audience, "mediagate"),
    iss: issuer === undefined ? undefined : nameClaim("issuer", issuer, "none"),
    iat,
    exp: iat + lifetime(options.expiresIn, isAgent),
    scope,
    budget:
      budget === undefined
        ? undefined
        : limitsClaim("budget", budget, BUDGET_NAMES),
    limits:
      limits === undefined
        ? undefined
        : limitsClaim("limits", limits, VALUE_NAMES),
    assets: assets === undefined ? undefined : assetsClaim(assets),
    watch: watchClaim(options.watch),
  };
}

function subjectClaim(subject: unknown) {
  if (!isText(subject))
    throw invalid(
      "subject is missing, blank or no string; give the user's id as a string",
    );
  if (subject.startsWith(ANONYMOUS_PREFIX))
    throw invalid(
      `subject begins with ${ANONYMOUS_PREFIX}, which is for the gateway's anonymous sessions; ` +
        "put another prefix before it",
    );
  return subject;
}

function tokenIdClaim(tokenId: unknown) {
  if (typeof tokenId === "string" && TOKEN_ID.test(tokenId)) return tokenId;
  throw invalid(
    `tokenId is not a string of 1 to ${MAX_TOKEN_ID} visible ASCII characters without a comma; ` +
      "leave it out for a random one",
  );
}

function nameClaim(member: string, value: unknown, fallback: string) {
  if (isText(value)) return value;
  throw invalid(
    `${member} is blank or no string; give the gateway's, or leave it out for ${fallback}`,
  );
}

function lifetime(expiresIn: unknown = DEFAULT_LIFETIME_S, isAgent: boolean) {
  const max = isAgent ? MAX_AGENT_LIFETIME_S : MAX_LIFETIME_S;
  if (isWhole(expiresIn, 1, max)) return expiresIn;
  throw invalid(
    `expiresIn is not a whole number of seconds from 1 to ${max}; ` +
      `leave it out for ${DEFAULT_LIFETIME_S}` +
      (isAgent ? "" : `, or put ${AGENT} into the scope of an agent's token`),
  );
}

/** Makes the claim of a budget, or of limits on values, whose members have the given names. */
function limitsClaim(
  member: string,
  options: unknown,
  names: readonly string[],
) {
  if (!isRecord(options))
    throw invalid(
      `${member} is not an object with limits; give one such as ${EXAMPLES[member]}`,
    );
  checkMembers(
    options,
    names,
    (other, all) => `${member} has the unknown member ${other}; it has ${all}`,
  );
  // A limit that is present and `undefined` was meant to be a limit.
  for (const limit of names.filter((name) => name in options)) {
    const value = options[limit];
    if (LISTED_LIMITS.includes(limit)) {
      if (!Array.isArray(value) || !value.every(isText))
        throw invalid(
          `${member}.${limit} is not a list of texts; leave it out for no limit`,
        );
    } else if (limit === "credits") {
      if (!isAmount(value))
        throw invalid(
          `${member}.credits is not a number from 0 to ${MAX_CREDITS}; leave it out for no limit`,
        );
    } else if (!isWhole(value, 0, MAX_LIMIT))
      throw invalid(
        `${member}.${limit} is not a whole number from 0 to ${MAX_LIMIT}; leave it out for no limit`,
      );
  }
  const limits = Object.entries(membersOf(options, names));
  // The instance of a class may be a query that was not awaited, which has no limit yet.
  if (limits.length === 0 && !isPlain(options))
    throw invalid(
      `${member} is an instance of a class and has no limit; give it one of ${names.join(", ")}`,
    );
  return Object.fromEntries(
    limits.map(([limit, value]) => [CLAIM_NAMES[limit], value]),
  );
}

const EXAMPLES: Readonly<Record<string, string>> = {
  budget: "{ creates: 20, inFlight: 2 }",
  limits: "{ maxSeconds: 5 }",
};

function isAmount(value: unknown) {
  return typeof value === "number" && value >= 0 && value <= MAX_CREDITS;
}

/** Returns true for an object that inherits from nothing but `Object`. */
function isPlain(value: object) {
  const parent = Object.getPrototypeOf(value);
  return parent === null || Object.getPrototypeOf(parent) === null;
}

function assetsClaim(assets: unknown) {
  if (Array.isArray(assets)) return assets.map(assetClaim);
  throw invalid(
    'assets is not a list; give ids, or objects such as { id, category: "voice" }',
  );
}

/**
 * Reduces an asset to the members that the gateway reads. A row of a database may have more, and
 * the page can read its token.
 */
function assetClaim(asset: unknown, index: number): AssetClaim {
  if (isText(asset)) return asset;
  const { id, category } = isRecord(asset) ? asset : {};
  if (!isText(id))
    throw invalid(
      `assets[${index}] has no id; give the media service's id as a string`,
    );
  if (category === undefined) return { id };
  if (CATEGORIES.includes(category)) return { id, category };
  throw invalid(
    `assets[${index}].category is neither avatar nor voice; leave it out if it is unknown`,
  );
}

function watchClaim(watch: unknown) {
  if (watch === undefined || typeof watch === "boolean") return watch;
  throw invalid("watch is not true or false; leave it out for false");
}

const isWhole = (value: unknown, min: number, max: number): value is number =>
  typeof value === "number" &&
  Number.isInteger(value) &&
  value >= min &&
  value <= max;
