/** The control of the simulators of a local stack: what the platforms and registries in their place say from now on. */

/** @returns asks for `_control/<path>` and gives the answer */
export const controlOf =
  (simulatorUrl: string) =>
  (method: "PUT" | "POST" | "DELETE", path: string, body?: unknown): Promise<Response> =>
    fetch(`${simulatorUrl}/_control/${path}`, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });
