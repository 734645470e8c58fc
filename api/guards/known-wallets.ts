/** Contract wallets whose signature was good before, each from the network it came from. */
import { SHARED_PLACES } from "../../core/callers/shared-places.ts";
import { type Networks, places } from "../../core/callers/shares.ts";

/** Milliseconds after its last good signature for which a wallet is known. */
const KNOWN_MS = 30 * 86_400_000;

export type KnownWallets = {
  /** The name of a wallet that was good from this network; undefined for any other. */
  nameOf(wallet: string, networks: Networks, now: number): string | undefined;
  /** Remembers a deployed wallet whose signature is good. */
  add(wallet: string, networks: Networks, now: number): void;
};

/**
 * A wallet is known from its own network only: a stranger who names it in bad signatures uses up nothing of it.
 * Bound: one of SHARED_PLACES; a newcomer displaces no one, so strangers cannot flush those that are known.
 */
export function knownWallets(): KnownWallets {
  const held = places(SHARED_PLACES["known-wallets"]);
  /** By name, the longest unused first. */
  const known = new Map<string, { until: number; release: () => void }>();
  const nameOf = (wallet: string, networks: Networks) => `${wallet}@${networks[0].name}`;

  function forgetOld(now: number): void {
    for (const [name, { until, release }] of known) {
      if (until > now) return;
      known.delete(name);
      release();
    }
  }

  return {
    nameOf(wallet, networks, now) {
      const name = nameOf(wallet, networks);
      return (known.get(name)?.until ?? 0) > now ? name : undefined;
    },
    add(wallet, networks, now) {
      forgetOld(now);
      const name = nameOf(wallet, networks);
      const release = known.get(name)?.release ?? held.take([networks]);
      if (typeof release === "string") return;
      known.delete(name);
      known.set(name, { until: now + KNOWN_MS, release });
    },
  };
}
