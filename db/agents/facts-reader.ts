/** Batches reads of single agents: the callers of one turn of the event loop share one statement. */
import type pg from "pg";
import type { OwnedFacts } from "../../core/agents/caveats.ts";
import type { Address, AgentRef } from "../../core/agents/facts.ts";
import { findFacts, type OwnRegistry } from "./facts.ts";

/** The facts of one agent; null when there is none. @throws the driver's error of the shared statement */
export type ReadFacts = (ref: AgentRef) => Promise<OwnedFacts | null>;

const MAX_AGENTS = 100;
/** Max concurrent statements. While they run, requests are collected; more statements would only be smaller ones. */
const MAX_CONCURRENT = 2;

type Request = { ref: AgentRef; facts: PromiseWithResolvers<OwnedFacts | null> };

const keyOf = (ref: AgentRef): number | Address => ("tokenId" in ref ? ref.tokenId : ref.address);

/**
 * A reader over a pool. An agent that several callers request is read once, and they share its facts, which must not be
 * changed. A caller never gets facts that were read before its request.
 * One item: an unknown agent is null; an error of the database fails all reads that share the statement.
 * @param own as in `findFacts`
 */
export function factsReader(
  db: pg.Pool,
  own: OwnRegistry,
  { most = MAX_AGENTS, atOnce = MAX_CONCURRENT } = {},
): ReadFacts {
  /** Requests that are not in a statement yet, in their order. */
  const waiting = new Map<number | Address, Request>();
  let running = 0;
  let scheduled = false;

  function schedule(): void {
    if (scheduled || running >= atOnce || waiting.size === 0) return;
    scheduled = true;
    // After all requests of this turn of the event loop.
    setImmediate(() => {
      scheduled = false;
      while (running < atOnce && waiting.size > 0) void readNext();
    });
  }

  async function readNext(): Promise<void> {
    const batch: Request[] = [];
    for (const [key, request] of waiting) {
      batch.push(request);
      waiting.delete(key);
      if (batch.length === most) break;
    }
    running++;
    try {
      const found = await findFacts(
        db,
        batch.map(({ ref }) => ref),
        own,
      );
      for (const [i, { facts }] of batch.entries()) facts.resolve(found[i] ?? null);
    } catch (error) {
      for (const { facts } of batch) facts.reject(error);
    } finally {
      running--;
      schedule();
    }
  }

  return (ref) => {
    const key = keyOf(ref);
    const request = waiting.get(key) ?? { ref, facts: Promise.withResolvers() };
    waiting.set(key, request);
    schedule();
    return request.facts.promise;
  };
}
