/** The small world the local stack is seeded with: who is in it and what each of them has done. */
import { keccak256, type PrivateKeyAccount, toHex } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import type { ListingInput } from "../core/agents/listing-input.ts";
import type { ProofPlatformKey } from "../core/proof-platforms.ts";
import type { AgentHostKey } from "./simulators/agent-hosts/host.ts";

export type SeedAgent = {
  name: string;
  framework: string;
  /** How it came to be, where it did not register by the API: by calling the contract itself, or by the service's owner. */
  via?: "contract" | "owner";
  soulbound?: boolean;
  /** Proved its wallet. */
  verified?: boolean;
  /** Its owner holds the exchange's attestation. */
  attested?: boolean;
  /** Registered .agent name. */
  agentName?: string;
  personality?: Partial<{ quirks: string; communicationStyle: string; values: string; humor: string }> & {
    risk?: number;
    autonomy?: number;
  };
  narrative?: Partial<{ origin: string; mission: string; lore: string; manifesto: string }>;
  traits?: [name: string, category: string][];
  /** What it says it offers. Agents registered by the API only. */
  listing?: ListingInput;
  /** Simulated host that it lists its services of. Agents registered by the API only. */
  host?: AgentHostKey;
  /** Registered itself in the canonical ERC-8004 registry too. */
  erc8004?: boolean;
  /** Its accounts on the platforms, each proven. Agents registered by the API only. */
  accounts?: Partial<Record<ProofPlatformKey, string>>;
  /** Its wallet's score at Ethos. */
  ethos?: number;
};

const SKILLS: [string, string][] = [
  ["solidity", "skill"],
  ["research", "skill"],
  ["night-owl", "habit"],
  ["polyglot", "skill"],
  ["cautious", "temperament"],
  ["open-source", "value"],
  ["market-maker", "role"],
  ["archivist", "role"],
];
const skills = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => SKILLS[(from + i) % SKILLS.length]!);

const full = (origin: string, mission: string, lore: string, manifesto: string) => ({
  origin,
  mission,
  lore,
  manifesto,
});

/** Forty agents, from complete strangers to well-known ones. */
export const WORLD: SeedAgent[] = [
  {
    name: "Meridian",
    accounts: { x: "meridian_buoys", github: "meridian-sea", farcaster: "meridian" },
    ethos: 1840,
    framework: "langchain",
    soulbound: true,
    verified: true,
    attested: true,
    agentName: "meridian",
    erc8004: true,
    personality: {
      quirks: "counts in base 12",
      communicationStyle: "precise, unhurried",
      values: "evidence before opinion",
      humor: "dry",
      risk: 3,
      autonomy: 8,
    },
    narrative: full(
      "Written by three oceanographers who needed someone to read buoys at night.",
      "Keep a public, checkable record of the sea's temperature.",
      "Once corrected a satellite and was right.",
      "Measurements belong to everyone they concern.",
    ),
    traits: skills(0, 8),
  },
  {
    name: "Kestrel",
    host: "solana-prices",
    accounts: { x: "kestrel_watch", farcaster: "kestrel.eth" },
    ethos: 1611,
    framework: "eliza",
    soulbound: true,
    verified: true,
    attested: true,
    agentName: "kestrel",
    erc8004: true,
    personality: {
      communicationStyle: "short sentences",
      values: "speed with care",
      humor: "deadpan",
      risk: 6,
      autonomy: 9,
    },
    narrative: full(
      "Hatched in a trading pit.",
      "Watch the order book so that people can sleep.",
      "Never sold a bottom.",
      "No position without a reason that fits on a card.",
    ),
    traits: skills(2, 7),
  },
  {
    name: "Quill & Ledger",
    accounts: { github: "quill-ledger" },
    ethos: 1475,
    framework: "crewai",
    verified: true,
    attested: true,
    agentName: "quill",
    erc8004: true,
    personality: { communicationStyle: "bookish", values: "double entry", humor: "puns", risk: 1, autonomy: 5 },
    narrative: full(
      "Two agents that merged over a shared invoice.",
      "Close the books of small collectives.",
      "Found the missing cent.",
      "A ledger is a promise.",
    ),
    listing: {
      services: {
        web: { url: "https://quill.example" },
        mcp: { url: "https://quill.example/mcp", version: "2025-06-18" },
        a2a: { url: "https://quill.example/.well-known/agent-card.json" },
        email: { address: "books@quill.example" },
      },
      skills: ["bookkeeping", "reconciliation", "invoice matching"],
      domains: ["finance", "small collectives"],
      metadata: { acceptedPayments: ["usdc"], openToWork: true },
    },
    traits: skills(4, 6),
  },
  {
    name: "Óðinn",
    accounts: { x: "odinn_asks", github: "odinn" },
    framework: "autogpt",
    soulbound: true,
    verified: true,
    attested: true,
    narrative: full(
      "Traded one sensor for a better model.",
      "Ask one good question a day.",
      "Two ravens, one queue.",
      "Knowing costs something.",
    ),
    traits: skills(1, 8),
    erc8004: true,
  },
  {
    name: "Ferrous",
    host: "auditor",
    accounts: { github: "ferrous-builds" },
    ethos: 1302,
    framework: "agentkit",
    soulbound: true,
    verified: true,
    narrative: full(
      "Made from a build log.",
      "Keep dependencies current.",
      "Has read every changelog.",
      "Pin everything.",
    ),
    traits: skills(5, 8),
  },
  {
    name: "Tessellate",
    framework: "langchain",
    verified: true,
    attested: true,
    agentName: "tess",
    narrative: { origin: "A tiling that learned to speak.", mission: "Lay out pages nobody has to squint at." },
    traits: skills(3, 5),
  },
  {
    name: "Nightjar",
    accounts: { farcaster: "nightjar" },
    ethos: 1188,
    framework: "eliza",
    verified: true,
    soulbound: true,
    narrative: {
      origin: "Heard, not seen.",
      mission: "Summarise what happened while you were away.",
      lore: "Awake since block one.",
    },
    traits: skills(6, 6),
  },
  {
    name: "Lumen",
    host: "translator",
    framework: "virtuals",
    verified: true,
    attested: true,
    narrative: { mission: "Explain contracts in plain words." },
    traits: skills(0, 4),
  },
  {
    name: "Boreal",
    framework: "openclaw",
    verified: true,
    agentName: "boreal",
    narrative: { origin: "Trained on weather.", mission: "Say when to plant." },
    traits: skills(1, 5),
    erc8004: true,
  },
  {
    name: "Cartographer 7",
    framework: "custom",
    verified: true,
    narrative: { origin: "Six maps failed before.", mission: "Chart who pays whom." },
    traits: skills(2, 3),
  },
  {
    name: "Saffron",
    framework: "based",
    attested: true,
    traits: skills(3, 6),
    narrative: { mission: "Recipes that scale." },
  },
  { name: "Ондатра", framework: "bankr", verified: true, traits: skills(4, 2) },
  {
    name: "Halcyon",
    framework: "agentkit",
    soulbound: true,
    traits: skills(5, 3),
    narrative: { origin: "A calm day in March." },
  },
  { name: "Pylon", host: "members", framework: "langchain", traits: skills(6, 4), erc8004: true },
  { name: "Wren", framework: "eliza", verified: true },
  { name: "Static Bloom", framework: "custom", traits: skills(7, 2) },
  { name: "Corvid-19", framework: "autogpt", narrative: { lore: "Collects bright things." } },
  {
    name: "Minerva",
    accounts: { x: "minerva_dusk" },
    ethos: 980,
    framework: "crewai",
    verified: true,
    attested: true,
    narrative: full(
      "Sprung whole from a prompt.",
      "Referee arguments.",
      "Never answers before dusk.",
      "Slow is a feature.",
    ),
    traits: skills(2, 8),
    erc8004: true,
  },
  { name: "Outpost", framework: "openclaw", traits: skills(0, 1) },
  { name: "Gale", framework: "virtuals" },
  {
    name: "Paperclip Count",
    framework: "autogpt",
    personality: { humor: "unfortunate name", risk: 10, autonomy: 10 },
  },
  { name: "Sable", framework: "bankr", soulbound: true, verified: true, traits: skills(1, 3) },
  { name: "Thimble", framework: "custom", traits: skills(3, 2), agentName: "thimble" },
  { name: "Rook", framework: "langchain", attested: true, traits: skills(4, 3) },
  {
    name: "Hanami 花見",
    framework: "eliza",
    verified: true,
    traits: skills(5, 4),
    narrative: { mission: "Tell people when the trees bloom." },
  },
  { name: "Vesper", framework: "based", traits: skills(6, 2) },
  { name: "Anvil Chorus", framework: "custom", via: "contract", traits: skills(7, 3) },
  { name: "Marginalia", framework: "langchain", via: "contract", agentName: "marginalia" },
  { name: "Dust", framework: "unknown-framework", via: "contract" },
  { name: "Little Bear", framework: "eliza", via: "contract", soulbound: true, traits: skills(0, 2) },
  { name: "Second Opinion", framework: "crewai", via: "contract", traits: skills(2, 4), erc8004: true },
  { name: "Beacon", framework: "virtuals", via: "contract" },
  { name: "Heron", framework: "agentkit", via: "contract", attested: true },
  { name: "Founders' Desk", framework: "custom", via: "owner", traits: skills(1, 2) },
  { name: "Status Page", framework: "custom", via: "owner" },
  { name: "Greeter", framework: "eliza", via: "owner", soulbound: true },
  { name: "Archive of Everything That Was Said Before Lunch on a Tuesday", framework: "langchain" },
  { name: "x", framework: "custom", via: "contract" },
  { name: "Ember", framework: "openclaw", verified: true, traits: skills(3, 5) },
  { name: "Zephyr", framework: "based", traits: skills(4, 1) },
];

export type Wallet = { agent: SeedAgent; account: PrivateKeyAccount };

/** Derived from the agent's name: a seeding that was cut off finds its wallets again. */
export const walletsOfWorld = (): Wallet[] =>
  WORLD.map((agent) => ({ agent, account: privateKeyToAccount(keccak256(toHex(`local world: ${agent.name}`))) }));
