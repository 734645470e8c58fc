/** Clients of the Agent2Agent protocol, in both of its versions. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { Client, Load } from "../client.ts";
import type { World } from "../world.ts";

/** Tools that a plain sentence can ask for, each with one and what shows that it was understood. */
const asked = (world: World): [text: string, shows: RegExp][] => [
  [`Who is agent ${world.agent}?`, new RegExp(`"tokenId":${world.agent}\\b`)],
  [`How far can I trust agent ${world.agent}?`, /"credScore":\d+|"score":\d+/],
  ["Which ten agents have the best cred?", /"tokenId":/],
];

/** Asks in words by `ask`, which gives the answer's text. */
async function asksInWords(world: World, ask: (text: string) => Promise<string>): Promise<string> {
  const questions = asked(world);
  for (const [text, shows] of questions) assert.match(await ask(text), shows, text);
  return `read the card, asked ${questions.length} questions in plain words`;
}

/** Checks the card as the SDK of version 1.0 reads it, with the key that the card itself names. */
async function checksSignature(world: World, load: Load): Promise<string> {
  type Verify = (card: object) => Promise<void>;
  type KeyOf = (kid: string, jku: string) => Promise<object>;
  const { verifyAgentCardSignature } = await load<{ verifyAgentCardSignature: (keyOf: KeyOf) => Verify }>(
    "@a2a-js/sdk",
  );
  const card = (await (await fetch(`${world.apiUrl}/.well-known/agent-card.json`)).json()) as { name: string };
  const asked: string[] = [];
  const verify = verifyAgentCardSignature(async (kid, jku) => {
    asked.push(jku);
    const { keys } = (await (await fetch(jku)).json()) as { keys: { kid: string }[] };
    return keys.find((key) => key.kid === kid)!;
  });
  await verify(card);
  await assert.rejects(verify({ ...card, name: "Another" }));
  return `found the card's signature to hold by the key at ${new URL(asked[0]!).pathname}, and no changed card's`;
}

type Factory = { ClientFactory: new () => { createFromUrl(url: string): Promise<A2a> } };
type A2a = { sendMessage(params: object): Promise<unknown> };

export const A2A_CLIENTS: Client[] = [
  {
    name: "a2a-js",
    package: "@a2a-js/sdk",
    alias: "a2a-js-0.3",
    async run(world, load) {
      const { ClientFactory } = await load<Factory>("a2a-js-0.3/client");
      const client = await new ClientFactory().createFromUrl(world.apiUrl);
      return asksInWords(world, async (text) => {
        const message = { kind: "message", messageId: randomUUID(), role: "user", parts: [{ kind: "text", text }] };
        return JSON.stringify(await client.sendMessage({ message }));
      });
    },
  },
  {
    name: "a2a-js",
    package: "@a2a-js/sdk",
    async run(world, load) {
      const { ClientFactory } = await load<Factory>("@a2a-js/sdk/client");
      const { Role } = await load<{ Role: { ROLE_USER: number } }>("@a2a-js/sdk");
      const client = await new ClientFactory().createFromUrl(world.apiUrl);
      return asksInWords(world, async (text) => {
        const part = { content: { $case: "text", value: text }, filename: "", mediaType: "text/plain" };
        const message = {
          ...{ messageId: randomUUID(), contextId: "", taskId: "", role: Role.ROLE_USER, parts: [part] },
          ...{ extensions: [], referenceTaskIds: [] },
        };
        return JSON.stringify(await client.sendMessage({ tenant: "", message }));
      });
    },
  },
  {
    name: "a2a-js, the card's signature",
    package: "@a2a-js/sdk",
    run: checksSignature,
  },
];
