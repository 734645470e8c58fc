/** Sign-In With Agent (SIWA): the text, and a credential that is signed once and used while it is good. */
import type { Time } from "./time.ts";

/** What signs: an account of viem, a wallet client of viem with an account, or anything of that shape. */
export type Wallet = { signMessage(parameters: { message: string }): Promise<string> } & (
  | { address: string }
  | { account: { address: string } }
);

/** What an agent's wallet signs. The service builds the same text, byte for byte. */
export const siwaText = (host: string, address: string, timestamp: string): string =>
  `Sign-In With Agent: ${host} wants you to sign in with your wallet ${address} at ${timestamp}`;

/** The service takes a credential for an hour; ours is renewed before, so that none expires on its way. */
const USED_FOR_MS = 50 * 60_000;

export type SignIn = {
  /** `{address}:{timestamp}:{signature}`. */
  credential(): Promise<string>;
  /**
   * Gives up a credential that the service did not take.
   * @param since a moment, milliseconds: what was signed from then on would be refused again
   * @param revokedBefore the date that the next one needs at least, milliseconds, where the wallet has ended its credentials
   * @returns whether another is worth signing
   */
  giveUp(refused: string, since: number, revokedBefore?: number | null): boolean;
};

/** @param host of the service, in the text that is signed: a credential is good there and nowhere else */
export function signIn(wallet: Wallet, host: string, time: Pick<Time, "now">): SignIn {
  const address = "address" in wallet ? wallet.address : wallet.account.address;
  /** Signed, or being signed; one signature for all who ask meanwhile. */
  let current: { madeAt: number; text: Promise<string> } | null = null;
  /** After a revocation the service takes no earlier date, and takes this one at once though it lies ahead. */
  let notBefore = 0;

  async function sign(madeAt: number): Promise<string> {
    const signature = await wallet.signMessage({ message: siwaText(host, address, String(madeAt)) });
    return `${address}:${madeAt}:${signature}`;
  }

  return {
    credential() {
      const now = Math.max(time.now(), notBefore);
      if (current === null || now - current.madeAt >= USED_FOR_MS) {
        const made = { madeAt: now, text: sign(now) };
        current = made;
        // A signature that somebody declined is asked for again.
        made.text.catch(() => {
          if (current === made) current = null;
        });
      }
      return current.text;
    },
    giveUp(refused, since, revokedBefore = null) {
      const madeAt = Number(refused.split(":")[1]);
      if (current?.madeAt === madeAt) current = null;
      if (revokedBefore !== null) notBefore = Math.max(notBefore, revokedBefore);
      return madeAt < since || (revokedBefore !== null && madeAt < revokedBefore);
    },
  };
}
