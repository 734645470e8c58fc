/** What the loop of webhooks does, once and to the end. */
import { POOL_SLOTS } from "../../../core/webhooks/pools.ts";
import { fanOutNextPart } from "../../../workers/webhooks/deliver.ts";
import { beginSending, type SendContext } from "../../../workers/webhooks/send.ts";

export async function fanOutEvents(context: SendContext): Promise<void> {
  while ((await fanOutNextPart(context)).more);
}

/** Fans out all events, attempts every due delivery, waits for the attempts. @returns their number */
export async function deliverDue(context: SendContext): Promise<number> {
  await fanOutEvents(context);
  for (let made = 0; ; ) {
    const attempts = await beginSending(context, POOL_SLOTS);
    await Promise.all(attempts.map(({ done }) => done));
    if (attempts.length === 0) return made;
    made += attempts.length;
  }
}
