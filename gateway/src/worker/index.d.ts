// The types of the built Worker, which is beside the front in `dist/worker`.

export default class Gateway {
  /**
   * Tells the gateway how many Durable Objects are open, as the platform was asked for it at
   * `askedAt`, in milliseconds since 1970. The gateway then bounds their number.
   */
  static noteOpenObjects(count: number | undefined, askedAt: number): void;
  constructor(context: unknown, env: unknown);
  fetch(request: Request): Promise<Response>;
}
export class Ledger {}
export class Watcher {}
export class Durations {}
export class Pipeline {}
export class Transfer {}
