/** What a stranger's profile holds on a platform, in any of its fields, costs no other agent its proof or its score. */
import type { IncomingMessage, ServerResponse } from "node:http";
import fc from "fast-check";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { ethosScores } from "../../clients/ethos.ts";
import { openHttp } from "../../clients/http.ts";
import type { FoundProof, ProofReader } from "../../clients/ports.ts";
import { farcasterProofs } from "../../clients/proof-platforms/farcaster.ts";
import { hubReader } from "../../clients/proof-platforms/farcaster-hub.ts";
import { githubProofs } from "../../clients/proof-platforms/github.ts";
import { neynarReader } from "../../clients/proof-platforms/neynar.ts";
import { xProofs } from "../../clients/proof-platforms/x.ts";
import { openPublicHttp } from "../../clients/public-http.ts";
import type { Address } from "../../core/agents/facts.ts";
import { Failure } from "../../core/errors.ts";
import { byProofPlatform, type ProofPlatformKey } from "../../core/proof-platforms.ts";
import { recordProof } from "../../db/agents/social-proofs.ts";
import { storeEthosScores } from "../../db/directory/ethos.ts";
import { testLog } from "../../harness/log.ts";
import { LONG } from "../../harness/patience.ts";
import { proofRecheck } from "../../workers/agents/proof-recheck.ts";
import { plantAgents } from "../api/support/agents.ts";
import { plainServer } from "../clients/support/plain-server.ts";
import { simulated } from "../clients/support/simulated.ts";
import { testDatabase } from "../support/database.ts";
import { forAllLater } from "../support/for-all.ts";
import { hostile, written } from "../support/hostile-json.ts";
import { shareOf } from "../support/share.ts";
import { sql } from "../support/sql.ts";
import { perFile, perTest } from "../support/started.ts";
import { PATIENT } from "../support/time-limits.ts";

const DAY_MS = 86_400_000;
/** Accounts by their id, each the proof of the token of that number: strangers' first, more than open a breaker. */
const ODD = Array.from({ length: 12 }, (_, i) => i + 1);
const SOUND = [13, 14, 15];
const NOW = new Date("2026-11-21T12:00:00Z");
const { seed } = inject("fuzz");

const sim = perFile(simulated);
const database = perFile(() => testDatabase({ indexed: true }));
const server = perFile(plainServer);
const raw = perFile(() =>
  openPublicHttp({ userAgent: "tests", loopback: true, origins: [server.url], limits: PATIENT }),
);
const http = perTest(() => openHttp({ userAgent: "tests", maxWaitMs: LONG, limits: PATIENT }));

beforeAll(async () => {
  await plantAgents(
    database.pool,
    [...ODD, ...SOUND].map((tokenId) => ({ tokenId, points: 0 })),
  );
  for (const id of [...ODD, ...SOUND]) {
    await sim.control("PUT", `x/users/user${id}`, { id: String(id), description: `helixa:${id}` });
    await sim.control("PUT", `github/users/user${id}`, {
      id,
      gists: [{ id: `a${id}`, public: true, files: { "helixa-verify.txt": String(id) } }],
    });
    await sim.control("PUT", `farcaster/users/user${id}`, {
      fid: id,
      casts: [{ hash: `0xa${id}`, text: `helixa:${id}` }],
    });
    await sim.control("PUT", `ethos/${walletOf(id)}`, { score: 1_000 + id });
  }
});

const walletOf = (id: number): Address => `0x${id.toString(16).padStart(40, "0")}`;
const upstream = (path: string, headers = {}) =>
  http.upstream({ name: "It", baseUrl: server.url + path, headers, rate: { burst: 1e5, perSecond: 1e5 } });

/** Answers as the simulators do, where `body` has nothing else for a path. */
function answerWith(body: (path: string, answer: unknown) => string | null): void {
  const relay = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece);
    const headers = Object.fromEntries(
      ["authorization", "x-api-key", "user-agent"].flatMap((name) => {
        const value = incoming.headers[name];
        return value === undefined ? [] : [[name, String(value)]];
      }),
    );
    const init = incoming.method === "POST" ? { method: "POST", body: Buffer.concat(pieces), headers } : { headers };
    const answer = await fetch(sim.url + incoming.url, init);
    const own = await answer.text();
    outgoing.writeHead(answer.status);
    outgoing.end((own && body(incoming.url!, JSON.parse(own))) || own);
  };
  server.answer = (incoming, outgoing) => void relay(incoming, outgoing);
}

type Json = Record<string, unknown>;
/** A stranger's document instead of each of its kind. */
type Hostile = { document: Json; depth: number };
const hostileTo = (document: Json) =>
  fc.array(fc.record({ document: hostile(document), depth: fc.constantFrom(1, 70, 30_000) }), {
    minLength: ODD.length,
    maxLength: ODD.length,
  });

const WAYS: { way: string; platform: ProofPlatformKey; make(): ProofReader<never>; read: string }[] = [
  {
    way: "X",
    platform: "x",
    make: () => xProofs(upstream("/x", { authorization: "Bearer key" })) as ProofReader<never>,
    read: "/x/2/users/by/username/user",
  },
  {
    way: "GitHub",
    platform: "github",
    // Without a token GitHub allows 60 requests per hour.
    make: () => githubProofs(upstream("/github", { authorization: "Bearer key" }), raw) as ProofReader<never>,
    read: "/github/gists/a",
  },
  {
    way: "a Farcaster hub",
    platform: "farcaster",
    make: () => farcasterProofs(hubReader(upstream("/farcaster"))) as ProofReader<never>,
    read: "/farcaster/v1/castById?fid=1&hash=0xa",
  },
  {
    way: "Neynar",
    platform: "farcaster",
    make: () => farcasterProofs(neynarReader(upstream("/neynar", { "x-api-key": "key" }))) as ProofReader<never>,
    read: "/neynar/v2/farcaster/cast/?type=hash&identifier=0xa",
  },
];

/** The account that a path asks about; null for none, or for many. */
function accountOf(path: string): number | null {
  const [, id] =
    /(?:user|gists\/a|fid=|fids=|identifier=0xa)(\d+)/.exec(path.replaceAll(/per_page=\d+|(?<![\w])page=\d+/g, "")) ??
    [];
  return id === undefined ? null : Number(id);
}

describe("random hostile profiles", () => {
  it.each(WAYS)(
    "in any field of $way keep every other agent's proof, old and new",
    async ({ platform, make, read }) => {
      answerWith(() => null);
      const sample = await fetch(`${server.url}${read}1`, {
        headers: { authorization: "Bearer key", "x-api-key": "key" },
      });
      const document = (await sample.json()) as Json;
      const source = make() as ProofReader<object>;
      await forAllLater(
        [hostileTo(document)], // Each run reads X 16 times, and X allows 300 requests per 15 minutes.
        { numRuns: shareOf(15), seed },
        async (odd) => {
          answerWith((path, answer) => replaced(path, answer, odd));
          await database.pool.query(
            "truncate offchain.proof, offchain.allowance, offchain.cred, offchain.cred_history cascade",
          );
          const before = new Date(NOW.getTime() - 2 * DAY_MS);
          for (const id of [...ODD, ...SOUND]) await recordProof(database.pool, known(platform, id), null, before);
          await recheck(platform, source).catch(onlyUnavailable);
          const { rows } = await database.pool.query(sql`select token_id::int4 as id from offchain.proof
            where status = 'verified' and checked_at = ${NOW} order by 1`);
          expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining(SOUND));

          for (const id of [...ODD, ...SOUND]) {
            const claim = { handle: `user${id}`, username: `user${id}` };
            const found = await source.find(claim, { tokenId: id, prefix: "helixa" }).catch(onlyUnavailable);
            if (SOUND.includes(id)) expect(found).toMatchObject({ accountId: String(id) });
            // Whatever proves something can be written down.
            if (found && !("reason" in found))
              await recordProof(
                database.pool,
                { ...(found as FoundProof), tokenId: 100 + id, platform },
                null,
                NOW,
              ).catch(onlyTaken);
          }
        },
      );
    },
  );

  it("in any entry of Ethos keep every other wallet's score", async () => {
    const ethos = ethosScores(upstream("/ethos"));
    const wallets = [...ODD, ...SOUND].map(walletOf);
    await forAllLater(
      [hostileTo({ entry: { score: 1, level: "known" } })],
      { numRuns: shareOf(50), seed },
      async (odd) => {
        answerWith((_, answer) => {
          const entries = odd.map(({ document }, i) => [walletOf(ODD[i]!), document.entry]);
          return written({ ...(answer as Json), ...Object.fromEntries(entries) }, { depth: odd[0]!.depth });
        });
        const scores = await ethos.scores(wallets);
        await storeEthosScores(database.pool, scores, NOW);
        expect(SOUND.map((id) => scores.get(walletOf(id)))).toEqual(SOUND.map((id) => 1_000 + id));
      },
    );
  });
});

/** What is answered about strangers: their hostile documents, in a list of X's beside the others. */
function replaced(path: string, answer: unknown, odd: readonly Hostile[]): string | null {
  if (path.startsWith("/x/2/users?")) {
    const { data } = answer as { data: { id: string }[] };
    const others = data.filter(({ id }) => !ODD.includes(Number(id)));
    return written(
      { data: [...odd.map(({ document }) => document.data ?? null), ...others] },
      { depth: odd[0]!.depth },
    );
  }
  const id = accountOf(path);
  const own = id === null ? undefined : odd[ODD.indexOf(id)];
  return own ? written(own.document, own) : null;
}

const known = (platform: ProofPlatformKey, id: number) => ({
  tokenId: id,
  platform,
  accountId: String(id),
  handle: `user${id}`,
  username: `user${id}`,
  evidence: { url: "https://example.com", id: platform === "github" ? `a${id}` : `0xa${id}`, quote: "" },
});

const recheck = (platform: ProofPlatformKey, source: ProofReader<object>) =>
  proofRecheck.run(
    {
      db: database.pool,
      proofs: { [platform]: source },
      clock: () => NOW,
      log: testLog(),
      config: {
        service: { prefix: "helixa" },
        upstreams: { proofChecks: byProofPlatform(() => ({ recheckMs: DAY_MS, readsPerDay: null })) },
      },
    } as never,
    {},
  );

function onlyUnavailable(error: unknown): null {
  if (error instanceof Failure && error.code === "upstream_unavailable") return null;
  throw error;
}
function onlyTaken(error: unknown): null {
  if ((error as { code?: string }).code === "23505") return null;
  throw error;
}
