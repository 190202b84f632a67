// What ends a command: a message for the person who ran it, never a stack.

/** Something is wrong that a person can mend; the message says what, and how. */
export class Failure extends Error {
  /** The process's exit code. */
  exitCode = 1;
}

/** The command line is wrong. */
export class UsageFailure extends Failure {
  exitCode = 2;
}

/** A person has ended the command. */
export class Interruption extends Failure {
  exitCode = 130;

  constructor() {
    super("stopped");
  }
}
