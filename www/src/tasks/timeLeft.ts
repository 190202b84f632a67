/** How long a task is likely to run on, as time passes after the gateway's estimate. Pure functions. */
import type { Eta } from "mediagate";

/** An estimate of the gateway, which counts from when it was received. */
export interface ReceivedEta extends Eta {
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
}

export interface Remaining {
  /** The seconds that are likely left; more than 0. */
  readonly seconds: number;
  /** Whether nine in ten such tasks have ended by now: the seconds then mean nothing to a person. */
  readonly overdue: boolean;
}

/** A bar never reaches its end before the task does. */
const MIN_SECONDS_LEFT = 0.5;

/** The estimate in a new snapshot, or else the last one. A snapshot that is received again does not start it anew. */
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
 * The time left now: of the tasks that still run, half take longer. This is the estimate that the gateway would send now, as
 * far as its last one says, and not that one less the time since: at its end, half of all tasks still run.
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

/** How far a bar is, from 0 to less than 1. */
export function shareDone(elapsedSeconds: number, secondsLeft: number): number {
  const elapsed = Math.max(0, elapsedSeconds);
  return elapsed / (elapsed + secondsLeft);
}

/** From one time to another, in seconds, and from one share to another of the tasks that then still run. */
type Section = readonly [
  from: number,
  to: number,
  fromShare: number,
  toShare: number,
];

/** An estimate is three points of the curve along which tasks end; between them it is straight. */
function sectionsOf({
  seconds,
  low,
  high,
}: Eta): readonly [Section, Section, Section] {
  return [
    [0, low, 1, 0.9],
    [low, seconds, 0.9, 0.5],
    [seconds, high, 0.5, 0.1],
  ];
}

/** The share of the tasks that still run after some seconds, at most `high`. */
function shareAt(eta: Eta, seconds: number): number {
  const [first, second, third] = sectionsOf(eta);
  const [from, to, fromShare, toShare] =
    [first, second].find((it) => seconds < it[1]) ?? third;
  return to > from
    ? fromShare + ((toShare - fromShare) * (seconds - from)) / (to - from)
    : toShare;
}

/** The seconds after which only this share still runs; the last section goes on where that is less than a tenth. */
function timeOf(eta: Eta, share: number): number {
  const [first, second, third] = sectionsOf(eta);
  const [from, to, fromShare, toShare] =
    [first, second].find((it) => share > it[3]) ?? third;
  return from + ((to - from) * (fromShare - share)) / (fromShare - toShare);
}
