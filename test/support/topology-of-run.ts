/** The topology that this run of the tests asks for; apart, because programs that are no tests start stacks as well. */
import { inject } from "vitest";
import type { Topology } from "../../harness/topology.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Set by `npm run topologies`: two of everything that may be two. */
    topology: Topology | undefined;
  }
}

/** Undefined: one process of each. */
export const topologyOfRun = (): Topology | undefined => inject("topology");
