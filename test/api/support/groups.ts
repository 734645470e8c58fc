/** What tests of message groups ask of an API. */
import { expect } from "vitest";
import { HOST, type TestApi } from "./api.ts";
import { plantSpeaker, type Speaker } from "./speakers.ts";

export const GROUPS = "/api/v2/messages/groups";

let topics = 0;
/** A topic that no other group has. */
export const newTopic = () => `Topic ${++topics}`;

export function groupsOf(api: TestApi) {
  const speaker = (score: number) => plantSpeaker(api.pool, HOST, score);
  const post = (path: string, by: { authorization: string }, body?: object, headers: Record<string, string> = {}) =>
    api.send("POST", GROUPS + path, {
      headers: { authorization: by.authorization, "content-type": "application/json", ...headers },
      ...(body && { body: JSON.stringify(body) }),
    });
  return {
    speaker,
    post,
    /** A group of its own for a test: public and open to everybody unless `body` says otherwise. */
    async newGroup(body: { minCred?: number; isPublic?: boolean } = {}): Promise<{ id: string; creator: Speaker }> {
      const creator = await speaker(100);
      const answer = await post("", creator, { topic: newTopic(), minCred: 0, isPublic: true, ...body });
      expect(answer.status).toBe(201);
      return { id: (answer.body.group as unknown as { id: string }).id, creator };
    },
  };
}
