import type { Eta } from "../types/task.js";

/** An estimate with the time of its receipt, which can be stored. */
export interface ReceivedEta extends Eta {
  /** The receipt, in milliseconds since 1970. */
  readonly receivedAt: number;
}

/** An object with an estimate: a snapshot of a task, a generation, or a step of a pipeline. */
export interface Estimated {
  readonly eta?: Eta | ReceivedEta | undefined;
}

/** The time that a task is likely to run on, from now. */
export interface TimeLeft {
  /** The seconds that are likely left; more than 0. */
  readonly seconds: number;
  /** True if nine in ten such tasks have ended. Then do not show the seconds. */
  readonly overdue: boolean;
  /**
   * The share of the time that is likely over, for a bar: 0 or more, less than 1. `undefined`
   * without `startedAt`.
   */
  readonly share: number | undefined;
}

/** The options of {@link timeLeft}. */
export interface TimeLeftOptions {
  /** The start of the task, in milliseconds since 1970, such as `Date.parse(createdAt)`. */
  startedAt?: number | undefined;
  /**
   * The time of the countdown, in milliseconds since 1970.
   *
   * @defaultValue `Date.now()`
   */
  now?: number | undefined;
}

/** The least time left. A bar must not reach its end before the task. */
const MIN_SECONDS_LEFT = 0.5;

/** The receipts of estimates. Snapshots of one record have the same estimate. */
const receipts = new WeakMap<Eta, number>();

/** Remembers when the estimates of a snapshot arrived, unless it is known. @internal */
export function receive(
  snapshot: Estimated & { readonly steps?: readonly Estimated[] },
): void {
  for (const { eta } of [snapshot, ...(snapshot.steps ?? [])])
    if (eta) receiptOf(eta, Date.now());
}

/**
 * Returns the estimate of a snapshot with its receipt, to be stored for a later countdown;
 * `undefined` if there is none. A task of `mediagate/store` has such an estimate already.
 *
 * @param now - The time of the receipt if no observer has shown the estimate, in milliseconds since
 * 1970.
 */
export function receivedEta(
  { eta }: Estimated,
  now = Date.now(),
): ReceivedEta | undefined {
  if (!eta) return undefined;
  const { seconds, low, high } = eta;
  return { seconds, low, high, receivedAt: receiptOf(eta, now) };
}

/**
 * Counts an estimate down from its receipt: the time at which an observer showed the estimate, or
 * of the first call with it.
 *
 * @returns The median time left of the tasks that still run after so long; `undefined` without an
 * estimate. A plain countdown would reach zero while half of all tasks still run.
 */
export function timeLeft(
  estimated: Estimated,
  { startedAt, now = Date.now() }: TimeLeftOptions = {},
): TimeLeft | undefined {
  const eta = receivedEta(estimated, now);
  if (!eta) return undefined;
  const passed = Math.max(0, (now - eta.receivedAt) / 1000);
  const overdue = passed >= eta.high;
  const at = overdue ? eta.high : passed;
  const seconds = Math.max(
    MIN_SECONDS_LEFT,
    timeOf(eta, shareAt(eta, at) / 2) - at,
  );
  if (startedAt === undefined) return { seconds, overdue, share: undefined };
  const elapsed = Math.max(0, (now - startedAt) / 1000);
  return { seconds, overdue, share: elapsed / (elapsed + seconds) };
}

function receiptOf(eta: Eta | ReceivedEta, now: number): number {
  const known = "receivedAt" in eta ? eta.receivedAt : receipts.get(eta);
  if (known === undefined) receipts.set(eta, now);
  return known ?? now;
}

/** A section of the curve: its times in seconds, and the shares of tasks that still run at them. */
interface Section {
  from: number;
  to: number;
  fromShare: number;
  toShare: number;
}

/** Returns the curve along which tasks end: straight sections between the points of an estimate. */
function sectionsOf({
  seconds,
  low,
  high,
}: Eta): readonly [Section, Section, Section] {
  return [
    { from: 0, to: low, fromShare: 1, toShare: 0.9 },
    { from: low, to: seconds, fromShare: 0.9, toShare: 0.5 },
    { from: seconds, to: high, fromShare: 0.5, toShare: 0.1 },
  ];
}

/** Returns the share of the tasks that still run after some seconds, at most `high`. */
function shareAt(eta: Eta, seconds: number): number {
  const [first, second, third] = sectionsOf(eta);
  const { from, to, fromShare, toShare } =
    [first, second].find((section) => seconds < section.to) ?? third;
  // Points of an estimate may coincide, which leaves a section without a length.
  return to > from
    ? fromShare + ((toShare - fromShare) * (seconds - from)) / (to - from)
    : toShare;
}

/** Returns the seconds after which a share still runs. Below 0.1, it extends the last section. */
function timeOf(eta: Eta, share: number): number {
  const [first, second, third] = sectionsOf(eta);
  const { from, to, fromShare, toShare } =
    [first, second].find((section) => share > section.toShare) ?? third;
  return from + ((to - from) * (fromShare - share)) / (fromShare - toShare);
}
