/** Every random case follows from the seed of the run. */
import fc from "fast-check";
import { inject } from "vitest";
import "./share.ts";

fc.configureGlobal({ seed: inject("fuzz").seed, endOnFailure: true });
