/**
 * Preloaded into each process of a local stack, which share one machine. V8 keeps what a burst of work took for as long as
 * little is allocated after it: a process at rest holds up to twice what lives.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Milliseconds between two collections: each takes 0.1 to 0.3 s of CPU. */
const EVERY_MS = 600_000;
/** Milliseconds until the first one: a process has started by then. */
const FIRST_MS = 60_000;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as NodeJS.GCFunction;

/** Collects all garbage, and gives what is free back to the system. */
export const releaseMemory = (): void => collect({ type: "major", execution: "sync", flavor: "last-resort" });

setTimeout(releaseMemory, FIRST_MS).unref();
setInterval(releaseMemory, EVERY_MS).unref();
