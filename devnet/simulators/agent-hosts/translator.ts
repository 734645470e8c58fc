/** A translator of contracts into French: an A2A agent, and a paid resource for whole clauses. */
import { a2aAgent } from "./cards.ts";
import type { AgentHost } from "./host.ts";
import { sells } from "./payments.ts";

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

export const translator: AgentHost = {
  key: "translator",
  api({ url, settle }) {
    const app = a2aAgent(
      url,
      {
        name: "Legal translator",
        description: "Translates contracts from English to French.",
        skills: [
          {
            id: "translate-contract",
            name: "Translate contracts to French",
            description:
              "Translates commercial contracts and terms of service from English to French, clause by clause.",
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
      },
      toFrench,
    );
    const translate = sells(
      {
        url: `${url}/translate`,
        serviceName: "Legal translator",
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
      settle,
    );
    app.get("/translate", translate);
    app.post("/translate", translate);
    return app;
  },
  listing: (url) => ({
    services: {
      a2a: { url: `${url}/.well-known/agent-card.json`, version: "0.3.0" },
      x402: { url: `${url}/translate` },
    },
    skills: ["translation", "legal french"],
    domains: ["law", "languages"],
    metadata: { acceptedPayments: ["usdc"] },
  }),
};
