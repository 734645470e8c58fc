/** A limit of time for work that cannot be interrupted from within: reading untrusted content. */
import { createContext, Script } from "node:vm";

/**
 * Bound: milliseconds of reading one untrusted document; the dearest of the permitted size take a tenth of it. The
 * process that reads has 1 GB, may be silent for 30 s (wiring/readers.ts), and sends nothing.
 */
export const DOCUMENT_MS = 2_000;

/** Reading a document took longer than its time; the message is a sentence that its agent may be shown. */
export class TooSlowToRead extends Error {
  constructor(ms: number) {
    super(`It cannot be read by us: that takes longer than ${ms} ms.`);
  }
}

/** Only a script has a limit of time; this one calls what it is given. */
const RUN = new Script("work()");
const CONTEXT = createContext({});

let spent = 0;
/** Milliseconds that all such work has taken in this process. */
export const spentWithinTime = (): number => spent;

/**
 * Does synchronous work, which V8 ends at any point when its time is over, also within loops, regular expressions and
 * parsers of JSON. So the work must change nothing outside. Costs 0.2 ms of its own.
 * @throws TooSlowToRead; what the work throws
 */
export function withinTime<T>(ms: number, work: () => T): T {
  CONTEXT.work = work;
  const began = performance.now();
  try {
    return RUN.runInContext(CONTEXT, { timeout: ms }) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException | null)?.code === "ERR_SCRIPT_EXECUTION_TIMEOUT") throw new TooSlowToRead(ms);
    throw error;
  } finally {
    spent += performance.now() - began;
  }
}
