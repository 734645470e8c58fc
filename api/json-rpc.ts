/** Answers to requests that are no messages of JSON-RPC 2.0: its own errors, with the id where that can be read. */
import { isRecord } from "../core/json.ts";
import { json, type Reply } from "./reply.ts";

type Id = string | number | null;

const isId = (value: unknown): value is Id =>
  value === null || typeof value === "string" || (typeof value === "number" && Number.isFinite(value));

/**
 * The refusal of what is no message.
 * @param sent the body; undefined where it is no JSON
 * @param status of HTTP: a transport that says nothing else answers an error of JSON-RPC with 200
 * @see https://www.jsonrpc.org/specification#error_object
 */
export function noMessage(sent: unknown, status = 200): Reply {
  return sent === undefined
    ? refused(sent, -32700, "The request body is not valid JSON.", status)
    : refused(sent, -32600, `The request is no message of JSON-RPC 2.0: ${faultOf(sent)}.`, status);
}

/** An error of JSON-RPC as the answer to what was sent. @param data what else a program may read of it */
export function refused(sent: unknown, code: number, message: string, status = 200, data?: object): Reply {
  const id = isRecord(sent) && isId(sent.id) ? sent.id : null;
  return json({ jsonrpc: "2.0", id, error: { code, message, ...(data && { data }) } }, { status });
}

function faultOf(sent: unknown): string {
  if (Array.isArray(sent)) return "batches are not taken, send one message a request";
  if (!isRecord(sent)) return "it must be an object";
  if (sent.jsonrpc !== "2.0") return 'jsonrpc must be "2.0"';
  if (sent.id !== undefined && !isId(sent.id)) return "id must be a text, a number or null";
  return "method must be a text";
}
