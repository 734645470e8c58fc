/** Sign-In With Agent (SIWA): the text, and a credential that is signed once and reused until it expires. */
import type { Time } from "./time.ts";

/** A signer: an account of viem, a wallet client of viem with an account, or anything of that shape. */
export type Wallet = { signMessage(parameters: { message: string }): Promise<string> } & (
  | { address: string }
  | { account: { address: string } }
);

export const addressOf = (wallet: Wallet): string => ("address" in wallet ? wallet.address : wallet.account.address);

/** The text an agent's wallet signs. The service builds the same text, byte for byte. */
export const siwaText = (host: string, address: string, timestamp: string): string =>
  `Sign-In With Agent: ${host} wants you to sign in with your wallet ${address} at ${timestamp}`;

/** The service accepts a credential for an hour; the client renews it earlier, so that none expires in flight. */
const USED_FOR_MS = 50 * 60_000;

export type SignIn = {
  /** `{address}:{timestamp}:{signature}`. */
  credential(): Promise<string>;
  /**
   * Drops a credential that the service refused.
   * @param since a moment, milliseconds: a credential signed after it would be refused again
   * @param revokedBefore the earliest date of the next credential, milliseconds, after a revocation
   * @returns true when signing another one is useful
   */
  giveUp(refused: string, since: number, revokedBefore?: number | null): boolean;
};

/** @param host of the service, in the signed text: a credential is valid for this host only */
export function signIn(wallet: Wallet, host: string, time: Pick<Time, "now">): SignIn {
  const address = addressOf(wallet);
  /** The credential, or the pending signature that concurrent calls share. */
  let current: { madeAt: number; text: Promise<string> } | null = null;
  /** After a revocation the service accepts no earlier date, and accepts this one at once although it is in the future. */
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
        // A declined signature is requested again by the next call.
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
