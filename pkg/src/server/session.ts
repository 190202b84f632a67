import type { SCOPE_WORDS } from "../generated/claims.js";
import { issue } from "./token.js";

/**
 * One word of a scope: a capability, a group of them, `upload` for uploads, or `mcp`. A token with
 * `mcp` is for an agent, and no page can use it.
 */
export type ScopeWord = (typeof SCOPE_WORDS)[number];

/** The scope of a token: a list of words, or a string of words with spaces between them. */
export type Scope = ScopeWord | (string & {}) | readonly ScopeWord[];

/**
 * The limits of a subject's creates. They apply to the subject: a new token with the same budget
 * adds nothing. Without a limit, creates are not limited, and `{}` is the same as no budget. Limits
 * may be inherited, such as the getters of a class.
 */
export interface Budget {
  /** Creates of any capability in 24 hours. */
  readonly creates?: number;
  /** Creates of the group `generate` in 24 hours. */
  readonly generate?: number;
  /** Creates of the group `process` in 24 hours. */
  readonly process?: number;
  /** Tasks at a time that have not ended. */
  readonly inFlight?: number;
  /**
   * What creates may cost together in 24 hours, in credits. A create whose price the gateway does
   * not know, from its setting `PRICES`, is refused.
   */
  readonly credits?: number;
}

/**
 * Limits on the values of a create. A create that states a value beyond them is refused before it
 * costs, and so is one that leaves a limited value to the media service, unless the documented
 * default of the field is within the limit. Without a limit, values are not limited, and `{}` is
 * the same as no limits. Limits may be inherited, such as the getters of a class.
 */
export interface ValueLimits {
  /** The ids of the models. They are needed for capabilities that process media, too. */
  readonly models?: readonly string[];
  /** The longest video to generate, in whole seconds. No sound may decide its length then. */
  readonly maxSeconds?: number;
  /** The resolution labels, such as `720P`, in any case of letters. */
  readonly clarities?: readonly string[];
  /** The most pixels: the product of `width` and `height`. */
  readonly maxPixels?: number;
  /** The most characters of a prompt, a negative prompt, a script or a persona. */
  readonly maxPromptChars?: number;
}

/** An asset of the gateway's account, by the media service's own id. */
export interface Asset {
  readonly id: string;
  /** The category. With it, a use as the other category is refused before it costs credits. */
  readonly category?: "avatar" | "voice" | undefined;
}

/** The permissions of a token. */
export interface SessionPermissions {
  /**
   * The capabilities that the token may create, and `upload`. Reading a task needs no scope.
   *
   * @defaultValue none: the token only reads the subject's own tasks
   */
  readonly scope?: Scope | undefined;
  /**
   * The limits of the subject's creates.
   *
   * @defaultValue that of the gateway's `DEFAULT_BUDGET`; without one, there is no limit
   */
  readonly budget?: Budget | undefined;
  /**
   * The limits on the values of creates. They are the token's, and no other token adds to them.
   *
   * @defaultValue those of the gateway's `DEFAULT_LIMITS`; without them, values are not limited
   */
  readonly limits?: ValueLimits | undefined;
  /**
   * The account's assets that the subject may use. The page can read this list in its token.
   *
   * @defaultValue none but those that are public at the gateway
   */
  readonly assets?: readonly (string | Asset)[] | undefined;
  /**
   * True if the gateway watches the token's tasks to their end also when no page subscribes to
   * them.
   *
   * @defaultValue `false`
   */
  readonly watch?: boolean | undefined;
  /**
   * The token's lifetime in whole seconds, from 1 to 3600. The client requests a new token when the
   * gateway rejects one. An agent's token, with `mcp` in its scope, may live for as many days as
   * the gateway's `MCP_TOKEN_DAYS` allows, 90 by default.
   *
   * @defaultValue 600
   */
  readonly expiresIn?: number | undefined;
}

/** A user, with the permissions of that user. */
export interface Session extends SessionPermissions {
  /**
   * The id of the user. It never changes, and no other user has it. Tasks and files are bound to
   * it. It is not blank, and does not begin with `anon:`, which the gateway uses for anonymous
   * sessions.
   */
  readonly subject: string;
  /**
   * The token's own id (`jti`): 1 to 128 visible ASCII characters without a comma. The gateway
   * rejects tokens whose ids are in its setting `MCP_REVOKED_TOKENS`. Tokens that share an id are
   * revoked together.
   *
   * @defaultValue a random UUID
   */
  readonly tokenId?: string | undefined;
}

/** The defaults of a backend's tokens. */
export interface SessionDefaults extends SessionPermissions {
  /**
   * The gateway's `SESSION_ISSUER`. It is part of the user's identity: a subject with another
   * issuer is another user.
   *
   * @defaultValue none
   */
  readonly issuer?: string | undefined;
  /**
   * The gateway's `SESSION_AUDIENCE`.
   *
   * @defaultValue `"mediagate"`
   */
  readonly audience?: string | undefined;
}

export interface SessionOptions extends Session, SessionDefaults {
  /**
   * The gateway's `SESSION_SECRET`. If that is several keys separated by commas, the first one
   * signs. Each has at least 32 bytes. The type includes `undefined`, since a variable of the
   * environment may be missing; that is an error.
   */
  readonly secret: string | undefined;
}

export interface MintedSession {
  /** The token, for the option `token` of `connect`. */
  readonly token: string;
  /**
   * The id of the token. To revoke the token before it expires, add the id to the gateway's
   * `MCP_REVOKED_TOKENS`.
   */
  readonly tokenId: string;
  /** The time at which the token expires. */
  readonly expiresAt: Date;
}

/**
 * Issues a session token for a user, signed with HS256. Call it only on your server, for a user who
 * is signed in there.
 *
 * @param options - Members may be inherited. An unknown member is an error, since it could be a
 * misspelt limit; methods are ignored.
 * @throws {MediagateError} `invalid_argument`, with a message that names what is not valid and what
 * to do. The message never has the secret.
 */
export async function mintSession(
  options: SessionOptions,
): Promise<MintedSession> {
  const { token, claims } = await issue(options);
  return { token, tokenId: claims.jti, expiresAt: new Date(claims.exp * 1000) };
}
