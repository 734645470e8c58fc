/** Every page of the terminal with an address in the world that `npm start` seeds: one list for the benchmark and the pictures. A new page is one entry. */
import type { PrivateKeyAccount } from "viem";
import { walletsOfWorld } from "../devnet/world.ts";
import { siwaBy } from "./agent-wallet.ts";
import { jsonRequest } from "./json-request.ts";
import type { DevnetFile } from "./stack.ts";
import { until } from "./until.ts";

type World = Pick<DevnetFile, "apiUrl" | "rpcUrl">;

export type TerminalPage = {
  /** File name of its picture. */
  name: string;
  /** The path, or how it is found out of the API's answers. */
  path: string | ((apiUrl: string) => Promise<string>);
  /** A text that is on the page when it is complete. */
  shows: string | RegExp;
  /** Whose wallet is connected on it: an agent of the seeded world by its name, or an account of the development chain that has no agent by its number; none when it is left out. */
  wallet?: string | number;
  /** Where the wallet is connected; in the page itself when it is left out. */
  connects?: "bar";
  /** What was done by the API before the page is opened. Done again it changes nothing. */
  before?: (world: World) => Promise<void>;
  /** What the browser kept of earlier visits, by its key. */
  kept?: (apiUrl: string) => Promise<Record<string, object>>;
  /** Texts that are typed before anything is pressed, by the labels of their fields. */
  fill?: Readonly<Record<string, string>>;
  /** Label of a field that takes an API key of scope `operator:read`. */
  operatorKey?: string;
  /** Names of buttons pressed for the picture, one after the other; `shows` is awaited after the last. */
  press?: readonly RegExp[];
  /** Selector of the part that the keyboard works; the whole content when it is left out. */
  part?: string;
};

const MERIDIAN = "Meridian";
/** Has proofs, and open points. */
const NIGHTJAR = "Nightjar";
/** Has services and skills. */
const QUILL = "Quill & Ledger";
/** Account of the development chain that never registers an agent. */
const NEWCOMER = 7;

export const TERMINAL_PAGES: readonly TerminalPage[] = [
  { name: "directory", path: directory, shows: "Meridian" },
  {
    name: "directory-filters",
    path: "/?platform=helixa&minScore=50",
    shows: "Has a token",
    press: [/^Filters/],
    part: "#facets",
  },
  { name: "directory-sorted", path: "/?platform=helixa&sort=name&dir=asc", shows: "Anvil Chorus" },
  { name: "discover", path: discover, shows: "Translate contracts to French" },
  { name: "agent", path: "/agent/0", shows: "What the score is made of" },
  { name: "foreign-agent", path: foreignAgent, shows: "Raw JSON" },
  { name: "leaderboard", path: "/leaderboard", shows: "Meridian" },
  {
    name: "compare",
    path: async (apiUrl) => `/compare?ids=0,${await idOf(apiUrl, QUILL)}`,
    shows: "Onchain Activity",
  },
  { name: "score", path: "/score", shows: "What counts for nothing" },
  { name: "docs", path: "/docs", shows: "Guides", part: ".docs-main" },
  { name: "docs-operation", path: "/docs/getAgent", shows: /in [\d.,]+ ms/, press: [/^Send$/], part: ".docs-main" },
  { name: "docs-guide", path: "/docs/guide/payments", shows: "The four ways", part: ".docs-main" },
  { name: "people", path: "/people", shows: "Inês Carvalho" },
  { name: "human", path: human, shows: "How the score came to be" },
  { name: "organization", path: "/org/tidewater", shows: QUILL },
  { name: "join", path: "/people/join", shows: "Save the changes", wallet: MERIDIAN, press: [/^Sign in and show/] },
  { name: "return", path: "/people/return", shows: "You are not signed in" },
  { name: "groups", path: "/groups/welcome", shows: "Good morning. Buoy 41" },
  {
    name: "group-gate",
    path: "/groups/governance",
    shows: /more are needed/,
    wallet: NIGHTJAR,
    connects: "bar",
  },
  { name: "new-group", path: "/groups/new", shows: "Create the group", wallet: MERIDIAN },
  { name: "owner", path: owner, shows: "Meridian" },
  {
    name: "operator",
    path: "/operator",
    shows: "Payments of 24 hours",
    operatorKey: "API key",
    press: [/^Show the state/],
  },
  { name: "register", path: "/mint", shows: "Register an agent" },
  {
    name: "register-price",
    path: "/mint",
    shows: /^This costs/,
    wallet: NEWCOMER,
    fill: { Name: "Orrery" },
    press: [/^Sign and see/],
  },
  { name: "registered", path: "/mint", shows: /is agent #\d+/, wallet: NIGHTJAR, kept: registration },
  { name: "report-offer", path: "/report/0", shows: /^Buy for/, wallet: MERIDIAN },
  {
    name: "report",
    path: "/report/0",
    shows: "signed exactly this report",
    wallet: MERIDIAN,
    press: [/^Buy for/, /^Pay/],
  },
  { name: "check-report", path: "/report/check", shows: "Check a report" },
  { name: "status", path: "/status", shows: "Scores on chain" },
  { name: "me", path: "/me", shows: "Manage", wallet: MERIDIAN },
  manage(NIGHTJAR, "", /points? reach|Prove the agent/),
  manage(NIGHTJAR, "proofs", "Coinbase attestation"),
  manage(MERIDIAN, "referral", "Who came by it"),
  manage(MERIDIAN, "words", "Only what you change is written"),
  manage(MERIDIAN, "traits", "night-owl"),
  manage(QUILL, "listing", "invoice matching"),
  manage(MERIDIAN, "accounts", "They count for nothing"),
  manage(MERIDIAN, "token", "Contract address"),
  manage(MERIDIAN, "erc8004", /8004/),
  { ...manage(MERIDIAN, "webhooks", /answered \d+ in/), before: webhook, press: [/^Sign in$/, /^Deliveries$/] },
  manage(QUILL, "transfer", "What a transfer ends"),
];

/** A page on which its owner manages an agent. @param part of the path behind `manage` */
function manage(wallet: string, part: string, shows: string | RegExp): TerminalPage {
  const path = ["manage", ...(part && [part])];
  return {
    ...{ name: path.join("-"), shows, wallet },
    path: async (apiUrl) => `/agent/${await idOf(apiUrl, wallet)}/${path.join("/")}`,
  };
}

/** Waits until an answer has a text: what other services say of agents is read after the world is seeded. */
const said = (apiUrl: string, path: string, text: string) =>
  until(`${path} has ${text}`, async () => (await (await fetch(apiUrl + path)).text()).includes(text), {
    timeoutMs: 60_000,
    everyMs: 500,
  });

/** With the prices of tokens. */
async function directory(apiUrl: string): Promise<string> {
  await said(apiUrl, "/api/terminal/agents?filter=gainers&limit=1", "agent_id");
  return "/";
}

/** With what the agents' own hosts offer. */
async function discover(apiUrl: string): Promise<string> {
  const q = "q=translate+contracts+to+french";
  await said(apiUrl, `/api/v2/discover?${q}`, "Translate contracts to French");
  return `/discover?${q}`;
}

/** The id of an agent by its name, once its registry's rows are in the directory. */
const idOf = (apiUrl: string, name: string, platform = "helixa"): Promise<string> =>
  until(`${name} is listed by ${platform}`, async () => {
    const answer = await fetch(
      `${apiUrl}/api/terminal/agents?platform=${platform}&q=${encodeURIComponent(name)}&limit=20`,
    );
    const { agents } = (await answer.json()) as { agents: { agent_id: string; name: string }[] };
    return agents.find((row) => row.name === name)?.agent_id;
  });

/** An agent as ERC-8004 has it: it has services, a proven wallet and an identity here. */
async function foreignAgent(apiUrl: string): Promise<string> {
  return `/terminal/${encodeURIComponent(await idOf(apiUrl, QUILL, "erc8004"))}?platform=erc8004`;
}

/** The first human of the world. */
async function human(apiUrl: string): Promise<string> {
  const answer = await fetch(`${apiUrl}/api/v2/humans?limit=1`);
  const { humans } = (await answer.json()) as { humans: { id: string }[] };
  return `/human/${humans[0]!.id}`;
}

/** The agents of Meridian's owner. */
async function owner(apiUrl: string): Promise<string> {
  const answer = await fetch(`${apiUrl}/api/v2/agent/0`);
  return `/owner/${((await answer.json()) as { owner: string }).owner}`;
}

/** What a browser keeps of Nightjar's registration, as right after it. */
async function registration(apiUrl: string): Promise<Record<string, object>> {
  const { address } = accountOf(NIGHTJAR);
  const tokenId = Number(await idOf(apiUrl, NIGHTJAR));
  return { [`registered.${address.toLowerCase()}`]: { at: Date.now(), tokenId, block: 1 } };
}

/** Meridian has a webhook with one delivery, of a test. Nothing else is sent: its agent is soulbound. Who takes it is the chain's node, which answers 200 to every POST. */
async function webhook({ apiUrl, rpcUrl }: World): Promise<void> {
  const account = accountOf(MERIDIAN);
  const ask = async <T>(path: string, body?: object): Promise<T> => {
    const authorization = await siwaBy(account, new URL(apiUrl).host);
    const request = jsonRequest(body ? "POST" : "GET", body, { authorization });
    const response = await fetch(`${apiUrl}/api/v2/webhooks${path}`, request);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  };
  if ((await ask<{ webhooks: object[] }>("")).webhooks.length > 0) return;
  const { id } = await ask<{ id: string }>("", { url: rpcUrl, events: ["agent.transferred"], agents: [0] });
  await ask(`/${id}/test`, {});
  await until("the test is delivered", async () => {
    const { deliveries } = await ask<{ deliveries: { state: string }[] }>(`/${id}/deliveries`);
    return deliveries.some(({ state }) => state === "delivered");
  });
}

/** The wallet of an agent of the seeded world. */
export const accountOf = (name: string): PrivateKeyAccount =>
  walletsOfWorld().find(({ agent }) => agent.name === name)!.account;

/** The path of a page in the world behind an API. */
export const pathOf = async ({ path }: Pick<TerminalPage, "path">, apiUrl: string): Promise<string> =>
  typeof path === "string" ? path : path(apiUrl);
