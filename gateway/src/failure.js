// The errors that end a command: each is a message for the person who ran it, never a stack.

/** An error that a person can fix. The message says what is wrong, and how to fix it. */
export class Failure extends Error {
  /** The process's exit code. */
  exitCode = 1;
}

/** The command line is wrong. */
export class UsageFailure extends Failure {
  exitCode = 2;
}

/** Returns the system's code of an error, such as `ENOENT`. */
export const codeOf = (error) =>
  /** @type {NodeJS.ErrnoException} */ (error).code;

/** A person has ended the command. */
export class Interruption extends Failure {
  exitCode = 130;

  constructor() {
    super("stopped");
  }
}
