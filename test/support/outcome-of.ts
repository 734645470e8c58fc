/** The outcome of what may be refused, as one word. */
import { Failure } from "../../core/errors.ts";

/** What something gives, or the code of the failure that it ends with. */
export const outcomeOf = (asked: Promise<string>): Promise<string> =>
  asked.catch((error) => (error instanceof Failure ? error.code : `not a Failure: ${String(error)}`));
