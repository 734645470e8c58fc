/** The Farcaster adapters against the simulator: names and ids, casts, both error formats of hubs, and Neynar. */
import { beforeEach, describe, expect, it } from "vitest";
import type { FoundProof, ProofReader } from "../../clients/ports.ts";
import { farcasterProofs } from "../../clients/proof-platforms/farcaster.ts";
import { hubReader } from "../../clients/proof-platforms/farcaster-hub.ts";
import { neynarReader } from "../../clients/proof-platforms/neynar.ts";
import type { FarcasterClaim } from "../../core/proof-platforms/farcaster.ts";
import { perFile } from "../support/started.ts";
import { simulated, unavailable } from "./support/simulated.ts";

const sim = perFile(simulated);
const sought = { tokenId: 1, prefix: "helixa" };
const HASH = `0x${"ab".repeat(20)}`;
const plant = (username: string, fid: number, casts: object[]) =>
  sim.control("PUT", `farcaster/users/${username}`, { fid, casts });

describe.each(["snapchain", "hubble", "neynar"])("through %s", (way) => {
  let farcaster: ProofReader<FarcasterClaim>;
  beforeEach(async () => {
    const reader =
      way === "neynar"
        ? neynarReader(sim.upstream("/neynar", { headers: { "x-api-key": "key" } }))
        : hubReader(sim.upstream("/farcaster"));
    farcaster = farcasterProofs(reader);
    await sim.fail("farcaster", { times: 0 });
    if (way !== "neynar") await sim.control("PUT", "farcaster/errors", { format: way });
    for (const name of ["dwr", "dwr.eth", "other"]) await sim.control("DELETE", `farcaster/users/${name}`);
    await plant("dwr", 3, [
      { hash: "0x01", text: "gm" },
      { hash: HASH, text: "claiming helixa:1 today" },
    ]);
  });
  const find = (claim: FarcasterClaim) => farcaster.find(claim, sought);

  it.each([{ username: "dwr" }, { fid: 3 }, { username: "dwr", fid: 3 }])("finds the cast of %j", async (claim) => {
    expect(await find(claim)).toEqual({
      accountId: "3",
      handle: "dwr",
      username: "dwr",
      evidence: { url: `https://farcaster.xyz/~/conversations/${HASH}`, id: HASH, quote: "claiming helixa:1 today" },
    });
  });

  it("knows names that end in .eth, names nobody holds, and names of somebody else", async () => {
    await plant("dwr.eth", 5, [{ hash: "0x05", text: "helixa:1" }]);
    expect(await find({ username: "dwr.eth" })).toMatchObject({ accountId: "5" });
    const reason = "There is no Farcaster account named nobody.";
    expect(await find({ username: "nobody" })).toEqual({ reason, isAbsent: true });
    expect(await find({ username: "dwr", fid: 4 })).toEqual({
      reason: "The Farcaster name dwr belongs to account 3, not to 4.",
    });
    expect(await find({ fid: 99 })).toEqual({ reason: "No recent cast of account 99 shows helixa:1." });
  });

  it("does not take a reply, another token, or a cast far down", async () => {
    await plant("dwr", 3, [
      { hash: "0x02", text: "helixa:1", parent: "0x99" },
      { hash: "0x03", text: "helixa:12" },
    ]);
    const none = { reason: "No recent cast of dwr shows helixa:1." };
    expect(await find({ username: "dwr" })).toEqual({ ...none, found: "helixa:12" });
    const older = (before: number) => [
      ...Array.from({ length: before }, (_, i) => ({ hash: `0xf${i}`, text: `gm ${i}` })),
      { hash: HASH, text: "helixa:1" },
    ];
    await plant("dwr", 3, older(299));
    expect(await find({ username: "dwr" })).toMatchObject({ accountId: "3" });
    await plant("dwr", 3, older(300));
    expect(await find({ username: "dwr" })).toEqual({ ...none, found: "gm 0" });
  });

  it("looks again: the cast, and the name if one was proven", async () => {
    const proof = { ...((await find({ username: "dwr" })) as FoundProof), ...sought };
    const { accountId, handle, username, evidence } = proof;
    expect(await farcaster.recheck([proof])).toEqual([{ accountId, handle, username, evidence }]);
    await plant("dwr", 3, []);
    expect(await farcaster.recheck([proof])).toEqual([{ reason: "The cast was removed." }]);
    await plant("dwr", 8, [{ hash: HASH, text: "helixa:1" }]);
    const renamed = { reason: "The Farcaster name dwr is not the account's any more." };
    expect(await farcaster.recheck([proof])).toEqual([renamed]);
    await sim.control("DELETE", "farcaster/users/dwr");
    expect(await farcaster.recheck([proof])).toEqual([renamed]);
  });

  it.each([
    ["an internal error", { status: 500 }],
    [
      "a refusal that speaks of something else",
      { status: 400, body: { error: "x", error_detail: "status: InvalidArgument, message: bad" } },
    ],
    ["a limit", { status: 429 }],
    ["no credit", { status: 402 }],
    ["a gateway's 404", { status: 404, body: "<html>404</html>" }],
    ["HTML", { body: "<html></html>" }],
    ["silence", { hangs: true as const }],
  ])("takes %s for an error", async (_what, plan) => {
    await sim.fail("farcaster", plan);
    await unavailable(find({ username: "dwr" }));
  });
});

it("a needle that a mention cut in two proves nothing", async () => {
  const farcaster = farcasterProofs(hubReader(sim.upstream("/farcaster")));
  await plant("cutter", 11, [{ hash: "0x0b", text: "über helixa:1 2", mentionsPositions: [14] }]);
  expect(await farcaster.find({ fid: 11 }, sought)).toHaveProperty("reason");
  await plant("cutter", 11, [{ hash: "0x0b", text: "über helixa:12", mentionsPositions: [14] }]);
  expect(await farcaster.find({ fid: 11 }, { ...sought, tokenId: 12 })).toHaveProperty("reason");
  await plant("cutter", 11, [{ hash: "0x0b", text: "über helixa:1 ", mentionsPositions: [15] }]);
  expect(await farcaster.find({ fid: 11 }, sought)).toHaveProperty("accountId");
});

it.each([
  ["of 5,000 digits", `0x${"a".repeat(5_000)}`],
  ["with another character", "0x\ufffd"],
  ["that is a link", "javascript:alert(1)"],
  ["without a character", ""],
])("a cast with a hash %s proves nothing", async (_what, hash) => {
  await plant("hasher", 12, [{ hash, text: "helixa:1" }]);
  for (const reader of [
    hubReader(sim.upstream("/farcaster")),
    neynarReader(sim.upstream("/neynar", { headers: { "x-api-key": "key" } })),
  ])
    expect(await farcasterProofs(reader).find({ fid: 12 }, sought)).toHaveProperty("reason");
});
