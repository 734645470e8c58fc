/** `npm run bench -- preflight [--short]`: the verdict before a payment on 300 planted endpoints, cached and with a live question, and the check of a signed request. */
import { setTimeout as pause } from "node:timers/promises";
import { Pool } from "undici";
import { personalHash, recoverSigner } from "../api/guards/signature.ts";
import { readSignedRequest } from "../core/callers/signed-requests.ts";
import { atMost, cpuMsSince, goal, quantile, stopwatch } from "../harness/figures.ts";
import { listen } from "../harness/listen.ts";
import { type ScratchPostgres, withPostgres } from "../harness/scratch-postgres.ts";
import { plantReads, startService } from "./reads/servers.ts";

const ENDPOINTS = 304;
const PER_SECOND = 500;
const ASKED_LIVE = 12;
const USDC = "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913";
/** Terms, without their receiver. */
const TERMS = { scheme: "exact", network: "eip155:8453", asset: USDC, amount: "1000", maxTimeoutSeconds: 60 };

/** @param args `--short` for a quick look */
export default async function preflight(args: string[]): Promise<void> {
  const isShort = args.includes("--short");
  signatures(isShort ? 200 : 5_000);
  await withPostgres("bench-preflight", { fast: true }, (at) => measure(at, isShort ? 4 : 20));
}

/** The positive vector of ERC-8128, whose signer has the key 1. */
const SIGNED: Record<string, string> = {
  "content-type": "application/json",
  "content-digest": "sha-256=:k6I5cakU5erL8KjSUVTNownDwccvu5kU1Hxg88toFYg=:",
  "signature-input":
    'request=("@scheme" "@authority" "@method" "@path" "@query" "content-digest" "content-type");created=1700000000;expires=1700000060;nonce="EjRWeJCrze8BI0VniavN7w";keyid="eip155:1:0x7e5f4552091a69125d5dfcb7b8c2659029395bdf";tag="erc8128"',
  signature: "request=:/BpEToskxkMJ65uRmaNUPiBwbwwg6z3CxEDJJwEYREIx1Hwn85Z1L8XlRpILGx4q80yeiNugYzaUsVPWiPcB0Bs=:",
};
function signatures(times: number): void {
  const request = {
    method: "POST",
    url: new URL("https://api.example/items?view=full"),
    field: (name: string) => SIGNED[name],
  };
  const to = { hosts: new Set(["api.example"]), scheme: "https:", chainId: 1 } as const;
  const from = process.cpuUsage();
  for (let i = 0; i < times; i++) {
    const { text, signature, address } = readSignedRequest(request, to, true, 1_700_000_001_000)!;
    if (recoverSigner(personalHash(text), signature) !== address) throw new Error("a good signature is refused");
  }
  console.log(atMost("CPU of checking a signed request", cpuMsSince(from) / times, 0.3, { unit: " ms", digits: 3 }));
}

/** Agents with 8 endpoints each that are shown to be their own, with terms and payers. */
const PLANTED = `
  with agent as (
    insert into offchain.directory (platform, agent_id, name, services, cred_score, chain_id, address, wallet_proven, created_at)
    select 'erc8004', i::text, 'A', '[]', 20, 8453, '0x' || lpad(i::text, 40, 'a'), true, now() - interval '1 year'
    from generate_series(1, $2::int / 8) i returning id, agent_id, address),
  sold as (select *, $1::text || '/' || agent_id || '/' || n as url from agent, generate_series(1, 8) n),
  source as (
    insert into offchain.offer_source (directory_id, kind, url, host, trust, status, next_try_at, confirmed_by, answered_at, checked_at)
    select id, 'x402', url, split_part(url, '/', 3), 20, 'read', now() + interval '1 day', 'host_file', now(), now() from sold),
  offer as (
    insert into offchain.offer (directory_id, kind, source, position, name, endpoint, price)
    select id, 'resource', 'x402 ' || url, 0, 'paid', url, jsonb_build_array($3::jsonb || jsonb_build_object('payTo', address)) from sold)
  insert into offchain.income_figures (directory_id, wallet, seen, figures, computed_at)
  select id, address, '', '{"rules": 4, "windows": [], "voices": ["9000000", "9000000", "9000000"]}', now() from agent`;

async function measure(at: ScratchPostgres, seconds: number): Promise<void> {
  const { pool } = at;
  await plantReads(at, 1_000);
  // Sells at `/<agent>/<n>`; the eighth never answers.
  const { url: origin, close } = await listen(({ url }, response) => {
    const [, agent = "", n] = url!.split("/");
    const accepts = [{ ...TERMS, payTo: `0x${agent.padStart(40, "a")}` }];
    if (n !== "8") response.writeHead(402).end(JSON.stringify({ x402Version: 2, accepts }));
  });
  at.later(async () => close());
  await pool.query(PLANTED, [origin, ENDPOINTS, JSON.stringify(TERMS)]);
  await pool.query("analyze");
  const { url } = await startService(at, {
    LIMITS: "reads=1000000000,live-terms=1000000",
    REGISTRATION_ALLOW_PRIVATE: "true",
  });
  const api = new Pool(url, { connections: 64 });
  at.later(() => api.close());
  const ask = async (i: number, live?: true) => {
    const place = i % ENDPOINTS;
    const given = { url: `${origin}/${1 + Math.floor(place / 8)}/${1 + (place % 8)}`, live };
    const headers = { "content-type": "application/json" };
    const asked = { path: "/api/v2/preflight", method: "POST", headers, body: JSON.stringify(given) } as const;
    const { statusCode, body } = await api.request(asked);
    const { verdict } = (await body.json()) as { verdict?: string };
    if (statusCode !== 200 || verdict === undefined) throw new Error(`no verdict: ${statusCode}`);
    return verdict;
  };

  const waits: number[] = [];
  const verdicts = new Set<string>();
  const began = performance.now();
  const asked = Array.from({ length: seconds * PER_SECOND }, async (_, i) => {
    const due = began + (1_000 * i) / PER_SECOND;
    await pause(Math.max(1, due - performance.now()));
    verdicts.add(await ask(i));
    waits.push(performance.now() - due);
  });
  await Promise.all(asked);
  const cached = `verdict on ${ENDPOINTS} endpoints at ${PER_SECOND}/s (${[...verdicts]}), p95`;
  console.log(atMost(cached, quantile(waits, 0.95), 50, { unit: " ms", digits: 1 }));

  const live: [verdict: string, ms: number][] = [];
  for (let i = 0; i < ASKED_LIVE; i++) {
    const [ms, verdict] = await stopwatch(() => ask(i, true));
    live.push([verdict, Math.round(ms)]);
  }
  const isGood = live.every(([verdict, ms]) => ms <= 2_000 || verdict === "review");
  console.log(goal("asked live ≤ 2000 ms, or review", live.join(" "), isGood));
}
