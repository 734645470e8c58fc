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
  /** Gives up `refused`, which the service did not take: the next one is signed anew. */
  forget(refused: string): void;
};

export const addressOf = (wallet: Wallet): string => ("address" in wallet ? wallet.address : wallet.account.address);

/** @param host of the service, in the text that is signed: a credential is good there and nowhere else */
export function signIn(wallet: Wallet, host: string, time: Pick<Time, "now">): SignIn {
  let current: { madeAt: number; text: Promise<string> } | null = null;

  async function sign(madeAt: number): Promise<string> {
    const address = addressOf(wallet);
    const signature = await wallet.signMessage({ message: siwaText(host, address, String(madeAt)) });
    return `${address}:${madeAt}:${signature}`;
  }

  return {
    async credential() {
      const now = time.now();
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
    forget(refused) {
      const asked = current;
      void asked?.text.then((text) => {
        if (text === refused && current === asked) current = null;
      });
    },
  };
}
