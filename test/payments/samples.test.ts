/** The programs and shell lines that pages show to be copied, run as they stand before a server that asks for money. */
import { execFile } from "node:child_process";
import type { IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { generatePrivateKey } from "viem/accounts";
import { beforeEach, describe, expect, it } from "vitest";
import { callsOf } from "../../core/offers/calls.ts";
import { x402 } from "../../core/offers/x402.ts";
import { LANGUAGES } from "../../core/request-samples.ts";
import { listen } from "../../harness/listen.ts";
import { PROJECT_ROOT } from "../../runtime/project-root.ts";
import { perFile } from "../support/started.ts";

const USDC = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913";
const INPUT = { source: `contract A { string s = "it's $HOME"; }`, depth: 2 };
const SCHEMA = { type: "object", properties: { source: { type: "string" }, depth: { type: "integer" } } };

/** What is asked for; `units` of USDC a call. */
const termsOf = (url: string, method: string, units: string) => {
  const place = method === "POST" ? "body" : "queryParams";
  return {
    x402Version: 2,
    resource: { url, description: "Reads a contract." },
    accepts: [
      {
        ...{ scheme: "exact", network: "eip155:8453", asset: USDC, amount: units, maxTimeoutSeconds: 60 },
        ...{ payTo: "0x00000000000000000000000000000000000000aa", extra: { name: "USD Coin", version: "2" } },
      },
    ],
    extensions: {
      bazaar: {
        info: { input: { type: "http", method, [place]: INPUT } },
        schema: { properties: { input: { properties: { [place]: { ...SCHEMA, required: ["source"] } } } } },
      },
    },
  };
};

describe("a sample", () => {
  let units = "40000";
  const served: { method: string; input: unknown; paid: boolean }[] = [];
  const inputOf = async (incoming: IncomingMessage): Promise<unknown> => {
    const body = await text(incoming);
    const query = Object.fromEntries(new URL(incoming.url!, "http://x").searchParams);
    return body === "" ? query : JSON.parse(body);
  };
  const server = perFile(() =>
    listen(async (incoming, outgoing) => {
      const method = incoming.method!;
      if (method === "GET" && incoming.url === "/post") return void outgoing.writeHead(405).end();
      const paid = incoming.headers["payment-signature"] !== undefined;
      served.push({ method, input: await inputOf(incoming), paid });
      const terms: object = termsOf(server.url, method, units);
      if (!paid)
        outgoing.setHeader("payment-required", Buffer.from(JSON.stringify(terms)).toString("base64")).writeHead(402);
      outgoing.end(JSON.stringify({ audited: true }));
    }),
  );
  beforeEach(() => {
    served.length = 0;
    units = "40000";
  });

  /** The offer as this service reads it from the server's own 402. */
  async function offered(method: "GET" | "POST") {
    const reading = await x402.read(
      `${server.url}/${method.toLowerCase()}`,
      async ({ url, headers, ...more }, read) => {
        const answer = await fetch(url, { headers, ...more });
        return read({
          status: answer.status,
          headers: Object.fromEntries(answer.headers),
          text: await answer.text(),
          url,
        });
      },
      {},
      method,
    );
    if (reading.kind !== "offers") throw new Error(`The terms were not read: ${JSON.stringify(reading)}`);
    served.length = 0;
    return reading.offers[0]!;
  }
  const run = (program: string) =>
    promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], {
      cwd: PROJECT_ROOT,
      env: { PRIVATE_KEY: generatePrivateKey(), CREDENTIAL: "a.b.c" },
    });

  it.each(["GET", "POST"] as const)("of a paid offer sends the input of its terms, by %s", async (method) => {
    const [shell, program] = callsOf(await offered(method), "Ferrous");
    const input = method === "GET" ? { ...INPUT, depth: "2" } : INPUT;
    await promisify(execFile)("/bin/sh", ["-c", shell!.text]);
    expect(served).toEqual([{ method, input, paid: false }]);
    served.length = 0;
    expect((await run(program!.text)).stdout).toBe('200 {"audited":true}\n');
    expect(served).toEqual([
      { method, input, paid: false },
      { method, input, paid: true },
    ]);
  });

  it("pays no more than the price that the page shows", async () => {
    const [, program] = callsOf(await offered("GET"), "Ferrous");
    units = "40001";
    await expect(run(program!.text)).rejects.toThrow(/maxAmountPerPayment|spend|exceed/i);
    expect(served.map(({ paid }) => paid)).toEqual([false]);
  });

  it("of an operation with a price pays and sends its body", async () => {
    const program = LANGUAGES.TypeScript({
      ...{ method: "post", baseUrl: server.url, path: "/mint", places: {}, query: {}, body: JSON.stringify(INPUT) },
      ...{ credential: "wallet", isPriced: true, answersJson: true },
    });
    expect((await run(program)).stdout).toBe('200 {"audited":true}\n');
    expect(served.at(-1)).toEqual({ method: "POST", input: INPUT, paid: true });
  });
});
