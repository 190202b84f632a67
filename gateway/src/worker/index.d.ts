// The types of the built Worker, which is beside the front in `dist/worker`.

export default class Gateway {
  constructor(context: unknown, env: unknown);
  fetch(request: Request): Promise<Response>;
}
export class Ledger {}
export class Watcher {}
export class Durations {}
export class Pipeline {}
export class Transfer {}
