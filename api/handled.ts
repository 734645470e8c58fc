/** A handler's answer, over HTTP and to a tool. */
import { Failure, fail } from "../core/errors.ts";
import { mintedAfter } from "../db/mints/mints.ts";
import { announceWork } from "../db/operations/job-runs.ts";
import { inTime } from "../runtime/in-time.ts";
import { type Endpoint, onlyReads } from "./endpoint.ts";
import type { HandlerDeps } from "./handler-deps.ts";
import type { AnswerHeaders } from "./http/headers.ts";
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

/** Max milliseconds a request with `minBlock` waits. */
const MIN_BLOCK_WAIT_MS = 5_000;
/** Age of the index's state at which a request asks for it: it is older only after a pause without requests. */
const OLD_STATE_MS = 2_000;
/** Max milliseconds of that: a database that is away is told by the reads. */
const STATE_WAIT_MS = 250;

/**
 * Sets X-Indexed-Block, after waiting for the required block. The header is set before the data are read, so the answer
 * may be newer than the header says, never older.
 * @throws Failure indexer_behind
 */
export async function showIndexedBlock(
  { index }: Pick<HandlerDeps, "index">,
  outgoing: AnswerHeaders,
  block: number | undefined,
): Promise<void> {
  if (index.age > OLD_STATE_MS) await inTime(index.refresh(), STATE_WAIT_MS, () => index.state);
  if (!index.state.ready)
    fail("indexer_behind", "The index is being built and has nothing to show yet.", { retryAfter: 5 });
  const reached = block === undefined || index.block >= block || (await index.waitFor(block, MIN_BLOCK_WAIT_MS));
  outgoing.setHeader("X-Indexed-Block", String(index.block));
  if (index.state.stale) outgoing.setHeader("X-Index-Stale", headerText(index.state.reason ?? "stale"));
  if (!reached) fail("indexer_behind", `Block ${block} is not indexed yet.`, { extra: { indexedBlock: index.block } });
}

const headerText = (text: string) => text.replace(/[^\x20-\x7e]/g, " ").slice(0, 200);
