/** The variables by which the service asks the simulators instead of the real upstreams. */
import { identityProviderEnvironment } from "./identity-provider.ts";
import { SIMULATORS } from "./upstreams.ts";

/** Variables of the service. @param url of the running simulators */
export const simulatedUpstreams = (
  url: string,
): Record<string, string> & ReturnType<typeof identityProviderEnvironment> =>
  Object.assign({}, ...SIMULATORS.map(({ environment }) => environment(url)), identityProviderEnvironment(url));
