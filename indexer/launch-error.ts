/** Errors that end the launcher: only an operator can help. */

/** The indexer cannot start until an operator changes something; the message says what. */
export class LaunchError extends Error {}

/** Another launcher of the same build has the lock. */
export class AlreadyRunning extends LaunchError {
  constructor() {
    super("An indexer of this build runs already on this database.");
  }
}
