/** What the client library has for those who serve something themselves: what they serve is read by this service, and its deliveries are believed. */
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { namedAgents } from "../../core/directory/named-agents.ts";
import type { EndpointAnswer, Send } from "../../core/offers/reader.ts";
import { OFFER_READERS } from "../../core/offers/readers.ts";
import { agentCard, hostFile, paymentRequired } from "../../sdk/src/seller.ts";
import { verifyWebhook, WebhookRefused } from "../../sdk/src/webhooks.ts";

const CONTRACT = "0x2e3B541C59D38b84E3Bc54e977200230A204Fe60";
const PAYEE = "0x19B16428f0721a5f627F190Ca61D493a632B423F";

/** A host with one answer. */
const host =
  (answer: Omit<EndpointAnswer, "url">): Send =>
  async ({ url }, read) =>
    read({ ...answer, url });
const read = (kind: keyof typeof OFFER_READERS, answer: Omit<EndpointAnswer, "url">) =>
  OFFER_READERS[kind].read("https://seller.example/audit", host(answer), {}, null);

describe("a seller", () => {
  it("names its agents in the host file", () => {
    const file = JSON.parse(
      JSON.stringify(hostFile({ contract: CONTRACT, tokenId: 7 }, { contract: CONTRACT, tokenId: 8 })),
    );
    const registry = `eip155:8453:${CONTRACT.toLowerCase()}`;
    expect(namedAgents(file)).toEqual([`${registry}/7`, `${registry}/8`]);
  });

  it("offers its skills by the agent card", async () => {
    const skill = { id: "audit", name: "Audit", description: "Reads Solidity.", tags: ["solidity"] };
    const card = agentCard({
      ...{ name: "Ferrous", description: "Audits.", url: "https://seller.example/a2a", version: "1", skills: [skill] },
    });
    const reading = await read("agent_card", { status: 200, headers: {}, text: JSON.stringify(card) });
    expect(reading).toMatchObject({ kind: "offers", offers: [{ name: "Audit", description: "Reads Solidity." }] });
  });

  it.each([
    ["0.05", 0.05],
    ["12", 12],
    ["0.000001", 0.000001],
  ])("asks for %s dollars by 402", async (usd, price) => {
    const asked = paymentRequired({
      url: "https://seller.example/audit",
      description: "Prüft – fast",
      usd,
      payTo: PAYEE,
    });
    const headers = Object.fromEntries(asked.headers);
    const reading = await read("x402", { status: asked.status, headers, text: await asked.text() });
    expect(reading).toMatchObject({ kind: "offers", offers: [{ description: "Prüft – fast", priceUsd: price }] });
  });

  it("that names no amount is told so", () => {
    for (const usd of ["", "free", "-1", "1e3", "0.0000001"])
      expect(() => paymentRequired({ url: "https://seller.example", description: "", usd, payTo: PAYEE })).toThrow(
        /no amount/,
      );
  });
});

describe("a delivery", () => {
  const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
  const body = JSON.stringify({
    type: "cred.changed",
    timestamp: "2026-11-21T12:00:05.000Z",
    position: 4711,
    data: { tokenId: 12 },
  });
  const now = Date.parse("2026-11-21T12:00:06Z");
  const sent = (secret = SECRET, at = now) => ({
    "webhook-id": "evt_1",
    "webhook-timestamp": String(Math.floor(at / 1000)),
    "webhook-signature": new Webhook(secret).sign("evt_1", new Date(at), body),
  });

  it("is the event, with headers of the web and of Node", async () => {
    const event = { id: "evt_1", type: "cred.changed", position: 4711, data: { tokenId: 12 } };
    for (const headers of [sent(), new Headers(sent())])
      expect(await verifyWebhook(SECRET, { headers, body, now })).toMatchObject(event);
  });

  it("signed by two secrets, while one takes the place of the other, is believed by each", async () => {
    const other = `whsec_${Buffer.alloc(24, 9).toString("base64")}`;
    const both = `${sent()["webhook-signature"]} ${sent(other)["webhook-signature"]}`;
    for (const secret of [SECRET, other]) {
      const headers = { ...sent(), "webhook-signature": both };
      expect(await verifyWebhook(secret, { headers, body, now })).toMatchObject({ id: "evt_1" });
    }
  });

  it.each([
    ["without headers", {}, body],
    ["of another secret", sent(`whsec_${Buffer.alloc(32, 8).toString("base64")}`), body],
    ["with another body", sent(), body.replace("12}", "13}")],
    ["with another id", { ...sent(), "webhook-id": "evt_2" }, body],
    ["of six minutes ago", sent(SECRET, now - 360_000), body],
    ["dated ahead", sent(SECRET, now + 360_000), body],
    ["without a time", { ...sent(), "webhook-timestamp": "soon" }, body],
    ["whose signature is no base64", { ...sent(), "webhook-signature": "v1,***" }, body],
    [
      "of an unknown version",
      { ...sent(), "webhook-signature": sent()["webhook-signature"].replace("v1", "v2") },
      body,
    ],
  ])("%s is refused", async (_, headers, text) => {
    await expect(verifyWebhook(SECRET, { headers, body: text, now })).rejects.toThrow(WebhookRefused);
  });
});
