/** Reads single agents for many callers at once: whoever asks within one turn of the event loop shares one statement. */
import type pg from "pg";
import type { Address, AgentFacts, AgentRef } from "../core/facts.ts";
import { findFacts } from "./facts.ts";

/** The facts of one agent; null when there is none. @throws the driver's error of the statement it shared */
export type ReadFacts = (ref: AgentRef) => Promise<AgentFacts | null>;

/** Agents in one statement. */
const MOST = 100;
/** Statements under way at once. While they are, askers gather; more statements would only be smaller ones. */
const AT_ONCE = 2;

type Asker = { resolve(facts: AgentFacts | null): void; reject(error: unknown): void };
type Asked = { ref: AgentRef; askers: Asker[] };

const keyOf = (ref: AgentRef): number | Address => ("tokenId" in ref ? ref.tokenId : ref.address);

/**
 * A reader over a pool. An agent that several ask for is read once, and its facts are shared: they are not to be
 * changed. A caller never gets what was read before it asked.
 */
export function factsReader(db: pg.Pool, { most = MOST, atOnce = AT_ONCE } = {}): ReadFacts {
  /** Asked for and not in a statement yet, in the order asked. */
  const waiting = new Map<number | Address, Asked>();
  let underWay = 0;
  let scheduled = false;

  function schedule(): void {
    if (scheduled || underWay >= atOnce || waiting.size === 0) return;
    scheduled = true;
    // After the requests that this turn of the loop brings have all been taken up.
    setImmediate(() => {
      scheduled = false;
      while (underWay < atOnce && waiting.size > 0) void readNext();
    });
  }

  async function readNext(): Promise<void> {
    const batch: Asked[] = [];
    for (const [key, asked] of waiting) {
      batch.push(asked);
      waiting.delete(key);
      if (batch.length === most) break;
    }
    underWay++;
    try {
      const found = await findFacts(
        db,
        batch.map(({ ref }) => ref),
      );
      for (const [i, { askers }] of batch.entries()) for (const asker of askers) asker.resolve(found[i] ?? null);
    } catch (error) {
      for (const { askers } of batch) for (const asker of askers) asker.reject(error);
    } finally {
      underWay--;
      schedule();
    }
  }

  return (ref) =>
    new Promise((resolve, reject) => {
      const key = keyOf(ref);
      const asked = waiting.get(key);
      if (asked) asked.askers.push({ resolve, reject });
      else waiting.set(key, { ref, askers: [{ resolve, reject }] });
      schedule();
    });
}
