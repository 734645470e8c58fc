/** Registration from the first request until the index shows the agent; exactly one, also when connections or answers are lost. */
import type { Call } from "./call.ts";
import { ApiError, RegistrationFailed, RegistrationPending } from "./errors.ts";
import type { components } from "./openapi.ts";
import type { Time } from "./time.ts";

type Schemas = components["schemas"];

export type RegisterOptions = {
  /**
   * Names this registration. One is made unless given; give one of your own, and keep it, to go on with the same
   * registration after a crash of your program.
   */
  idempotencyKey?: string;
  signal?: AbortSignal;
  /** Max wait for the chain and for the index, milliseconds. */
  patienceMs?: number;
};

/** A registration that is done: the answer of `POST /api/v2/mint`, with the agent as the index shows it. */
export type Registered = Schemas["Registration"] & { agent: Schemas["Agent"]; idempotencyKey: string };

const PATIENCE_MS = 120_000;
const LOOK_EVERY_MS = 1_000;

/** @throws ApiError, ConnectionError, RegistrationFailed, RegistrationPending, the signal's reason */
export async function register(
  call: Call,
  time: Time,
  body: Schemas["MintRequest"],
  options: RegisterOptions,
): Promise<Registered> {
  const { idempotencyKey = crypto.randomUUID(), signal, patienceMs = PATIENCE_MS } = options;
  const until = time.now() + patienceMs;

  async function minted(): Promise<Schemas["Registration"]> {
    const { data } = await call("post", "/api/v2/mint", {
      body,
      params: { header: { "Idempotency-Key": idempotencyKey } },
      signal,
    });
    if (!("mintId" in data)) return data;
    const { mintId } = data;
    for (;;) {
      await time.sleep(LOOK_EVERY_MS, signal);
      const { data: state } = await call("get", "/api/v2/mint/{mintId}", { params: { path: { mintId } }, signal });
      if (state.status === "minted") return state;
      if (state.status === "failed") throw new RegistrationFailed(mintId, state.reason);
      if (time.now() > until) throw new RegistrationPending(mintId, idempotencyKey);
    }
  }

  const registration = await minted();
  const { tokenId, block } = registration;
  if (registration.agent) return { ...registration, agent: registration.agent, idempotencyKey };
  // The service waits up to five seconds for a block, then sends Retry-After; the retries do the rest.
  for (;;) {
    try {
      const path = { ref: String(tokenId) };
      const { data: agent } = await call("get", "/api/v2/agent/{ref}", {
        params: { path, query: { minBlock: block } },
        signal,
      });
      return { ...registration, agent, idempotencyKey };
    } catch (error) {
      const behind = error instanceof ApiError && (error.code === "indexer_behind" || error.code === "not_found");
      if (!behind || time.now() > until) throw error;
      await time.sleep(LOOK_EVERY_MS, signal);
    }
  }
}
