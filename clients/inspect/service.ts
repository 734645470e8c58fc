/** Asks the running API: the public URL first, then the port on this machine. */
import { Agent } from "undici";
import { exchange } from "../http/exchange.ts";
import type { ServiceAnswer } from "../ports.ts";

const LIMITS = { headersMs: 5_000, bodyMs: 5_000, totalMs: 6_000, maxBytes: 4_000_000 };

/** @param origins tried in their order @throws Error of the last one when none answers with JSON */
export async function askService(origins: readonly string[], path: string): Promise<ServiceAnswer> {
  const agent = new Agent({ connect: { timeout: 2_000 } });
  try {
    let failure: unknown = new Error("no URL");
    for (const origin of origins) {
      try {
        const request = {
          method: "GET" as const,
          url: new URL(origin + path),
          headers: { accept: "application/json" },
        };
        const { status, text } = await exchange(agent, request, LIMITS);
        return { status, json: JSON.parse(text) };
      } catch (error) {
        failure = error;
      }
    }
    throw failure;
  } finally {
    await agent.destroy();
  }
}
