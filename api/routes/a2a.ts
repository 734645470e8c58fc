/**
 * The tools over the Agent2Agent protocol, versions 0.3 and 1.0: messages at /a2a. Each message is answered at once with
 * a message, so there are no tasks. The versions name their methods differently, so the method identifies the version.
 * @see https://a2a-protocol.org
 */
import { hash } from "node:crypto";
import { array, looseObject, object, union, z } from "zod";
import type { Failure } from "../../core/errors.ts";
import { isRecord } from "../../core/json.ts";
import { endpoint } from "../endpoint.ts";
import { errorAnswer } from "../http/error-answer.ts";
import { noMessage } from "../json-rpc.ts";
import { type Carrier, callTool, ignoredSentence, toolNamed } from "../tools/call-tool.ts";
import { plainText, summaryOf } from "../tools/natural-language.ts";
import { TOOLS, type Tool } from "../tools/tools.ts";

/** Supported versions, the preferred one first. */
export const A2A_VERSIONS = ["1.0", "0.3"];
/** `Major.Minor` with any patch; without the header 0.3 is meant. */
const isSpoken = (version: string): boolean => version === "" || /^(?:1\.0|0\.3)(?:\.\d{1,4})?$/.test(version);

const requestSchema = looseObject({
  jsonrpc: z.literal("2.0"),
  id: union([z.string(), z.number()]).nullable().optional(),
  method: z.string(),
}).meta({
  id: "A2aRequest",
  examples: [
    {
      jsonrpc: "2.0",
      id: 1,
      method: "message/send",
      params: { message: { role: "user", messageId: "1", parts: [{ kind: "text", text: "who audits solidity" }] } },
    },
  ],
});

const answerSchema = object({
  jsonrpc: z.literal("2.0"),
  id: union([z.string(), z.number()]).nullable(),
  result: looseObject({}).optional().meta({ description: "In the words of the version whose method was called" }),
  error: object({
    code: z.int(),
    message: z.string(),
    data: union([looseObject({}), array(looseObject({}))]).optional(),
  }).optional(),
}).meta({ id: "A2aAnswer" });

/** `{skill, arguments}`: which tool, with what. */
const askedSchema = looseObject({ skill: z.string(), arguments: looseObject({}).optional() });
/** A part of 0.3 names its kind in addition to the same members. */
const partSchema = looseObject({ text: z.unknown().optional(), data: z.unknown().optional() });
const paramsSchema = looseObject({
  message: looseObject({
    messageId: z.string().max(1_000),
    contextId: z.string().max(200).optional(),
    taskId: z.string().optional(),
    parts: array(partSchema).min(1),
  }),
});

/** Codes of JSON-RPC and of A2A, each with its name there. */
const ERRORS = {
  method: [-32601, "METHOD_NOT_FOUND"],
  params: [-32602, "INVALID_PARAMS"],
  internal: [-32603, "INTERNAL"],
  task: [-32001, "TASK_NOT_FOUND"],
  push: [-32003, "PUSH_NOTIFICATION_NOT_SUPPORTED"],
  unsupported: [-32004, "UNSUPPORTED_OPERATION"],
  content: [-32005, "CONTENT_TYPE_NOT_SUPPORTED"],
  card: [-32007, "EXTENDED_AGENT_CARD_NOT_CONFIGURED"],
  version: [-32009, "VERSION_NOT_SUPPORTED"],
} as const;
type ErrorName = keyof typeof ERRORS;

type Version = "0.3" | "1.0";
type Method = [version: Version, does: "send" | "list" | ErrorName];
const METHODS = new Map<string, Method>([
  ["message/send", ["0.3", "send"]],
  ["message/stream", ["0.3", "unsupported"]],
  ["tasks/get", ["0.3", "task"]],
  ["tasks/cancel", ["0.3", "task"]],
  ["tasks/resubscribe", ["0.3", "unsupported"]],
  ...["set", "get", "list", "delete"].map((verb): [string, Method] => [
    `tasks/pushNotificationConfig/${verb}`,
    ["0.3", "push"],
  ]),
  ["agent/getAuthenticatedExtendedCard", ["0.3", "card"]],
  ["SendMessage", ["1.0", "send"]],
  ["SendStreamingMessage", ["1.0", "unsupported"]],
  ["GetTask", ["1.0", "task"]],
  ["ListTasks", ["1.0", "list"]],
  ["CancelTask", ["1.0", "task"]],
  ["SubscribeToTask", ["1.0", "unsupported"]],
  ...["Create", "Get", "Delete"].map((verb): [string, Method] => [
    `${verb}TaskPushNotificationConfig`,
    ["1.0", "push"],
  ]),
  ["ListTaskPushNotificationConfigs", ["1.0", "push"]],
  ["GetExtendedAgentCard", ["1.0", "unsupported"]],
]);

const SENTENCES: Partial<Record<ErrorName, string>> = {
  task: "There is no such task: every message is answered at once.",
  push: "This agent sends no push notifications: every message is answered at once.",
  unsupported: "This agent does not stream and has one card: use message/send, or SendMessage.",
  card: "This agent has no extended card.",
};

export const a2a = endpoint({
  method: "post",
  path: "/a2a",
  operationId: "a2a",
  tag: "Agent protocols",
  summary: "Skills for agents, by the Agent2Agent protocol",
  description: `JSON-RPC of A2A 1.0 (method SendMessage) and 0.3 (message/send). The message has a data part {skill, arguments}, or a question in plain words as the agent card's examples do; skills and their arguments are the tools of /mcp: ${TOOLS.map(({ name }) => name).join(", ")}.`,
  guard: { caller: "anyone", bucket: "reads" },
  body: requestSchema,
  malformed: (sent) => noMessage(sent),
  responses: {
    200: { description: "A message, or an error of the protocol", schema: answerSchema },
    202: { description: "A notification, which gets no answer; there is no body", type: "text/plain" },
  },
  async handler(call, json) {
    const { id, method, params } = call.body;
    // A message without an id is a notification: it wants no answer, and a skill has no other effect.
    if (id === undefined) return { status: 202, type: "text/plain; charset=utf-8", content: "" };
    const [version, does] = METHODS.get(method) ?? (["0.3", "method"] as const);
    const answer = (rest: object) => json({ jsonrpc: "2.0", id, ...rest });
    const refuse = (name: ErrorName, message: string) => answer({ error: errorIn(version, name, message) });
    const asked = call.header("a2a-version") ?? "";
    if (!isSpoken(asked))
      return answer({ error: errorIn("1.0", "version", `A2A-Version must be one of ${A2A_VERSIONS.join(", ")}.`) });
    if (does === "method") return refuse(does, "There is no such method: use message/send, or SendMessage.");
    if (does === "list") return answer({ result: { tasks: [], nextPageToken: "", pageSize: 50, totalSize: 0 } });
    if (does !== "send") return refuse(does, SENTENCES[does]!);
    const sent = paramsSchema.safeParse(params);
    if (!sent.success) return refuse("params", "The message must have a messageId and parts.");
    const { message } = sent.data;
    if (version === "1.0" && message.taskId) return refuse("task", SENTENCES.task!);
    const { parts, failure, refusal, ignored = [] } = await replyTo(message.parts, call);
    if (refusal) return refuse(...refusal);
    if (failure) return answer({ error: failureIn(version, failure, call) });
    // The same question gets the same message id until its answer changes.
    const messageId = hash("sha256", JSON.stringify([message.messageId, parts]), "hex").slice(0, 32);
    const contextId = message.contextId || hash("sha256", `context ${message.messageId}`, "hex").slice(0, 32);
    const reply = { messageId, contextId, ...(ignored.length > 0 && { metadata: { ignoredArguments: ignored } }) };
    return answer({
      result:
        version === "1.0"
          ? { message: { ...reply, role: "ROLE_AGENT", parts: parts.map(partOfVersion1) } }
          : { ...reply, kind: "message", role: "agent", parts },
    });
  },
});

/** A part as version 0.3 defines it. */
type Part = { kind: "data"; data: object } | { kind: "text"; text: string };
const partOfVersion1 = (part: Part) =>
  part.kind === "text"
    ? { text: part.text, mediaType: "text/plain" }
    : { data: part.data, mediaType: "application/json" };

type ReplyParts = { parts: Part[]; ignored?: readonly string[]; failure?: Failure; refusal?: [ErrorName, string] };

/** The reply to the parts of a message: by the skill that its data name, else by the tool that its text fits. */
async function replyTo(given: z.output<typeof partSchema>[], call: Carrier): Promise<ReplyParts> {
  const texts = given.flatMap(({ text }) => (typeof text === "string" ? [text] : []));
  const data = given.map((part) => part.data).find(isRecord) ?? texts.map(jsonOf).find(isRecord);
  const parsed = askedSchema.safeParse(data);
  if (parsed.success || (data !== undefined && texts.length === 0)) {
    const tool = parsed.success ? toolNamed(parsed.data.skill) : undefined;
    const names = TOOLS.map(({ name }) => name).join(", ");
    if (!parsed.success || !tool)
      return {
        parts: [],
        refusal: ["params", `The message needs a data part {skill, arguments}; skill is one of ${names}.`],
      };
    return answerOf(tool, parsed.data.arguments ?? {}, call, texts.length > 0);
  }
  if (texts.length === 0) return { parts: [], refusal: ["content", "This agent reads data and text parts."] };
  const text = plainText(texts);
  for (const tool of TOOLS) {
    const read = tool.read({ text, data: data ?? {} });
    if (read) return answerOf(tool, read, call, true);
  }
  return { parts: [{ kind: "text", text: WHAT_TO_ASK }] };
}

async function answerOf(
  tool: Tool,
  given: Record<string, unknown>,
  call: Carrier,
  inWords: boolean,
): Promise<ReplyParts> {
  const outcome = await callTool(tool, given, call, true);
  if (outcome.kind === "failure") return { parts: [], failure: outcome.failure };
  const data = JSON.parse(outcome.json);
  const said = ignoredSentence(outcome.ignored);
  return {
    ignored: outcome.ignored,
    parts: [
      ...(inWords ? [{ kind: "text" as const, text: (tool.inWords ?? summaryOf)(data) }] : []),
      { kind: "data", data },
      ...(said === null ? [] : [{ kind: "text" as const, text: said }]),
    ],
  };
}

const WHAT_TO_ASK = [
  "You can ask, in words like these:",
  ...TOOLS.map(({ name, example }) => `- ${example} (${name})`),
  "A receipt goes along as a data part {payload, signature}. A data part {skill, arguments} asks exactly; the arguments are in /.well-known/mcp.json.",
].join("\n");

function jsonOf(text: string): unknown {
  if (!text.trimStart().startsWith("{")) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An error of the protocol; version 1.0 has a list of typed details. */
function errorIn(version: Version, name: ErrorName, message: string) {
  const [code, reason] = ERRORS[name];
  const details = [{ "@type": ERROR_INFO, reason, domain: "a2a-protocol.org" }];
  return { code, message, ...(version === "1.0" && { data: details }) };
}

const ERROR_INFO = "type.googleapis.com/google.rpc.ErrorInfo";

/** A failure of a skill as the protocol defines it; the details are the API's error body. */
function failureIn(version: Version, failure: Failure, { requestId, deps }: Carrier) {
  const [code] = ERRORS[failure.status < 500 ? "params" : "internal"];
  const body = JSON.parse(errorAnswer(failure, requestId).body);
  if (version === "0.3") return { code, message: failure.message, data: body };
  const info = {
    "@type": ERROR_INFO,
    reason: failure.code.toUpperCase(),
    domain: new URL(deps.config.service.publicUrl).hostname,
    metadata: { requestId },
  };
  const violations = (body.details ?? []) as { path: string; message: string }[];
  return {
    code,
    message: failure.message,
    data: [
      info,
      ...(violations.length > 0
        ? [
            {
              "@type": "type.googleapis.com/google.rpc.BadRequest",
              fieldViolations: violations.map(({ path, message }) => ({ field: path, description: message })),
            },
          ]
        : []),
    ],
  };
}
