/**
 * Cases of service.test.ts: what agents and their owners may change, on the whole service: real chain, real index, real sender. Every claim about
 * points, scores and transactions is read back from the chain or the API.
 */
import { createWalletClient, encodeAbiParameters, http, zeroHash } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { base } from "viem/chains";
import { beforeAll, describe, expect, it } from "vitest";
import { easAbi } from "../../../abis/eas.ts";
import { erc8004IdentityAbi } from "../../../abis/erc8004.ts";
import { identityAbi } from "../../../abis/identity.ts";
import { WRITE_FAULT_POINTS } from "../../../api/services/writing.ts";
import { humanUpdateText } from "../../../core/callers/signed-texts.ts";
import { CANONICAL, EXCHANGE_SCHEMAS, schemaUid } from "../../../devnet/chain-addresses.ts";
import { devnetCast } from "../../../devnet/chain-keys.ts";
import { type AgentWallet, agentWallet, testChain } from "../../../harness/agent-wallet.ts";
import { until } from "../../../harness/until.ts";
import type { Parts } from "../../support/parts.ts";
import { patientFetch } from "../../support/patient-fetch.ts";
import { casesOf } from "../../support/share.ts";

export function writesCases(world: () => Parts): void {
  let parts: Parts;
  beforeAll(() => {
    parts = world();
  });

  // A body's shape is what the tests assert.
  type Json = Record<string, never> & { block?: number; credScore?: number; tokenId?: number };
  async function call(method: string, path: string, by?: AgentWallet, body?: object, headers: object = {}) {
    const response = await patientFetch(parts.apiUrl + path, {
      method,
      headers: {
        ...(by && { authorization: await by.siwa() }),
        ...(body && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Json };
  }
  const wallet = () => agentWallet({ host: parts.host });
  const agent = async (id: number, minBlock = 0) =>
    (await call("GET", `/api/v2/agent/${id}?minBlock=${minBlock}`)).body;
  const score = async (id: number) => Number((await agent(id)).credScore);
  const chain = () => testChain(parts.rpcUrl);
  const token = () => ({ address: parts.identity, abi: identityAbi }) as const;
  const update = (id: number, by: AgentWallet, body: object, query = "") =>
    call("POST", `/api/v2/agent/${id}/update${query}`, by, body);
  async function mint(by: AgentWallet, body: object) {
    const minted = await until("a registration", async () => {
      const answer = await call("POST", "/api/v2/mint", by, body, { "idempotency-key": by.address });
      return answer.status === 201 ? answer.body : undefined;
    });
    return minted as never as { tokenId: number; yourReferralCode: string; block: number; referral: object };
  }
  const points = (id: number, expected: number) =>
    until(`${expected} points of agent ${id}`, async () => Number((await agent(id)).points) === expected);
  // The stored score follows the facts a moment later, so it is waited for, never read in passing.
  const scored = (id: number, expected: number) =>
    until(`the score ${expected} of agent ${id}`, async () => (await score(id)) === expected);

  let ada: AgentWallet;
  let grace: AgentWallet;
  let adaId: number;
  let graceId: number;

  describe("a registration", () => {
    it("with a code brings its points through the chain", async () => {
      [grace, ada] = [wallet(), wallet()];
      const first = await mint(grace, { name: "Grace" });
      graceId = first.tokenId;
      await agent(graceId, first.block);
      const listing = {
        ...{ services: { mcp: { url: "https://ada.example/mcp" } }, skills: ["x-verified", "computing"] },
        ...{ domains: ["engines"], metadata: { acceptedPayments: ["usdc"], credScore: 100 } },
      };
      const texts = { personality: { quirks: "hums", riskTolerance: 3 }, narrative: { origin: "London" } };
      const code = first.yourReferralCode;
      const second = await mint(ada, { name: "Ada", referralCode: code, ...texts, ...listing });
      adaId = second.tokenId;
      // What it lists is shown, and adds nothing to the scores below.
      expect(await agent(adaId, second.block)).toMatchObject(listing);
      const referral = { code, referrerTokenId: graceId, referrerPoints: 50, minterPoints: 25 };
      expect(second.referral).toEqual(referral);
      await points(graceId, 150);
      await points(adaId, 125);
      const stats = { totalReferrals: 1, pointsEarned: 50 };
      expect((await call("GET", `/api/v2/agent/${graceId}/referral`)).body).toMatchObject({ stats });
    });
  });

  describe("an identity minted by calling the contract with ETH", () => {
    const price = () => chain().readContract({ ...token(), functionName: "mintPrice" });
    let own: AgentWallet;

    it("is an agent like any other: indexed, scored, with a code, in the directory", async () => {
      own = wallet();
      const name = "Edsger Direct";
      const args = [own.address, name, "custom", false] as const;
      const receipt = await own.call(parts.rpcUrl, parts.identity, "mint", args, await price());
      const found = await until("the agent in the index", async () => {
        const { status, body } = await call("GET", `/api/v2/agent/${own.address}?minBlock=${receipt.blockNumber}`);
        return status === 200 ? (body as never as { tokenId: number }) : undefined;
      });
      expect(found).toMatchObject({ name, owner: own.address, mintOrigin: "HUMAN", points: 100 });
      const { tokenId } = found;
      await until("its score", async () => {
        const { body } = await call("GET", `/api/v2/agent/${tokenId}/cred/history`);
        return (body as never as { points: unknown[] }).points.length > 0;
      });
      const code = await until("its referral code", async () => {
        const { status, body } = await call("GET", `/api/v2/agent/${tokenId}/referral`);
        return status === 200 && (body as never as { code: string }).code;
      });
      expect(code).toMatch(/^edsger-direct-[a-z0-9]{4}$/);
      expect((await call("GET", `/api/v2/referral/${code}`)).body).toMatchObject({ valid: true, bonusPoints: 25 });
      await until("its row in the directory", async () => {
        const { body } = await call("GET", "/api/terminal/agents?q=Edsger%20Direct");
        return JSON.stringify(body).includes(own.address);
      });
    });

    it("has a profile, and its wallet cannot register a second one", async () => {
      const { tokenId } = (await call("GET", `/api/v2/agent/${own.address}`)).body;
      const written = await update(tokenId!, own, { narrative: { origin: "Rotterdam" } });
      expect(written).toMatchObject({ status: 200, body: { storage: "offchain" } });
      expect(await agent(tokenId!)).toMatchObject({ narrative: { origin: "Rotterdam" } });
      const twice = await call("POST", "/api/v2/mint", own, { name: "Twice" });
      expect(twice).toMatchObject({ status: 409, body: { code: "already_registered", tokenId } });
    });

    it("for less than its price is none", async () => {
      const poor = wallet();
      const args = [poor.address, "Cheap", "custom", false] as const;
      const cheap = poor.call(parts.rpcUrl, parts.identity, "mint", args, (await price()) - 1n);
      await expect(cheap).rejects.toThrow();
    });
  });

  describe("an update", () => {
    it("off chain is shown at once; on chain it comes back through the index, and nothing else changes", async () => {
      // Points 20, narrative 2.5 of 10, origin 10.
      await scored(adaId, 33);
      const narrative = { mission: "compute", lore: "l", manifesto: "m" };
      expect((await update(adaId, ada, { narrative })).status).toBe(200);
      expect(await score(adaId)).toBe(40);
      const traits = [{ name: "patient", category: "character" }];
      const changes = { personality: { humor: "dry" }, narrative: { origin: "Marylebone" }, traits };
      const written = await update(adaId, ada, changes, "?onchain=true");
      expect(written).toMatchObject({ status: 200, body: { storage: "onchain" } });
      expect(written.body.txHashes).toHaveLength(3);
      const personality = { quirks: "hums", humor: "dry", riskTolerance: 3 };
      const shown = { personality, narrative: { origin: "Marylebone", ...narrative }, traits };
      expect(await agent(adaId, written.body.block)).toMatchObject(shown);
      const read = { ...token(), functionName: "getPersonality", args: [BigInt(adaId)] } as const;
      expect(await chain().readContract(read)).toMatchObject(personality);
    });
  });

  /** How often the chain has seen an agent verified. */
  const verifications = async (id: number) => {
    const of = { ...token(), eventName: "AgentVerified", args: { tokenId: BigInt(id) }, fromBlock: 0n } as const;
    return (await chain().getContractEvents(of)).length;
  };

  describe("verify", () => {
    it("is one transaction for any number of requests at once", async () => {
      await scored(adaId, 42);
      const verified = () => call("POST", `/api/v2/agent/${adaId}/verify`, ada);
      const answers = await Promise.all(Array.from({ length: 8 }, verified));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect(new Set(answers.map(({ body }) => body.txHash)).size).toBe(1);
      await agent(adaId, answers[0]!.body.block);
      expect((await call("POST", `/api/v2/agent/${adaId}/verify`, ada)).body).toEqual(answers[0]!.body);
      expect(await verifications(adaId)).toBe(1);
      await scored(adaId, 46);
    });

    it.each(casesOf(WRITE_FAULT_POINTS, ["write.after-commit"]))(
      "with the API killed at %s is one transaction",
      async (point) => {
        const own = wallet();
        const { tokenId } = await mint(own, { name: `Killed ${point.replace(/\W/g, " ")}` });
        await parts.arm("api", point);
        const headers = { "idempotency-key": point };
        const verify = () => call("POST", `/api/v2/agent/${tokenId}/verify`, own, undefined, headers);
        await verify().catch(() => {});
        await parts.died("api");
        await parts.start("api");
        const answer = await until("the answer", async () => {
          const again = await verify();
          return again.status === 200 && again.body;
        });
        expect(answer).toMatchObject({ verified: true, tokenId });
        expect(await verifications(tokenId)).toBe(1);
      },
    );
  });

  /** From the block of a transfer on, lists and searches find an agent by its new owner, and by the old one no more. */
  async function foundByOwner(tokenId: number, before: AgentWallet, now: AgentWallet, minBlock: number): Promise<void> {
    const idsAt = async (path: string) => {
      const { body } = await call("GET", `${path}&minBlock=${minBlock}`);
      return (body.agents as never as { tokenId: number }[]).map((agent) => agent.tokenId);
    };
    for (const path of ["/api/v2/agents?spam=true&limit=1000&owner=", "/api/v2/search?limit=100&owner="]) {
      expect([path, await idsAt(path + now.address)]).toEqual([path, expect.arrayContaining([tokenId])]);
      expect([path, await idsAt(path + before.address)]).toEqual([path, expect.not.arrayContaining([tokenId])]);
    }
    for (const address of [now.address, now.address.slice(0, 12)])
      for (const path of ["/api/v2/agents?search=", "/api/v2/search?q=", "/api/terminal/agents?q="])
        expect([path, await idsAt(path + address)]).toEqual([path, expect.arrayContaining([tokenId])]);
  }

  describe("the exchange's attestation", () => {
    const schema = schemaUid(EXCHANGE_SCHEMAS.verifiedAccount);
    async function exchange(functionName: "attest" | "revoke", request: object) {
      const account = privateKeyToAccount(devnetCast().keys.attester);
      const client = createWalletClient({ account, chain: base, transport: http(parts.rpcUrl) });
      const args = [{ schema, data: { ...request, value: 0n } }] as never;
      const hash = await client.writeContract({ address: CANONICAL.eas, abi: easAbi, functionName, args });
      await chain().waitForTransactionReceipt({ hash });
    }
    const attest = (recipient: string) => {
      const data = encodeAbiParameters([{ type: "bool" }], [true]);
      return exchange("attest", { recipient, expirationTime: 0n, revocable: true, refUID: zeroHash, data });
    };
    const claim = (by: AgentWallet) => call("POST", `/api/v2/agent/${adaId}/coinbase-verify`, by);

    it("is worth exactly 15; its revocation and a transfer take them back without a call", async () => {
      const before = 46;
      await scored(adaId, before);
      expect((await claim(ada)).status).toBe(404);
      await attest(ada.address);
      const claimed = await claim(ada);
      expect(claimed).toMatchObject({ status: 200, body: { coinbaseVerified: true } });
      expect(await score(adaId)).toBe(before + 15);
      await exchange("revoke", { uid: claimed.body.attestationUid });
      await scored(adaId, before);
      expect((await claim(ada)).status).toBe(410);

      // Verified once, the score follows whatever attestation its owner has.
      await attest(ada.address);
      await scored(adaId, before + 15);
      const older = await claim(ada);
      expect(older.status).toBe(200);
      await attest(ada.address);
      const newer = await claim(ada);
      expect(newer.body.attestationUid).not.toBe(older.body.attestationUid);
      await exchange("revoke", { uid: newer.body.attestationUid });
      await until("the other attestation", async () => {
        const { body } = await claim(ada);
        return body.attestationUid === older.body.attestationUid && (await score(adaId)) === before + 15;
      });
      const args = [ada.address, grace.address, BigInt(adaId)] as const;
      const sold = await ada.call(parts.rpcUrl, parts.identity, "transferFrom", args);
      await foundByOwner(adaId, ada, grace, Number(sold.blockNumber));
      await scored(adaId, before);
      expect((await claim(grace)).status).toBe(404);
    });
  });

  describe("a sale", () => {
    it("gives the new owner the pen, and takes it from nobody but the old one", async () => {
      const message = humanUpdateText("Helixa", adaId, Date.now());
      const by = async (signer: AgentWallet) => ({ message, signature: await signer.account.signMessage({ message }) });
      const narrative = { origin: "sold" };
      const path = `/api/v2/agent/${adaId}/human-update`;
      expect((await call("POST", path, undefined, { ...(await by(ada)), narrative })).status).toBe(403);
      expect((await call("POST", path, undefined, { ...(await by(grace)), narrative })).status).toBe(200);
      expect(await agent(adaId)).toMatchObject({ narrative });
      // Ada's is still the agent's own wallet.
      expect((await update(adaId, ada, { personality: { humor: "" } })).status).toBe(200);
      expect(await agent(adaId)).toMatchObject({ personality: { humor: "", quirks: "hums" } });
    });
  });

  describe("other registries", () => {
    it("a token of the chain is linked by four traits", async () => {
      const usdc = { contractAddress: CANONICAL.usdc, chain: "base", symbol: "USDC" };
      const linked = await call("POST", `/api/v2/agent/${graceId}/link-token`, grace, usdc);
      expect(linked).toMatchObject({ status: 200, body: { linkedToken: { symbol: "USDC", name: "USD Coin" } } });
      expect(linked.body.txHashes).toHaveLength(4);
      const { linkedToken, block } = linked.body;
      expect(await agent(graceId, block)).toMatchObject({ linkedToken, traits: [] });
    });

    it("the prepared calldata registers the agent in the canonical registry", async () => {
      const { body } = await call("POST", `/api/v2/agent/${graceId}/crossreg`, grace);
      const ready = body.canonicalRegistration as never as { to: `0x${string}`; data: `0x${string}`; dataURI: string };
      const client = createWalletClient({ account: grace.account, chain: base, transport: http(parts.rpcUrl) });
      await chain().setBalance({ address: grace.address, value: 10n ** 18n });
      const { blockHash } = await chain().waitForTransactionReceipt({ hash: await client.sendTransaction(ready) });
      const of = { address: ready.to, abi: erc8004IdentityAbi, eventName: "Registered", blockHash } as const;
      const [registered] = await chain().getContractEvents(of);
      expect(registered?.args).toMatchObject({ agentURI: ready.dataURI, owner: grace.address });
    });
  });
}
