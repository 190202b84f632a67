interface Received {
  receivedAt: string;
  task: unknown;
}

/** The most records of a task. The oldest go first. */
const MAX_RECEIVED = 100;

const byKey = new Map<string, readonly Received[]>();

export function receivedOf(key: string): readonly Received[] {
  return byKey.get(key) ?? [];
}

export function keepRecord(key: string, task: unknown): void {
  const earlier = receivedOf(key);
  // There is no record before the first response, and the client repeats the last one.
  if (task === undefined || earlier.at(-1)?.task === task) return;
  const receivedAt = new Date().toISOString();
  byKey.set(key, [...earlier, { receivedAt, task }].slice(-MAX_RECEIVED));
}
