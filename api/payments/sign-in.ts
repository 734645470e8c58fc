/** The sign-in of a request whose operation does not require one. */
import type { Address } from "../../core/agents/facts.ts";
import { Failure } from "../../core/errors.ts";
import type { OpenCheckout } from "./checkout.ts";

/** The wallet that signed the request: only itself spends its credits. A bad credential counts as none. */
export async function optionalSignIn({ request }: Pick<OpenCheckout, "request">): Promise<Address | null> {
  try {
    return await request.signedIn();
  } catch (error) {
    if (error instanceof Failure && error.status < 500 && error.code !== "rate_limited") return null;
    throw error;
  }
}
