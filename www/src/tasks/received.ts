/** The records that this page received of each task, to be shown as they came. */

/** A record, and when it came. */
export interface Received {
  receivedAt: string;
  task: unknown;
}

/** Of a task that changes more often, the first ones go. */
const MAX_RECEIVED = 100;

const byKey = new Map<string, readonly Received[]>();

export function receivedOf(key: string): readonly Received[] {
  return byKey.get(key) ?? [];
}

/** Keeps a record; `undefined` before the first one. The client repeats the last record, which is kept once. */
export function keepRecord(key: string, task: unknown): void {
  const earlier = receivedOf(key);
  if (task === undefined || earlier.at(-1)?.task === task) return;
  const receivedAt = new Date().toISOString();
  byKey.set(key, [...earlier, { receivedAt, task }].slice(-MAX_RECEIVED));
}
