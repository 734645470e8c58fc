/** A client as the documentation wants it: it comes back when it is told to. */
import { setTimeout as sleep } from "node:timers/promises";
import { LONG } from "../../harness/patience.ts";

/** `fetch` that repeats what a busy service refuses by 503 with Retry-After, for as long as anything is waited for. */
export const patientFetch: typeof fetch = async (input, init) => {
  const end = Date.now() + LONG;
  for (;;) {
    // A request's body can be read once.
    const response = await fetch(input instanceof Request ? input.clone() : input, init);
    const wait = Number(response.headers.get("retry-after")) * 1_000;
    if (response.status !== 503 || !(wait > 0) || Date.now() + wait > end) return response;
    await response.body?.cancel();
    await sleep(wait);
  }
};
