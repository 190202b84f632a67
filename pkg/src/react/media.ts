import {
  type DependencyList,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import type { MediagateError } from "../error.js";
import type { Media } from "../media.js";
import type { ConnectOptions } from "../types/calls.js";

export interface Connected {
  readonly media: Media | undefined;
  /** The reason why there is no client; `undefined` while there may be one. */
  readonly error: MediagateError | undefined;
  /** Connects again, such as after an error. The function is the same in each render. */
  readonly retry: () => void;
}

/**
 * Connects to a gateway while the component is mounted. Another URL, and a change of the
 * dependencies, connect again. The functions among the options may be new in each render.
 *
 * @param connect - The `connect` of `mediagate`, or of another entry such as `mediagate/inline`.
 * @param options - The options of `connect`.
 * @param dependencies - Further values that determine the client, such as the id of the user: a
 * client is of one user.
 * @returns `{media, error, retry}`.
 */
export function useMedia(
  connect: (options: ConnectOptions) => Promise<Media>,
  options: ConnectOptions,
  dependencies: DependencyList = [],
): Connected {
  const [attempt, setAttempt] = useState(0);
  const retry = useCallback(() => setAttempt((last) => last + 1), []);
  const [state, setState] = useState<
    Omit<Connected, "retry"> & { key?: object }
  >(NOT_CONNECTED);
  const latest = useRef({ connect, options });
  useEffect(() => {
    latest.current = { connect, options };
  });
  const url = String(options?.url);
  // The state of a hook outlives a change of the user.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the caller names those of the client
  const key = useMemo(() => ({}), [url, attempt, ...dependencies]);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const show = (next: Omit<Connected, "retry">) => {
      if (!signal.aborted) setState({ ...next, key });
    };
    const { current } = latest;
    const { token } = current.options;
    const newest = () => {
      const { token } = latest.current.options;
      return typeof token === "function" ? token() : (token ?? "");
    };
    current
      .connect({
        ...current.options,
        ...(typeof token === "function" && { token: newest }),
        signal,
      })
      .then(
        (media) => show({ media, error: undefined }),
        (error: MediagateError) => show({ media: undefined, error }),
      );
    return () => controller.abort();
  }, [key]);
  const { media, error } = state.key === key ? state : NOT_CONNECTED;
  return { media, error, retry };
}

const NOT_CONNECTED = { media: undefined, error: undefined };
