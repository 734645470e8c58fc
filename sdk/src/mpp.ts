/** Paying by MPP with its official client (`mppx`): USDC.e on Tempo. */
import { Mppx } from "mppx/client";
import type { Pay } from "./client.ts";

type Created = Parameters<typeof Mppx.create>[0];

/**
 * For `createClient({ pay: mpp({ methods: [tempo.charge({ account })] }) })`, with `tempo` of `mppx/client`.
 * @param options.maxUnits most that one payment may cost, in the token's smallest unit: six decimals, so a dollar, the
 * price of a registration, is 1,000,000
 */
export function mpp({ methods, maxUnits = 1_000_000n }: { methods: Created["methods"]; maxUnits?: bigint }): Pay {
  return (fetch) => {
    const client = Mppx.create({
      methods,
      fetch,
      // It would replace the global fetch.
      polyfill: false,
      async onChallenge({ request }) {
        const { amount } = request as { amount?: unknown };
        if (typeof amount === "string" && /^\d+$/.test(amount) && BigInt(amount) <= maxUnits) return undefined;
        throw new Error(`${String(amount)} units are asked for, and one payment may cost ${maxUnits} at most.`);
      },
    });
    return (input, init) => client.fetch(input as Parameters<typeof fetch>[0], init);
  };
}
