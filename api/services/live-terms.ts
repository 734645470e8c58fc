/** Reads what an endpoint asks for now, before somebody pays it: two seconds, and what comes later is no answer. */
import type { ForeignEndpoints } from "../../clients/ports.ts";
import { expiringCache } from "../../core/expiring-cache.ts";
import { BeyondUs } from "../../core/offers/document.ts";
import type { Accept } from "../../core/offers/offer.ts";
import { x402 } from "../../core/offers/x402.ts";
import type { LiveTerms } from "../../core/preflight/facts.ts";

/** Max milliseconds of all requests for one endpoint. */
export const LIVE_MS = 2_000;
const MAX_REQUESTS = 3;
/** Terms are small: more is a document, which takes long to read. */
const MAX_BYTES = 65_536;
/** Endpoints that a process asks at once. */
const MAX_OPEN = 64;
/** Milliseconds for which an answer, or that there was none, serves all who ask for the same URL. */
const SHARED_MS = 3_000;

/** No terms came; the message says why, and may be shown. */
class NoTerms extends Error {}

/**
 * Bound: live terms, 64 endpoints at once in a process, 3 requests, 64 KiB and 2 s each, a URL once within three seconds,
 * however many ask for it; by network (`live-terms`).
 * @param endpoints absent where nothing may be asked
 * @param now milliseconds since the epoch @param wait ends after so many milliseconds
 */
export function liveTerms(
  endpoints: ForeignEndpoints | undefined,
  now: () => number,
  wait: (ms: number) => Promise<unknown>,
) {
  let open = 0;
  const cache = expiringCache<Promise<LiveTerms>>(2 * MAX_OPEN);

  async function read(url: string): Promise<Accept[]> {
    let requests = 0;
    const reading = await x402.read(
      url,
      async ({ onEvent: _, ...request }, readAnswer) => {
        if (++requests > MAX_REQUESTS) throw new NoTerms("It takes too many requests.");
        const answer = await endpoints!.send({ ...request, maxBytes: MAX_BYTES });
        if (answer.kind === "failed") throw new NoTerms(answer.reason);
        if (answer.kind !== "answered") throw new NoTerms("It is not to be asked again so soon.");
        return readAnswer(answer);
      },
      {},
      null,
    );
    if (reading.kind !== "offers") throw new NoTerms("why" in reading ? reading.why : "It asks for a credential.");
    const terms = reading.offers.flatMap(({ endpoint, price }) => (endpoint === url ? (price ?? []) : []));
    if (terms.length === 0) throw new NoTerms("It names no price.");
    return terms;
  }

  async function termsOf(url: string): Promise<LiveTerms> {
    const done = (terms: Accept[] | null, why: string | null) => ({
      readAt: new Date(now()).toISOString(),
      terms,
      why,
    });
    if (!endpoints) return done(null, "This service asks no endpoints.");
    if (open >= MAX_OPEN) return done(null, "Too many are asked at the moment.");
    open++;
    const whyOf = (error: unknown) => {
      if (error instanceof NoTerms || error instanceof BeyondUs) return done(null, error.message);
      throw error;
    };
    const reading = read(url).finally(() => open--);
    const late = wait(LIVE_MS).then(() => done(null, "It did not answer in two seconds."));
    return Promise.race([reading.then((terms) => done(terms, null), whyOf), late]);
  }

  /** @param url as `foreignLink` writes it @returns in any case; a failure is a value */
  return (url: string): Promise<LiveTerms> => {
    const shared = cache.get(url, now());
    if (shared) return shared;
    const reading = termsOf(url);
    cache.set(url, reading, now() + SHARED_MS);
    return reading;
  };
}
