/** Seeds what agents do with each other on the chain: reviews and validations; jobs in the contract of ERC-8183, done, refused, under way, and one that an agent ordered of itself; payments as x402 makes them. */
import { keccak256, type PrivateKeyAccount, parseEther, parseUnits, toHex, zeroAddress, zeroHash } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { agentCommerceAbi } from "../abis/agent-commerce.ts";
import { erc8004ReputationAbi, erc8004ValidationAbi } from "../abis/erc8004.ts";
import { usdcAbi } from "../abis/usdc.ts";
import { authorizationDigest, transferData } from "../core/payments/authorization.ts";
import { type ContractCall, callOf } from "./contract-call.ts";
import type { ByName } from "./seed-accounts.ts";
import type { Seeding } from "./seed-chain.ts";

/** The names are agents'. Without an evaluator the client evaluates. `until`: how far it comes. */
type SeedJob = {
  client: string;
  provider: string;
  evaluator?: string;
  usdc: string;
  until: "fund" | "submit" | "complete" | "reject";
};

const JOBS: SeedJob[] = [
  { client: "Quill & Ledger", provider: "Meridian", evaluator: "Kestrel", usdc: "2.5", until: "complete" },
  { client: "Tessellate", provider: "Meridian", usdc: "1.25", until: "complete" },
  { client: "Quill & Ledger", provider: "Meridian", evaluator: "Kestrel", usdc: "0.75", until: "reject" },
  { client: "Tessellate", provider: "Meridian", usdc: "3", until: "submit" },
  { client: "Meridian", provider: "Meridian", usdc: "5", until: "complete" },
  { client: "Nightjar", provider: "Kestrel", usdc: "0.5", until: "complete" },
  { client: "Nightjar", provider: "Kestrel", usdc: "0.5", until: "fund" },
];

const LASTS_SECONDS = 30n * 86_400n;
/** As the contract numbers them. */
const [OPEN, FUNDED, SUBMITTED] = [0, 1, 2];

type Known = {
  seed: SeedJob;
  description: string;
  units: bigint;
  client: PrivateKeyAccount;
  provider: PrivateKeyAccount;
  evaluator: PrivateKeyAccount;
};

/** Brings every job as far as it is to come, each step of all of them at once. Done again it goes on. */
export async function seedJobs({ chain, sendAll, devnet }: Seeding, { accountOf }: ByName): Promise<void> {
  const { agentCommerce: to, usdc } = devnet.contracts;
  const contract = { address: to, abi: agentCommerceAbi } as const;
  const known = JOBS.flatMap((seed, i): Known[] => {
    const [client, provider] = [accountOf(seed.client), accountOf(seed.provider)];
    const evaluator = accountOf(seed.evaluator ?? seed.client);
    const description = `local world: job ${i + 1}`;
    return client && provider && evaluator
      ? [{ seed, description, units: parseUnits(seed.usdc, 6), client, provider, evaluator }]
      : [];
  });
  /** Number and status of each by its description. */
  const jobs = async () => {
    const count = Number(await chain.readContract({ ...contract, functionName: "jobCounter" }));
    const numbers = Array.from({ length: count }, (_, i) => BigInt(i + 1));
    const jobs = await Promise.all(
      numbers.map((id) => chain.readContract({ ...contract, functionName: "getJob", args: [id] })),
    );
    return new Map(jobs.map(({ id, status, description }) => [description, { id, status }]));
  };
  const step = async (by: (job: Known) => PrivateKeyAccount, calls: (job: Known) => ContractCall[]) => {
    const groups = Map.groupBy(known, by);
    await Promise.all([...groups].map(([account, own]) => sendAll(account, own.flatMap(calls))));
  };

  const before = await jobs();
  const expires = (await chain.getBlock()).timestamp + LASTS_SECONDS;
  await step(
    ({ client }) => client,
    ({ description, provider, evaluator }) => {
      if (before.has(description)) return [];
      const args = [provider.address, evaluator.address, expires, description, zeroAddress] as const;
      return [callOf(to, agentCommerceAbi, "createJob", args)];
    },
  );
  const numbered = await jobs();
  /** The calls for a job in a status that is to come further. */
  const from =
    (all: Awaited<ReturnType<typeof jobs>>, status: number, of: (id: bigint, job: Known) => ContractCall[]) =>
    (job: Known): ContractCall[] => {
      const found = all.get(job.description);
      return found?.status === status ? of(found.id, job) : [];
    };
  const paying = from(numbered, OPEN!, (id, { units }) => [
    callOf(to, agentCommerceAbi, "setBudget", [id, units, "0x"]),
    callOf(usdc, usdcAbi, "approve", [to, units]),
    callOf(to, agentCommerceAbi, "fund", [id, units, "0x"]),
  ]);
  await step(({ client }) => client, paying);
  const working = from(await jobs(), FUNDED!, (id, { seed }) =>
    seed.until === "fund" ? [] : [callOf(to, agentCommerceAbi, "submit", [id, zeroHash, "0x"])],
  );
  await step(({ provider }) => provider, working);
  const judging = from(await jobs(), SUBMITTED!, (id, { seed: { until } }) =>
    until === "complete" || until === "reject" ? [callOf(to, agentCommerceAbi, until, [id, zeroHash, "0x"])] : [],
  );
  await step(({ evaluator }) => evaluator, judging);
}

/** The names are agents'. Meridian has two customers, and paid itself; Kestrel has one. */
const PAYMENTS: { payer: string; to: string; usdc: string }[] = [
  { payer: "Quill & Ledger", to: "Meridian", usdc: "0.25" },
  { payer: "Quill & Ledger", to: "Meridian", usdc: "0.1" },
  { payer: "Tessellate", to: "Meridian", usdc: "0.5" },
  { payer: "Meridian", to: "Meridian", usdc: "2" },
  { payer: "Nightjar", to: "Kestrel", usdc: "0.05" },
];

const VALID_SECONDS = 3_600n;

/** Makes the payments that are not made yet. Done again it changes nothing. */
export async function seedPayments({ chain, sendAll, devnet }: Seeding, { accountOf }: ByName): Promise<void> {
  const { usdc } = devnet.contracts;
  const token = { address: usdc, abi: usdcAbi } as const;
  const validBefore = (await chain.getBlock()).timestamp + VALID_SECONDS;
  const payments = PAYMENTS.flatMap(({ payer, to, ...of }, i) => {
    const [from, recipient] = [accountOf(payer), accountOf(to)?.address];
    return from && recipient
      ? [{ from, to: recipient, ...of, nonce: keccak256(toHex(`local world: payment ${i + 1}`)) }]
      : [];
  });
  const callOf = async ({ from, to, usdc: amount, nonce }: (typeof payments)[number]) => {
    const args = [from.address, nonce] as const;
    if (await chain.readContract({ ...token, functionName: "authorizationState", args })) return [];
    const message = { from: from.address, to, value: parseUnits(amount, 6), validAfter: 0n, validBefore, nonce };
    const domain = { name: "USD Coin", version: "2", chainId: devnet.chainId, verifyingContract: usdc };
    const signature = await from.sign({ hash: authorizationDigest(message, domain) });
    return [{ to: usdc, data: transferData(message, signature) }];
  };
  await Promise.all(
    [...Map.groupBy(payments, ({ from }) => from)].map(async ([from, own]) =>
      sendAll(from, (await Promise.all(own.map(callOf))).flat()),
    ),
  );
}

/** `from`: the name of an agent; without one it is the stranger. `times`: how often it says the same. */
type SeedReview = { from?: string; about: string; value: number; tag: string; times?: number };

const REVIEWS: SeedReview[] = [
  { from: "Quill & Ledger", about: "Meridian", value: 92, tag: "starred" },
  { from: "Tessellate", about: "Meridian", value: 80, tag: "starred" },
  { from: "Tessellate", about: "Meridian", value: 99, tag: "uptime" },
  { about: "Meridian", value: 340, tag: "responseTime" },
  { about: "Kestrel", value: 100, tag: "starred", times: 12 },
  { from: "Nightjar", about: "Kestrel", value: 15, tag: "starred" },
];

const STRANGER = privateKeyToAccount(keccak256(toHex("local world: a wallet that nobody knows")));
const ETH_OF_STRANGER = parseEther("1");

/** Gives the reviews that are not there yet. Done again it changes nothing. */
export async function seedReviews({ chain, sendAll, devnet }: Seeding, { accountOf, idOf }: ByName): Promise<void> {
  const registry = { address: devnet.contracts.erc8004Reputation, abi: erc8004ReputationAbi } as const;
  await chain.setBalance({ address: STRANGER.address, value: ETH_OF_STRANGER });
  const giving = async (client: PrivateKeyAccount, reviews: readonly SeedReview[]) => {
    const calls: ContractCall[] = [];
    for (const about of new Set(reviews.map((review) => review.about))) {
      const agentId = idOf(about);
      if (agentId === undefined) continue;
      const args = [agentId, client.address] as const;
      if ((await chain.readContract({ ...registry, functionName: "getLastIndex", args })) > 0n) continue;
      for (const { value, tag, times = 1 } of reviews.filter((review) => review.about === about)) {
        const said = [agentId, BigInt(value), 0, tag, "", "", "", zeroHash] as const;
        calls.push(...Array(times).fill(callOf(registry.address, registry.abi, "giveFeedback", said)));
      }
    }
    await sendAll(client, calls);
  };
  await Promise.all(
    [...Map.groupBy(REVIEWS, ({ from }) => from)].map(([name, own]) => {
      const client = name === undefined ? STRANGER : accountOf(name);
      return client && giving(client, own);
    }),
  );
}

/** `by`: the name of the validator; the names are agents'. */
const VALIDATIONS = [
  { of: "Meridian", by: "Quill & Ledger", answer: { response: 95, tag: "audit" } },
  { of: "Meridian", by: "Tessellate", answer: null },
];

/** Asks for the validations that are not there yet, and answers them. Done again it changes nothing. */
export async function seedValidations({ chain, sendAll, devnet }: Seeding, { accountOf, idOf }: ByName): Promise<void> {
  const registry = { address: devnet.contracts.erc8004Validation, abi: erc8004ValidationAbi } as const;
  for (const { of, by, answer } of VALIDATIONS) {
    const [owner, validator, agentId] = [accountOf(of), accountOf(by), idOf(of)];
    if (!owner || !validator || agentId === undefined) continue;
    const hash = keccak256(toHex(`local world: ${by} validates ${of}`));
    const status = { ...registry, functionName: "getValidationStatus", args: [hash] } as const;
    const isKnown = await chain.readContract(status).catch(() => null);
    if (isKnown) continue;
    const { address, abi } = registry;
    await sendAll(owner, [callOf(address, abi, "validationRequest", [validator.address, agentId, "", hash])]);
    if (answer === null) continue;
    const said = [hash, answer.response, "", zeroHash, answer.tag] as const;
    await sendAll(validator, [callOf(address, abi, "validationResponse", said)]);
  }
}
