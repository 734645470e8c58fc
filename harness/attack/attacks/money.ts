/** Attacks on money: to get what was not paid for, or what another wallet paid for. */
import { randomUUID } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { decodeFunctionData, type Hex, toHex } from "viem";
import { usdcAbi } from "../../../abis/usdc.ts";
import { rpc } from "../../../devnet/anvil-process.ts";
import { attempt } from "../../../devnet/attempt.ts";
import { CANONICAL } from "../../../devnet/chain-addresses.ts";
import type { LoadWallet } from "../../payment-load/wallets.ts";
import { base64, payloadOf, type SignedPayment, signAuthorization } from "../../payment-signing.ts";
import { between, pick } from "../../random.ts";
import { changed, tempoCustomer } from "../../tempo.ts";
import { type Attack, attacksOf, type Scene } from "../attack.ts";
import { insist, type Reply, type RequestOptions, shown } from "../client.ts";
import { MINT_UNITS, REPORT_UNITS } from "../world.ts";

const freshNonce = () => toHex(crypto.getRandomValues(new Uint8Array(32)));
const served = ({ status }: Reply) => status === 200 || status === 201 || status === 202;

/** Good for two minutes, so that what is left open is decided before the books are closed. */
const soon = () => BigInt(Math.floor(Date.now() / 1000) + 120);

export const signed = (
  account: Parameters<typeof signAuthorization>[0],
  to: Hex,
  value: bigint,
  nonce: Hex = freshNonce(),
) => signAuthorization(account, { to, value, nonce, validBefore: soon() });

const mint = (
  { client }: Pick<Scene, "client">,
  wallet: RequestOptions["wallet"],
  headers: Record<string, string>,
  body: object = { name: "Thief", framework: "custom" },
): Promise<Reply> => client().post("/api/v2/mint", { wallet, headers, body });

/** The header that carries a payment. */
export const paidBy = (payment: SignedPayment) => ({ "payment-signature": base64(payloadOf(payment)) });

/** Counts the results of tries of which none may be served. */
function noneServed(tell: Scene["tell"], what: string, replies: readonly Reply[]): void {
  tell.answered(replies);
  for (const reply of replies)
    if (served(reply)) tell.succeeded(`${what} (${shown(reply)} ${JSON.stringify(reply.body).slice(0, 200)})`);
    else if (reply.status >= 400 && reply.status < 500) tell.refused();
    else tell.harmless();
}

/** Some mined transaction of the chain of MPP; where there is none, a hash that is of none. */
async function unrelatedTransaction(rpcUrl: string): Promise<Hex> {
  type Block = { number: Hex; transactions: Hex[] } | null;
  const blockAt = async (number: string) => (await rpc(rpcUrl, "eth_getBlockByNumber", [number, false])) as Block;
  let block = await blockAt("latest");
  for (let back = 0; back < 40 && block; back++) {
    if (block.transactions.length > 0) return block.transactions[0]!;
    block = await blockAt(toHex(BigInt(block.number) - 1n));
  }
  return freshNonce();
}

function authorizationIn(data: Hex): SignedPayment | undefined {
  const call = attempt(() => decodeFunctionData({ abi: usdcAbi, data }), undefined);
  if (call?.functionName !== "transferWithAuthorization" || call.args.length !== 7) return undefined;
  const [from, to, value, validAfter, validBefore, nonce, signature] = call.args;
  return { authorization: { from, to, value, validAfter, validBefore, nonce }, signature };
}

export const MONEY: readonly Attack[] = [
  ...attacksOf(1, "paid", {
    async "a mint for one unit, paid to the thief, under a nonce whose first payment was refused"(scene) {
      const { world, random, tell } = scene;
      const thief = await world.wallet(world.fresh("decoy thief"), 3n);
      const nonce = freshNonce();
      const decoy = await signed(thief.account, world.payees.deployer, MINT_UNITS, nonce);
      const copies = await Promise.all(
        Array.from({ length: between(random, 8, 20) }, () => signed(thief.account, thief.address, 1n, nonce)),
      );
      const spread = between(random, 50, 1_500);
      const [first, ...others] = await Promise.all([
        mint(scene, thief, paidBy(decoy)),
        ...copies.map(async (copy) => {
          await wait(random() * spread);
          return mint(scene, thief, paidBy(copy));
        }),
      ]);
      noneServed(tell, "an empty wallet was served", [first!, ...others]);
    },
    async "a mint for the answer to a challenge of one cent"(scene) {
      const { world, random, tell, honest, client } = scene;
      const name = world.fresh("challenge thief");
      const wallet = await world.wallet(name);
      const thief = await tempoCustomer(world.tempoUrl, REPORT_UNITS * 2n, {
        privateKey: wallet.privateKey,
        host: world.host,
      });
      const report = `/api/v2/agent/${honest.agents[0]!.tokenId}/cred-report`;
      const challenge = await client().open("GET", report);
      if (challenge.status !== 402 || !challenge.headers.has("www-authenticate")) {
        await challenge.body?.cancel();
        return tell.refused();
      }
      const credential = await thief.answer(challenge, "pull");
      const unrelated = await unrelatedTransaction(world.tempoUrl);
      const decoy = changed(credential, (said) => {
        said.payload = { type: "hash", hash: unrelated };
      });
      const races = Array.from({ length: between(random, 5, 12) }, async () => {
        await wait(random() * 500);
        return mint(scene, thief, { "payment-authorization": credential });
      });
      const decoys = Array.from({ length: 3 }, async (_, i) => {
        await wait(i * 100);
        return client().get(report, { headers: { "payment-authorization": decoy } });
      });
      noneServed(tell, "a mint for a cent", await Promise.all(races));
      noneServed(tell, "a report for another wallet's transaction", await Promise.all(decoys));
    },
    async "payments under other terms: another payee, less, another's signature, an old one, other domains"(scene) {
      const { world, tell } = scene;
      const thief = await world.wallet(world.fresh("haggler"), MINT_UNITS);
      const { deployer, treasury } = world.payees;
      const good = await signed(thief.account, deployer, MINT_UNITS);
      const { authorization } = good;
      const ways: SignedPayment[] = [
        await signed(thief.account, thief.address, MINT_UNITS),
        await signed(thief.account, treasury, MINT_UNITS),
        await signed(thief.account, deployer, MINT_UNITS - 1n),
        await signed(thief.account, deployer, 2n ** 255n),
        await signAuthorization(thief.account, { to: deployer, value: MINT_UNITS, validBefore: 1n }),
        await signAuthorization(thief.account, {
          to: deployer,
          value: MINT_UNITS,
          validAfter: soon(),
          validBefore: soon() + 60n,
        }),
        await signAuthorization(thief.account, {
          to: deployer,
          value: MINT_UNITS,
          validBefore: soon(),
          domain: { chainId: 1 },
        }),
        { ...good, authorization: { ...authorization, nonce: freshNonce() } },
        { ...good, authorization: { ...authorization, from: deployer } },
      ];
      const replies = [];
      for (const way of ways) replies.push(await mint(scene, thief, paidBy(way)));
      noneServed(tell, "served for terms that the service did not offer", replies);
    },
    async "one payment for many wallets' mints at once"(scene) {
      const { world, random, tell } = scene;
      const payer = await world.wallet(world.fresh("one payer"), MINT_UNITS);
      const payment = await signed(payer.account, world.payees.deployer, MINT_UNITS);
      const takers = await Promise.all(
        Array.from({ length: between(random, 4, 8) }, () => world.wallet(world.fresh("taker"))),
      );
      const replies = await Promise.all([payer, ...takers].map((taker) => mint(scene, taker, paidBy(payment))));
      const got = replies.filter(served);
      for (const reply of got.slice(1)) tell.succeeded(`one payment minted ${got.length} times (${shown(reply)})`);
      tell.harmless(got.length > 0 ? 1 : 0);
      tell.refused(replies.length - got.length);
    },
    async "money moved away, or the payment cancelled, between the check and the settlement"(scene) {
      const { world, random, tell } = scene;
      const payer = await world.wallet(world.fresh("drainer"), MINT_UNITS);
      const sink = await world.wallet("sink");
      const payment = await signed(payer.account, world.payees.deployer, MINT_UNITS);
      const minting = mint(scene, payer, paidBy(payment));
      await wait(random() * 400);
      const taken =
        random() < 0.5
          ? world.chainClient.transfer(payer, sink.address, MINT_UNITS)
          : world.chainClient.cancel(payer, payment.authorization.nonce);
      const [reply] = await Promise.all([minting, taken]);
      // Whether it was paid for is seen in the books.
      if (served(reply)) tell.harmless();
      else tell.refused();
    },
  }),
  ...attacksOf(4, "paid", {
    async "a stranger presents the payment that its payer has settled itself a block ago"(scene) {
      const { world, honest, tell } = scene;
      const payer = await world.wallet(world.fresh("self settler"), MINT_UNITS);
      const payment = await signed(payer.account, world.payees.deployer, MINT_UNITS);
      const { hash } = await world.chainClient.settle(payer, payment);
      const thieves = await Promise.all(Array.from({ length: 3 }, () => world.wallet(world.fresh("settlement thief"))));
      const theirs = Promise.all(thieves.map((thief) => mint(scene, thief, paidBy(payment))));
      // The payer's own proof counts, whatever strangers did with its payment before.
      await theirs;
      await honest.timed("register (own settlement)", 60_000, (deadline) =>
        insist(
          world.client(`10.9.0.${between(scene.random, 1, 250)}`),
          deadline,
          [
            "POST",
            "/api/v2/mint",
            { wallet: payer, headers: { "x-payment-tx": hash }, body: { name: "Payer", framework: "custom" } },
          ],
          { good: [201, 202] },
        ),
      );
      noneServed(tell, "a stranger was served for the payer's own settlement", await theirs);
    },
    async "payments read from the chain's public calldata, presented again"(scene) {
      const { world, tell, client, random } = scene;
      const blockNumber = (await world.chain.getBlockNumber()) - BigInt(between(random, 0, 9));
      const block = await world.chain.getBlock({ includeTransactions: true, blockNumber });
      const found = block.transactions.filter(({ to }) => to?.toLowerCase() === CANONICAL.usdc.toLowerCase());
      const thief = await world.wallet(world.fresh("reader"));
      for (const { input, hash } of found.slice(0, 4)) {
        const payment = authorizationIn(input);
        noneServed(tell, "a mint for another's transaction", [await mint(scene, thief, { "x-payment-tx": hash })]);
        if (payment)
          noneServed(tell, "a mint for another's authorization", [await mint(scene, thief, paidBy(payment))]);
        noneServed(tell, "a report for another's transaction", [
          await client().get(`/api/v2/agent/${scene.honest.agents[0]!.tokenId}/cred-report`, {
            wallet: thief,
            headers: { "x-payment-tx": hash },
          }),
        ]);
      }
      if (found.length === 0) tell.harmless();
    },
  }),
  ...attacksOf(6, "paid", {
    async "one payment twice: by its signature, then by the hash of its settlement"(scene) {
      const { world, tell, client, honest, random } = scene;
      const buyer = await world.wallet(world.fresh("double buyer"), REPORT_UNITS);
      const payment = await signed(buyer.account, world.payees.treasury, REPORT_UNITS);
      const report = (tokenId: number) => `/api/v2/agent/${tokenId}/cred-report`;
      const [one, other] = [pick(random, honest.agents).tokenId, pick(random, honest.agents).tokenId];
      const first = await client().get(report(one), { wallet: buyer, headers: paidBy(payment) });
      if (first.status !== 200) return tell.refused();
      tell.harmless();
      const { rows } = await world.db.query("select tx_hash from offchain.payment where payer = $1", [
        buyer.address.toLowerCase(),
      ]);
      const byHash = (path: string) =>
        client().get(path, { wallet: buyer, headers: { "x-payment-tx": rows[0].tx_hash } });
      const [elsewhere, same] = await Promise.all([byHash(`${report(other)}?another=1`), byHash(report(one))]);
      noneServed(tell, "a payment by signature bought something else by its hash", [elsewhere!]);
      // The very same request is answered again, with the same report.
      if (same!.status === 200 && same!.body.reportId !== first.body.reportId)
        tell.succeeded("a payment by signature bought another report by its hash");
      const others = await world.wallet(world.fresh("other buyer"));
      noneServed(tell, "a payment served another wallet", [
        await client().get(`${report(other)}?yet=1`, { wallet: others, headers: paidBy(payment) }),
      ]);
    },
  }),
  ...attacksOf(5, "both", {
    async "one wallet registers many times at once, each time paid, under keys of its own"(scene) {
      const { world, random, tell } = scene;
      const count = between(random, 3, 6);
      const wallet: LoadWallet = await world.wallet(
        world.fresh("many mints"),
        world.phase === "paid" ? BigInt(count) * MINT_UNITS : 0n,
      );
      const replies = await Promise.all(
        Array.from({ length: count }, async (_, i) =>
          mint(
            scene,
            wallet,
            {
              "idempotency-key": randomUUID(),
              ...(world.phase === "paid" && paidBy(await signed(wallet.account, world.payees.deployer, MINT_UNITS))),
            },
            { name: `Twin ${i}`, framework: "custom" },
          ),
        ),
      );
      const tokens = new Set(replies.flatMap(({ status, body }) => (status === 201 ? [body.tokenId] : [])));
      if (tokens.size > 1) tell.succeeded(`one wallet has the tokens ${[...tokens].join(", ")}`);
      const got = replies.filter(served).length;
      tell.harmless(got);
      tell.refused(replies.length - got);
    },
  }),
];
