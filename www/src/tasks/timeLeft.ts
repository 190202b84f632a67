/** The time that a task is likely to need, counted on from the gateway's estimate. */
import type { Eta } from "mediagate";

export interface ReceivedEta extends Eta {
  /** The receipt, in milliseconds since the epoch. */
  readonly receivedAt: number;
}

interface Remaining {
  /** The seconds that are likely left; more than 0. */
  readonly seconds: number;
  /** True if nine in ten such tasks have ended, so that the seconds mean nothing to a person. */
  readonly overdue: boolean;
}

/** The least time left. A bar must not reach its end before the task. */
const MIN_SECONDS_LEFT = 0.5;

/** Returns the estimate in a snapshot, or else the last one. A repeated one keeps its receipt. */
export function receiveEta(
  eta: Eta | undefined,
  last: ReceivedEta | undefined,
  now: number,
): ReceivedEta | undefined {
  if (!eta) return last;
  const { seconds, low, high } = eta;
  const isRepeated =
    last && seconds === last.seconds && low === last.low && high === last.high;
  return isRepeated ? last : { seconds, low, high, receivedAt: now };
}

/**
 * Returns the median time left of the tasks that still run now. A countdown of the estimate would
 * reach zero while half of all tasks still run.
 */
export function timeLeft(eta: ReceivedEta, now: number): Remaining {
  const passed = Math.max(0, (now - eta.receivedAt) / 1000);
  const overdue = passed >= eta.high;
  const at = overdue ? eta.high : passed;
  return {
    seconds: Math.max(MIN_SECONDS_LEFT, timeOf(eta, shareAt(eta, at) / 2) - at),
    overdue,
  };
}

export function shareDone(elapsedSeconds: number, secondsLeft: number): number {
  const elapsed = Math.max(0, elapsedSeconds);
  return elapsed / (elapsed + secondsLeft);
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
