/** A handler's answer, over HTTP and to a tool. */
import { Failure, fail } from "../core/errors.ts";
import { mintedAfter } from "../db/mints/mints.ts";
import { announceWork } from "../db/operations/job-runs.ts";
import { type Endpoint, onlyReads } from "./endpoint.ts";
import type { Reply } from "./reply.ts";

/**
 * Runs an endpoint's handler. A registration is answered once the chain has it, so its agent may be asked for before the
 * index has its block: that is the index's delay, not the caller's mistake.
 * @throws Failure the handler's; indexer_behind where the agent that it does not find is in a later block
 */
export async function handled(endpoint: Endpoint, call: Parameters<Endpoint["handler"]>[0]): Promise<Reply> {
  try {
    const reply = await endpoint.handler(call);
    if (!onlyReads(endpoint)) announceWork(call.deps.db);
    return reply;
  } catch (error) {
    const agent = error instanceof Failure ? error.options.agent : undefined;
    if (!agent) throw error;
    const { db, index } = call.deps;
    const block = await mintedAfter(db, agent, index.block);
    if (block === null) throw error;
    return fail("indexer_behind", `Block ${block}, in which the agent was registered, is not indexed yet.`, {
      retryAfter: 1,
      extra: { indexedBlock: index.block },
      cause: error,
    });
  }
}
