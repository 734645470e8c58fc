/** The same keyed read as it is commonly built: an ORM's query builder, nothing prepared, and the framework's stock middlewares. */
import { and, asc, eq, or } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import { Hono } from "hono";
import { cors } from "hono/cors";
import { etag } from "hono/etag";
import { requestId } from "hono/request-id";
import { secureHeaders } from "hono/secure-headers";
import type pg from "pg";
import { UNSHARED } from "../../core/agents/caveats.ts";
import type { AgentFacts, Hex } from "../../core/agents/facts.ts";
import { SIGNALS } from "../../core/cred/cred.ts";
import { agentView, caveatsOf, type Site } from "../../core/views/agent.ts";
import { VERIFIED_ACCOUNT } from "../../db/agents/attestations.ts";
import * as off from "../../db/schema/tables.ts";
import * as on from "../../ponder.schema.ts";

/**
 * `GET /api/v2/agent/{token id}` with the same fields as the service's, and `GET /health`.
 * @param db its connections look for tables in `onchain` first
 * @param indexedBlock named in every answer
 */
export function referenceApp(db: pg.Pool, site: Site, indexedBlock: number, clock = () => new Date()): Hono {
  const orm = drizzle(db, { casing: "snake_case" });
  const app = new Hono();
  app.use(requestId(), secureHeaders(), cors());
  app.use("/api/*", etag());
  app.get("/health", (c) => c.json({ status: "ok", version: "v2", port: 0, contractDeployed: true }));
  app.get("/api/v2/agent/:id", async (c) => {
    const facts = await factsOf(orm, Number(c.req.param("id")));
    if (!facts) return c.json({ error: "There is no such agent.", code: "not_found" }, 404);
    const at = clock();
    // The agents it is measured with were never transferred, share nothing, and have no reviews, payments and jobs.
    const ownership = { transfers: 1, heldSince: null, earlier: [] };
    const none = { reviews: null, payments: null, jobs: null };
    const reservations = caveatsOf({ ...facts, ownership, shared: UNSHARED, ...none }, at);
    return c.json({ ...agentView(facts, site, at, indexedBlock), reservations, ...none });
  });
  return app;
}

async function factsOf(orm: ReturnType<typeof drizzle>, id: number): Promise<AgentFacts | undefined> {
  const [rows, traits, profileTraits, profile, proofs, verifications] = await Promise.all([
    orm
      .select({ agent: on.agent, cred: off.cred, code: off.referralCode })
      .from(on.agent)
      .leftJoin(off.cred, eq(off.cred.tokenId, on.agent.tokenId))
      .leftJoin(off.referralCode, eq(off.referralCode.tokenId, on.agent.tokenId))
      .where(eq(on.agent.tokenId, id)),
    orm.select().from(on.trait).where(eq(on.trait.tokenId, id)).orderBy(asc(on.trait.position)),
    orm
      .select()
      .from(off.profileTrait)
      .where(eq(off.profileTrait.tokenId, id))
      .orderBy(asc(off.profileTrait.addedAt), asc(off.profileTrait.name)),
    orm.select().from(off.profileField).where(eq(off.profileField.tokenId, id)).orderBy(asc(off.profileField.field)),
    orm.select().from(off.proof).where(eq(off.proof.tokenId, id)).orderBy(asc(off.proof.platform)),
    orm.select().from(off.exchangeVerification).where(eq(off.exchangeVerification.tokenId, id)),
  ]);
  const row = rows[0];
  if (!row) return undefined;
  const { agent, cred, code } = row;
  const newest = verifications.toSorted((a, b) => b.verifiedAt.getTime() - a.verifiedAt.getTime());
  const exchange = newest.find(({ recipient }) => recipient === agent.owner) ?? newest[0] ?? null;
  const attested = on.attestation;
  const [ethos, attestations] = await Promise.all([
    orm
      .select()
      .from(off.ethosScore)
      .where(or(eq(off.ethosScore.wallet, agent.agentAddress), eq(off.ethosScore.wallet, agent.owner))),
    exchange
      ? orm
          .select()
          .from(attested)
          .where(
            or(
              eq(attested.uid, exchange.attestationUid as Hex),
              and(eq(attested.recipient, exchange.recipient as Hex), eq(attested.schema, exchange.schemaUid as Hex)),
            ),
          )
      : [],
  ]);
  const own = agent.walletRank < 2 ? agent.agentAddress : agent.owner;
  const score = ethos.find(({ wallet }) => wallet === own) ?? ethos.find(({ wallet }) => wallet === agent.owner);
  const attestation = exchange && lastingLongest(attestations, exchange);
  return {
    ...agent,
    walletConfirmed: agent.walletRank < 2,
    points: Number(agent.points),
    onchainPersonality: agent.personality,
    onchainNarrative: agent.narrative,
    traits: [
      ...traits.map(({ name, category, addedAt }) => ({ name, category, addedAt: iso(new Date(addedAt * 1000)) })),
      ...profileTraits.map(({ name, category, addedAt }) => ({ name, category, addedAt: iso(addedAt) })),
    ],
    profile: profile.map(({ field, value, writtenAt }) => ({
      field,
      value: value as string | number,
      writtenAt: iso(writtenAt),
    })),
    proofs: proofs.map((proof) => ({
      ...(proof as unknown as AgentFacts["proofs"][number]),
      verifiedAt: iso(proof.verifiedAt),
      checkedAt: iso(proof.checkedAt),
    })),
    exchange:
      exchange && attestation
        ? {
            ...(exchange as unknown as NonNullable<AgentFacts["exchange"]>),
            attestationUid: attestation.uid as Hex,
            expiresAt: attestation.expiresAt,
            revokedAt: attestation.revokedAt,
            verifiedAt: iso(exchange.verifiedAt),
          }
        : null,
    ethosScore: score?.score ?? null,
    referralCode: code?.code ?? null,
    cred: cred && { score: cred.score, raw: rawOf(cred), seenBlock: cred.seenBlock, computedAt: iso(cred.computedAt) },
  };
}

const iso = (at: Date) => at.toISOString();

/** The columns of the signals alone. */
const rawOf = (row: typeof off.cred.$inferSelect): Record<string, number> =>
  Object.fromEntries(SIGNALS.map(({ key }) => [key, row[key]]));

type Known = Pick<typeof on.attestation.$inferSelect, "uid" | "expiresAt" | "revokedAt">;

/** The attestation that a verification rests on: not revoked where one is not, then the one that lasts longest. */
function lastingLongest(
  indexed: readonly (typeof on.attestation.$inferSelect)[],
  { attestationUid, expiresAt }: typeof off.exchangeVerification.$inferSelect,
): Known | undefined {
  const known: Known[] = indexed.filter(({ data }) => data === VERIFIED_ACCOUNT);
  if (indexed.every(({ uid }) => uid !== attestationUid))
    known.push({ uid: attestationUid as Hex, expiresAt, revokedAt: 0 });
  const end = (at: number) => (at === 0 ? Number.POSITIVE_INFINITY : at);
  return known.toSorted(
    (a, b) => Number(a.revokedAt !== 0) - Number(b.revokedAt !== 0) || end(b.expiresAt) - end(a.expiresAt) || 0,
  )[0];
}
