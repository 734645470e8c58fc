/** Where the terminal shows an agent of the directory. The terminal reads this file too, so it imports no hashing. */
import { OWN_PLATFORM } from "./platforms.ts";

/**
 * The page of an agent: its own, or the one that foreign agents share.
 * @param webUrl base URL without a trailing slash; empty for a path
 */
export const directoryLink = (webUrl: string, { platform, agentId }: { platform: string; agentId: string }): string =>
  platform === OWN_PLATFORM
    ? `${webUrl}/agent/${agentId}`
    : `${webUrl}/terminal/${encodeURIComponent(agentId)}?platform=${platform}`;
