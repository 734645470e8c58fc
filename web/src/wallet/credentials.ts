/** The headers that say who does an operation: a wallet, a human by an access token, or that human with the wallet that owns an agent. */
import type { Problem } from "../api/answer.ts";
import { tokenSignIn } from "./access-token.ts";
import { connectedWallet } from "./session.ts";
import { credentialOf, isSignedIn, refused, type SignInRule } from "./sign-ins.ts";

/**
 * Who the operation takes. `anyone` may still have to pay. `owner` is a human with the wallet that owns the agent: the
 * human's own wallet, or the connected wallet with the human's access token.
 */
export type CallerRule = SignInRule | "owner" | "anyone";

/** Whether it is done in the name of a human, whose access token comes before the connected wallet. */
export const isOfHuman = (rule: CallerRule): boolean => rule === "human" || rule === "owner";

/** Whether the wallet has to sign in addition to the human's access token. */
const isWithWallet = (rule: CallerRule): boolean => rule === "owner" && tokenSignIn() !== null;

/**
 * @param tell receives a sentence about what the wallet shows for signing
 * @throws WalletRefusal, and Problem when the service cannot be reached
 */
export async function credentialsOf(rule: CallerRule, tell: (saying: string) => void): Promise<Record<string, string>> {
  if (rule === "anyone") return {};
  const authorization = await credentialOf(rule === "owner" ? "human" : rule, tell);
  return { authorization, ...(isWithWallet(rule) && { "x-siwa": await credentialOf("siwa", tell) }) };
}

/** Whether an operation can be sent without opening the wallet. @param caller a wallet, or the account of an access token */
export function isCallerSignedIn(rule: CallerRule, caller: string | null): boolean {
  if (rule === "anyone") return true;
  if (caller === null || !isSignedIn(caller, rule === "owner" ? "human" : rule)) return false;
  const wallet = connectedWallet();
  return !isWithWallet(rule) || (wallet !== null && isSignedIn(wallet.address, "siwa"));
}

/** Forgets the wallet's credential among those that the service has refused. */
export function forgetRefused(credentials: Record<string, string>, problem: Problem): void {
  for (const value of Object.values(credentials)) {
    const [, address] = /^Bearer (0x[0-9a-f]{40}):/i.exec(value) ?? [];
    if (address) refused(address, value, problem);
  }
}
