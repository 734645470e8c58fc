/** The authorization server people sign in at, where the service is its client. */
import { createAuthorizationServer } from "../clients/authorization-server.ts";
import type { Http } from "../clients/http.ts";
import type { Config } from "../config/config.ts";

/** Null without a client id. */
export const openAuthorizationServer = ({ identityProvider }: Pick<Config, "identityProvider">, http: Http) =>
  identityProvider?.client ? createAuthorizationServer(identityProvider, http) : null;
