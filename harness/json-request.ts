/** Requests with a JSON body, as fetch takes them. */

/** @param body undefined for none; a text is sent as it is @param headers whose undefined ones are left out */
export function jsonRequest(method: string, body?: unknown, headers: Record<string, string | undefined> = {}) {
  const sent = { "content-type": body === undefined ? undefined : "application/json", ...headers };
  return {
    method,
    headers: Object.fromEntries(
      Object.entries(sent).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
    ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
  };
}
