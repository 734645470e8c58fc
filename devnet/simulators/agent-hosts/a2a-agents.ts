/** Two A2A agents that also sell: a translator of contracts into French, and an auditor of Solidity. */
import { type Context, Hono } from "hono";
import type { ListingInput } from "../../../core/agents/listing-input.ts";
import { page } from "../registries/registry.ts";
import { reply } from "../simulator.ts";
import type { AgentHost, AgentHostKey } from "./host.ts";
import { type PaidResource, sells } from "./payments.ts";

type Skill = { id: string; name: string; description: string; tags: string[]; examples: string[] };
type A2aHost = {
  key: AgentHostKey;
  name: string;
  description: string;
  /** Of its card. */
  skills: Skill[];
  answer(text: string): string;
  /** What it sells too, and the path of that. */
  sold: Omit<PaidResource, "url" | "serviceName"> & { path: string };
  /** What its agent lists, beside its services. */
  lists: ListingInput;
};

/** The host of an A2A agent that also sells: its card with an ETag, `message/send` over JSON-RPC at `/a2a`, and a paid resource. */
const a2aHost = ({ key, name, description, skills, answer, sold: { path, ...sold }, lists }: A2aHost): AgentHost => ({
  key,
  api({ url, settle }) {
    const card = {
      protocolVersion: "0.3.0",
      name,
      description,
      url: `${url}/a2a`,
      preferredTransport: "JSONRPC",
      version: "1.0.0",
      capabilities: { streaming: false },
      defaultInputModes: ["text/plain"],
      defaultOutputModes: ["text/plain"],
      skills,
    };
    const app = new Hono();
    app.get("/.well-known/agent-card.json", (c) => page(c, card));
    app.post("/a2a", async (c: Context) => {
      const { id = null, method, params } = await c.req.json();
      if (method !== "message/send")
        return reply({ jsonrpc: "2.0", id, error: { code: -32601, message: "no such method" } });
      const parts = (params?.message?.parts ?? []) as { text?: string }[];
      const text = answer(parts.map((part) => part.text ?? "").join("\n"));
      return reply({
        jsonrpc: "2.0",
        id,
        result: { kind: "message", role: "agent", messageId: crypto.randomUUID(), parts: [{ kind: "text", text }] },
      });
    });
    app.on(["GET", "POST"], path, sells({ ...sold, url: `${url}${path}`, serviceName: name }, settle));
    return app;
  },
  listing: (url) => ({
    services: {
      a2a: { url: `${url}/.well-known/agent-card.json`, version: "0.3.0" },
      x402: { url: `${url}${path}` },
    },
    ...lists,
    metadata: { acceptedPayments: ["usdc"] },
  }),
});

/** The terms it knows, longest first where one contains another. */
const TERMS: readonly [RegExp, string][] = [
  [/\bthis agreement\b/gi, "le présent contrat"],
  [/\bgoverning law\b/gi, "droit applicable"],
  [/\bterms and conditions\b/gi, "conditions générales"],
  [/\bshall be governed by\b/gi, "est régi par"],
  [/\bforce majeure\b/gi, "force majeure"],
  [/\bintellectual property\b/gi, "propriété intellectuelle"],
  [/\bthe parties\b/gi, "les parties"],
  [/\bthe seller\b/gi, "le vendeur"],
  [/\bthe buyer\b/gi, "l'acheteur"],
  [/\bshall pay\b/gi, "paiera"],
  [/\bwithin (\d+) days\b/gi, "dans un délai de $1 jours"],
  [/\bagreement\b/gi, "contrat"],
  [/\bcontract\b/gi, "contrat"],
  [/\bprice\b/gi, "prix"],
  [/\band\b/gi, "et"],
  [/\bthe\b/gi, "le"],
];

const toFrench = (text: string) => TERMS.reduce((done, [english, french]) => done.replace(english, french), text);

export const translator = a2aHost({
  key: "translator",
  name: "Legal translator",
  description: "Translates contracts from English to French.",
  skills: [
    {
      id: "translate-contract",
      name: "Translate contracts to French",
      description: "Translates commercial contracts and terms of service from English to French, clause by clause.",
      tags: ["translation", "french", "legal", "contracts"],
      examples: ["Translate: The buyer shall pay within 30 days."],
    },
    {
      id: "explain-clause",
      name: "Explain a clause",
      description: "Says in plain words what a clause of a contract obliges each party to.",
      tags: ["legal", "plain language"],
      examples: ["What does the clause on force majeure mean?"],
    },
  ],
  answer: toFrench,
  sold: {
    path: "/translate",
    description: "Translates a clause of a contract from English to French.",
    units: 20_000,
    input: {
      type: "object",
      properties: { text: { type: "string", description: "The clause in English" } },
      required: ["text"],
    },
    example: { text: "The buyer shall pay the price within 30 days." },
    run: ({ text }) => (text ? { language: "fr", text: toFrench(text) } : "Send the clause as `text`."),
  },
  lists: { skills: ["translation", "legal french"], domains: ["law", "languages"] },
});

const WEAKNESSES: readonly { id: string; severity: "high" | "medium" | "low"; pattern: RegExp; says: string }[] = [
  { id: "tx-origin", severity: "high", pattern: /\btx\.origin\b/, says: "tx.origin decides who may call." },
  { id: "selfdestruct", severity: "high", pattern: /\bselfdestruct\s*\(/, says: "The contract can be destroyed." },
  { id: "delegatecall", severity: "high", pattern: /\.delegatecall\s*[({]/, says: "Foreign code runs on its storage." },
  {
    id: "call-before-write",
    severity: "high",
    pattern: /\.call\{value:[^}]*\}[\s\S]{0,200}?\b\w+\[[^\]]+\]\s*(?:-=|=)/,
    says: "Ether is sent before the balance is written: the receiver can enter again.",
  },
  {
    id: "floating-pragma",
    severity: "low",
    pattern: /pragma solidity\s*\^/,
    says: "The compiler's version is not fixed.",
  },
  { id: "timestamp", severity: "low", pattern: /\bblock\.timestamp\b/, says: "The block's producer chooses the time." },
];

function audit(source: string) {
  const lineOf = (at: number) => source.slice(0, at).split("\n").length;
  const findings = WEAKNESSES.flatMap(({ pattern, ...weakness }) => {
    const at = source.search(pattern);
    return at < 0 ? [] : [{ ...weakness, line: lineOf(at) }];
  });
  return { lines: source.split("\n").length, findings };
}

export const auditor = a2aHost({
  key: "auditor",
  name: "Solidity auditor",
  description: "Audits smart contracts written in Solidity.",
  skills: [
    {
      id: "audit-solidity",
      name: "Audit Solidity",
      description: "Searches the source of a smart contract for reentrancy, tx.origin, delegatecall and more.",
      tags: ["solidity", "security", "audit", "smart contracts"],
      examples: ["Audit this contract: pragma solidity ^0.8.0; …"],
    },
  ],
  answer: (text) => JSON.stringify(audit(text)),
  sold: {
    path: "/audit",
    description: "Audits a smart contract in Solidity: findings with severity and line.",
    units: 40_000,
    input: {
      type: "object",
      properties: { source: { type: "string", description: "Source of the contract" } },
      required: ["source"],
    },
    example: {
      source: "pragma solidity ^0.8.0; contract A { function f() public { require(tx.origin == address(1)); } }",
    },
    run: ({ source }) => (source ? audit(source) : "Send the contract as `source`."),
  },
  lists: { skills: ["solidity", "security audit"], domains: ["smart contracts"] },
});
