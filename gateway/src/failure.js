// The errors that end a command: each is a message for the person who ran it, never a stack.

/** An error that a person can fix. The message says what is wrong, and how to fix it. */
export class Failure extends Error {
  exitCode = 1;
}

export class UsageFailure extends Failure {
  exitCode = 2;
}

export const codeOf = (error) =>
  /** @type {NodeJS.ErrnoException} */ (error).code;

export class Interruption extends Failure {
  exitCode = 130;

  constructor() {
    super("stopped");
  }
}
