/**
 * The tools over the Agent2Agent protocol: the card by which agents find the service, and message/send at /a2a. Each
 * message is answered at once with a message, so there are no tasks to keep.
 * @see https://a2a-protocol.org
 */
import { hash } from "node:crypto";
import { z } from "zod";
import type { Failure } from "../../core/errors.ts";
import { costsInWords } from "../../core/prices.ts";
import { CACHE, endpoint, json } from "../endpoint.ts";
import { errorAnswer } from "../http/error-answer.ts";
import { API_VERSION } from "../http/headers.ts";
import { agentCardSchema } from "../schemas/agent-card.ts";
import { DESCRIPTION } from "../services/introduction.ts";
import { type Carrier, callTool, toolNamed } from "../tools/call-tool.ts";
import { descriptionOf, TOOLS } from "../tools/tools.ts";

const JSON_TYPE = "application/json";
const PROTOCOL = "0.3.0";

export const agentCard = endpoint({
  method: "get",
  path: "/.well-known/agent-card.json",
  operationId: "getAgentCard",
  tag: "Agent protocols",
  summary: "The service's A2A agent card",
  responses: { 200: { description: "The card", schema: agentCardSchema } },
  cache: CACHE.release,
  handler({ deps: { config, payments } }) {
    const { name, publicUrl, webUrl } = config.service;
    const here = `${publicUrl}/a2a`;
    return json({
      protocolVersion: PROTOCOL,
      name,
      description:
        `${DESCRIPTION} Looks agents up, tells their cred score, and checks receipts of cred reports. ${costsInWords(payments.shown())}`.trimEnd(),
      url: here,
      preferredTransport: "JSONRPC",
      additionalInterfaces: [{ url: here, transport: "JSONRPC" }],
      supportedInterfaces: [{ url: here, protocolBinding: "JSONRPC", protocolVersion: "0.3" }],
      provider: { organization: name, url: webUrl },
      version: API_VERSION,
      documentationUrl: `${publicUrl}/docs`,
      capabilities: { streaming: false, pushNotifications: false, stateTransitionHistory: false },
      defaultInputModes: [JSON_TYPE],
      defaultOutputModes: [JSON_TYPE],
      skills: TOOLS.map((tool) => ({
        id: tool.name,
        name: tool.title,
        description: descriptionOf(tool),
        tags: [tool.endpoint.tag.toLowerCase(), "agents", "reputation"],
        examples: [tool.example],
        inputModes: [JSON_TYPE],
        outputModes: [JSON_TYPE],
      })),
      supportsAuthenticatedExtendedCard: false,
    });
  },
});

const requestSchema = z
  .looseObject({
    jsonrpc: z.literal("2.0"),
    id: z.union([z.string(), z.number()]),
    method: z.string(),
  })
  .meta({ id: "A2aRequest" });

const answerSchema = z
  .object({
    jsonrpc: z.literal("2.0"),
    id: z.union([z.string(), z.number()]),
    result: z.looseObject({ kind: z.literal("message") }).optional(),
    error: z.object({ code: z.int(), message: z.string(), data: z.looseObject({}).optional() }).optional(),
  })
  .meta({ id: "A2aAnswer" });

/** `{skill, arguments}`: which tool, with what. */
const askedSchema = z.looseObject({ skill: z.string(), arguments: z.looseObject({}).optional() });
const paramsSchema = z.looseObject({
  message: z.looseObject({
    messageId: z.string(),
    contextId: z.string().max(200).optional(),
    parts: z.array(z.looseObject({ kind: z.string() })).min(1),
  }),
});

/** Codes of JSON-RPC and of A2A. */
const CODE = { method: -32601, params: -32602, internal: -32603, task: -32001, unsupported: -32004 } as const;
/** What the protocol has and this agent has not: tasks, and streams of them. */
const WITHOUT = new Map<string, [code: number, message: string]>([
  ["message/stream", [CODE.unsupported, "This agent does not stream: use message/send."]],
  ["tasks/get", [CODE.task, "There is no such task: every message is answered at once."]],
  ["tasks/cancel", [CODE.task, "There is no such task: every message is answered at once."]],
]);

export const a2a = endpoint({
  method: "post",
  path: "/a2a",
  operationId: "a2a",
  tag: "Agent protocols",
  summary: "Skills for agents, by the Agent2Agent protocol",
  description: `JSON-RPC, method message/send. The message has a data part {skill, arguments}; skills and their arguments are the tools of /mcp: ${TOOLS.map(({ name }) => name).join(", ")}.`,
  guard: { caller: "anyone", bucket: "reads" },
  body: requestSchema,
  responses: { 200: { description: "A message, or an error of the protocol", schema: answerSchema } },
  async handler(call) {
    const { id, method, params } = call.body;
    const answer = (rest: object) => json({ jsonrpc: "2.0", id, ...rest });
    const refuse = (code: number, message: string, data?: object) =>
      answer({ error: { code, message, ...(data && { data }) } });
    if (method !== "message/send") {
      const [code, message] = WITHOUT.get(method) ?? [CODE.method, "There is no such method: use message/send."];
      return refuse(code, message);
    }
    const sent = paramsSchema.safeParse(params);
    if (!sent.success) return refuse(CODE.params, "The message must have a messageId and parts.");
    const { message } = sent.data;
    const asked = askedSchema.safeParse(message.parts.find(({ kind }) => kind === "data")?.data);
    const tool = asked.success ? toolNamed(asked.data.skill) : undefined;
    if (!asked.success || !tool)
      return refuse(CODE.params, `The message needs a data part {skill, arguments}; skill is one of ${skills()}.`);
    const outcome = await callTool(tool, asked.data.arguments ?? {}, call);
    if (outcome.kind === "failure") return refuse(...errorOf(outcome.failure, call));
    return answer({
      result: {
        kind: "message",
        role: "agent",
        // The same question is answered under the same name until the answer is another one.
        messageId: hash("sha256", JSON.stringify([message.messageId, outcome.json]), "hex").slice(0, 32),
        ...(message.contextId !== undefined && { contextId: message.contextId }),
        parts: [{ kind: "data", data: JSON.parse(outcome.json) }],
      },
    });
  },
});

const skills = () => TOOLS.map(({ name }) => name).join(", ");

/** A failure of a skill in the words of the protocol; `data` is the API's error body. */
const errorOf = (failure: Failure, { requestId }: Carrier): [number, string, object] => [
  failure.status < 500 ? CODE.params : CODE.internal,
  failure.message,
  JSON.parse(errorAnswer(failure, requestId).body),
];
