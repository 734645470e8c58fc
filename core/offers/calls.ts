/** How an offer is called, as text for a shell, a program or a client's settings. Names and addresses are strangers': each is quoted. */
import { urlOf } from "../urls.ts";
import type { OfferKind } from "./offer.ts";

export type CallableOffer = { kind: OfferKind; name: string; endpoint: string | null; method: string | null };

/** Any text as one word of a POSIX shell. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

const jsonCall = (url: string, body: object, accept: string): string =>
  [
    `curl -sS ${shellWord(url)} \\`,
    `  -H 'content-type: application/json' -H ${shellWord(`accept: ${accept}`)} \\`,
    `  -d ${shellWord(JSON.stringify(body))}`,
  ].join("\n");

/** A name for settings: letters, digits and hyphens. */
const slugOf = (name: string): string => (name.toLowerCase().match(/[a-z0-9]+/g) ?? ["agent"]).join("-").slice(0, 40);

/** One way to call an offer. `form` names what reads the text. */
export type CallText = { form: "shell" | "settings" | "program"; text: string };

/**
 * The ways to call an offer at its endpoint; none for one without an http(s) address.
 * @param agent its name, for the name of a server in settings
 */
export function callsOf({ kind, name, endpoint, method }: CallableOffer, agent: string): CallText[] {
  const url = endpoint === null ? null : urlOf(endpoint);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") return [];
  const { href } = url;
  switch (kind) {
    case "tool":
      return [
        {
          form: "settings",
          text: JSON.stringify({ mcpServers: { [slugOf(agent)]: { type: "http", url: href } } }, null, 2),
        },
        {
          form: "shell",
          text: jsonCall(
            href,
            { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } },
            "application/json, text/event-stream",
          ),
        },
      ];
    case "skill":
      return [
        {
          form: "shell",
          text: jsonCall(
            href,
            {
              jsonrpc: "2.0",
              id: 1,
              method: "message/send",
              params: { message: { role: "user", messageId: "1", parts: [{ kind: "text", text: "" }] } },
            },
            "application/json",
          ),
        },
      ];
    case "resource":
      return [
        { form: "shell", text: `curl -sS -i${method && method !== "GET" ? ` -X ${method}` : ""} ${shellWord(href)}` },
        { form: "program", text: payingCall(href, method) },
      ];
  }
}

/** By the protocol's own client, which reads the terms of the 402, signs and asks again. */
const payingCall = (url: string, method: string | null): string =>
  [
    'import { ExactEvmScheme } from "@x402/evm/exact/client";',
    'import { wrapFetchWithPayment, x402Client } from "@x402/fetch";',
    "",
    'const client = new x402Client().register("eip155:8453", new ExactEvmScheme(account));',
    `const response = await wrapFetchWithPayment(fetch, client)(${JSON.stringify(url)}${
      method && method !== "GET" ? `, { method: ${JSON.stringify(method)} }` : ""
    });`,
  ].join("\n");
