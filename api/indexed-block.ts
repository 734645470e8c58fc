/** The block that an answer shows: names it in a header, and waits for the one a client requires. */
import { fail } from "../core/errors.ts";
import type { HandlerDeps } from "./handler-deps.ts";
import type { AnswerHeaders } from "./http/headers.ts";

/** Max milliseconds a request with `minBlock` waits. */
const MIN_BLOCK_WAIT_MS = 5_000;

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
  if (!index.state.ready)
    fail("indexer_behind", "The index is being built and has nothing to show yet.", { retryAfter: 5 });
  const reached = block === undefined || index.block >= block || (await index.waitFor(block, MIN_BLOCK_WAIT_MS));
  outgoing.setHeader("X-Indexed-Block", String(index.block));
  if (index.state.stale) outgoing.setHeader("X-Index-Stale", headerText(index.state.reason ?? "stale"));
  if (!reached) fail("indexer_behind", `Block ${block} is not indexed yet.`, { extra: { indexedBlock: index.block } });
}

const headerText = (text: string) => text.replace(/[^\x20-\x7e]/g, " ").slice(0, 200);
