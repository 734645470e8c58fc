/** Fetches documents at foreign URIs. */
import { conditionalHeaders, NOT_MODIFIED, validatorsOf } from "./http/validators.ts";
import type { Documents, ForeignEndpoints } from "./ports.ts";

export const foreignDocuments = (endpoints: ForeignEndpoints): Documents => ({
  async get(url, known) {
    const answer = await endpoints.send({
      url,
      headers: { accept: "application/json", ...conditionalHeaders(known) },
    });
    if (answer.kind === "limited" || answer.kind === "deferred") return { kind: "deferred", seconds: answer.seconds };
    if (answer.kind !== "answered") return answer;
    const { status, headers, text } = answer;
    if (status === NOT_MODIFIED && known) return { kind: "unchanged" };
    if (status === 200) return { kind: "fetched", text, validators: validatorsOf(headers) };
    return {
      kind: "failed",
      reason: `The server answers with status ${status}.`,
      final: status === 404 || status === 410,
    };
  },
});
