import { invalidArgument, MediagateError } from "../error.js";
import type { Media } from "../media.js";
import type { ConnectOptions } from "../types/calls.js";
import type { StoringMedia } from "../types/store.js";
import { within } from "../waiting.js";
import { type Observer, Subject } from "./observer.js";

export interface ConnectionState {
  readonly media: Media | undefined;
  /** The reason why there is no client; `undefined` while there may be one. */
  readonly error: MediagateError | undefined;
}

export interface ConnectionActions {
  /** Connects again, such as after an error. */
  retry(): void;
}

export type ConnectionObserver = Observer<ConnectionState> & ConnectionActions;

/**
 * The client that an observer uses: the client itself, or a connection, for whose client the
 * observer waits. `undefined` for no client yet.
 */
export type MediaSource = Media | StoringMedia | ConnectionObserver | undefined;

const NOT_CONNECTED: ConnectionState = { media: undefined, error: undefined };

/** The connection of an interface that has none. */
export const UNCONNECTED: ConnectionObserver = {
  subscribe: () => () => {},
  getSnapshot: () => NOT_CONNECTED,
  retry: () => {},
};

/**
 * Connects to a gateway as soon as somebody subscribes.
 *
 * @param connect - The `connect` of `mediagate`, or of another entry such as `mediagate/inline`.
 * @param options - The options of `connect`.
 */
export function observeConnection(
  connect: (options: ConnectOptions) => Promise<Media>,
  options: ConnectOptions,
): ConnectionObserver {
  const subject = new Subject(NOT_CONNECTED, (signal) => {
    if (subject.getSnapshot().media) return;
    const show = (state: ConnectionState) => {
      if (!signal.aborted) subject.change(state);
    };
    connect({ ...options, signal }).then(
      (media) => show({ media, error: undefined }),
      (error: MediagateError) => show({ media: undefined, error }),
    );
  });
  const retry = () => {
    subject.change(NOT_CONNECTED);
    subject.restart();
  };
  const { subscribe, getSnapshot } = subject;
  return { subscribe, getSnapshot, retry };
}

/** The client of an observer, and a wait for it. */
export class Source {
  private readonly connection: Observer<ConnectionState>;

  /** @throws {MediagateError} `invalid_argument` for anything else, such as a promise. */
  constructor(private readonly source: MediaSource) {
    const media = source as Media | undefined;
    if (source && !isConnection(source) && typeof media?.scope !== "function")
      throw invalidArgument(
        "media is no client",
        "await the promise of connect, or give observeConnection(connect, options)",
      );
    this.connection = isConnection(source)
      ? source
      : new Subject({ media, error: undefined });
  }

  get state(): ConnectionState {
    return this.connection.getSnapshot();
  }

  /** Connects again, if there is a connection. */
  retry(): void {
    if (isConnection(this.source)) this.source.retry();
  }

  /**
   * Calls a function with each state, and with a signal that is aborted when another one follows.
   *
   * @param signal - Ends the calls.
   */
  follow(
    signal: AbortSignal,
    use: (state: ConnectionState, signal: AbortSignal) => void,
  ): void {
    let last: ConnectionState | undefined;
    let controller = new AbortController();
    const change = () => {
      const { state } = this;
      if (state === last) return;
      last = state;
      controller.abort();
      controller = new AbortController();
      use(state, controller.signal);
    };
    const end = this.connection.subscribe(change);
    signal.addEventListener("abort", () => {
      end();
      controller.abort();
    });
    change();
  }

  /**
   * Resolves to the client, once there is one. After a failure, it connects again.
   *
   * @param signal - Ends the wait.
   * @throws {MediagateError} The error of the connection; `not_loaded` if there is none; `aborted`.
   */
  async media(signal: AbortSignal): Promise<Media> {
    const { media, error } = this.state;
    if (media) return media;
    if (!isConnection(this.source)) throw notLoaded();
    if (error) this.source.retry();
    const waiting = new AbortController();
    try {
      const connected = new Promise<Media>((resolve, reject) => {
        this.follow(waiting.signal, ({ media, error }) => {
          if (media) resolve(media);
          else if (error) reject(error);
        });
      });
      return await within({ signal }, connected);
    } finally {
      waiting.abort();
    }
  }
}

function isConnection(source: MediaSource): source is ConnectionObserver {
  return source !== undefined && "getSnapshot" in source;
}

function notLoaded(): MediagateError {
  return new MediagateError({
    code: "not_loaded",
    message: "there is no connection to the gateway yet",
    hint: "give the option media, or put the component into a provider of the client",
  });
}
