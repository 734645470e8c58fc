/** Asks one endpoint for its reader: counts the requests, bounds what reading the answers takes, and ends a reading that has no answer. */
import type { ForeignAnswer, ForeignEndpoints } from "../../clients/ports.ts";
import { FAILURE_CAUSES, type Probe } from "../../core/offers/probe.ts";
import type { EndpointRequest, Send } from "../../core/offers/reader.ts";
import { DOCUMENT_MS, withinTime } from "../within-time.ts";

/** Max requests for one endpoint. */
const MAX_REQUESTS = 8;
/** Max events of all its streams that are read: the limit of time costs 0.2 ms for each. */
const MAX_EVENTS = 64;

/** Ends the reading of an endpoint that gave no answer. */
export class NoAnswer extends Error {
  readonly answer: Exclude<ForeignAnswer, { kind: "answered" }>;
  constructor(answer: NoAnswer["answer"]) {
    super("no answer");
    this.answer = answer;
  }
}

/** Milliseconds of a probe are kept in two bytes. */
const MAX_MS = 32_767;

type Asking = {
  send: Send;
  /** How many requests were sent. */
  requests(): number;
  /** What came of them; null where nothing came that says anything of the endpoint. */
  probe(): Probe | null;
};

/** @param signal ends what is being sent @returns what a reader sends by */
export function askEndpoint(endpoints: ForeignEndpoints, signal?: AbortSignal): Asking {
  let requests = 0;
  let events = 0;
  let ms: number | null = null;
  let last: ForeignAnswer | null = null;

  async function ask({ onEvent, ...request }: EndpointRequest): Promise<Extract<ForeignAnswer, { kind: "answered" }>> {
    if (++requests > MAX_REQUESTS)
      throw new NoAnswer({ kind: "failed", reason: "It takes too many requests.", final: true, answered: true });
    let failure: unknown;
    signal?.throwIfAborted();
    const answer = await endpoints.send({
      ...request,
      ...{ signal, isProbe: true },
      ...(onEvent && {
        onEvent: (event) =>
          passEvent(onEvent, event).catch((error) => {
            failure = error;
            return true;
          }),
      }),
    });
    last = answer;
    if (answer.kind === "answered") ms ??= answer.ms === undefined ? null : Math.min(MAX_MS, answer.ms);
    if (failure !== undefined) throw failure;
    if (answer.kind !== "answered") throw new NoAnswer(answer);
    return answer;
  }

  /** @returns whether that was enough */
  async function passEvent(onEvent: NonNullable<EndpointRequest["onEvent"]>, event: string): Promise<boolean> {
    if (++events > MAX_EVENTS) return true;
    const next = withinTime(DOCUMENT_MS, () => onEvent(event));
    if (next === "enough") return true;
    for (const request of next) if ((await ask({ headOnly: true, ...request })).status >= 400) return true;
    return false;
  }

  return {
    requests: () => requests,
    probe: () => probeOf(last, ms),
    async send(request, read) {
      const answer = await ask(request);
      return withinTime(DOCUMENT_MS, () => read(answer));
    },
  };
}

function probeOf(last: ForeignAnswer | null, ms: number | null): Probe | null {
  if (last?.kind === "answered") return { status: last.status, ms, traceless: false, isOurs: false };
  if (last?.kind !== "failed" || last.unasked) return null;
  const { cause, status } = last;
  const isOurs = cause === "ours";
  return {
    status: status ?? FAILURE_CAUSES[cause === undefined || isOurs ? "other" : cause],
    ...{ ms, isOurs, traceless: cause !== undefined && cause !== "address" },
  };
}
