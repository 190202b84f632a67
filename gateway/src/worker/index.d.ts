// The built Worker, which stands beside the front in `dist/worker`.

export default class Gateway {
  constructor(context: unknown, env: unknown);
  fetch(request: Request): Promise<Response>;
}
export class Ledger {}
export class Watcher {}
export class Durations {}
export class Pipeline {}
export class Transfer {}
