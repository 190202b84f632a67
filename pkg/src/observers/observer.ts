/** A state that changes. It works only while it has subscribers, so that one without costs nothing. */
export interface Observer<State> {
  /**
   * Calls a function after each change. Returns a function that ends the calls. The first subscriber
   * starts the work of the observer, and the end of the last one stops it.
   */
  subscribe(listener: () => void): () => void;
  /** Returns the present state: the same object until it changes. */
  getSnapshot(): State;
}

/** The state of an observer, and the work that goes on while it has subscribers. */
export class Subject<State extends object> implements Observer<State> {
  private readonly listeners = new Set<() => void>();
  private running = new AbortController();

  /** @param start - Begins the work, until the signal is aborted. */
  constructor(
    private state: State,
    private readonly start: (signal: AbortSignal) => void = () => {},
  ) {}

  readonly subscribe = (listener: () => void): (() => void) => {
    // A function of its own, so that a listener may subscribe twice.
    const own = () => listener();
    this.listeners.add(own);
    if (this.listeners.size === 1) this.restart();
    return () => {
      const isLast = this.listeners.delete(own) && this.listeners.size === 0;
      if (isLast) this.running.abort();
    };
  };

  readonly getSnapshot = (): State => this.state;

  /** Begins the work again, if there are subscribers. */
  restart(): void {
    this.running.abort();
    if (this.listeners.size === 0) return;
    this.running = new AbortController();
    this.start(this.running.signal);
  }

  change(changes: Partial<State>): void {
    this.state = { ...this.state, ...changes };
    for (const listener of [...this.listeners]) call(listener);
  }
}

/** Calls a listener. The error of one that throws is reported, and must not end the work. */
function call(listener: () => void): void {
  try {
    listener();
  } catch (error) {
    if (typeof reportError === "function") reportError(error);
    else void Promise.reject(error);
  }
}
