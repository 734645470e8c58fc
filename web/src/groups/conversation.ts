/** The messages of one group in this page: the newest, those before them on demand, and those that come, without gaps. */
import { useCallback, useEffect, useRef, useState } from "react";
import { call, follow, type Problem } from "../api/answer.ts";
import type { Message, Messages } from "../api/types.ts";
import { groupPath } from "./gate.tsx";

const MESSAGES_PER_PAGE = 50;
/** Milliseconds until a stream that broke is opened again; the time doubles up to the longest. */
const AGAIN_MS = 1_000;
const MAX_WAIT_MS = 30_000;

export type Conversation = {
  /** Oldest first, ids without gaps; null before the first answer. */
  messages: Message[] | null;
  /** Why nothing could be read. */
  problem: Error | null;
  /** Reads again. */
  retry(): void;
  live: boolean;
  /** Why the service ended the stream for good. */
  ended: string | null;
  loadingOlder: boolean;
  older(): Promise<void>;
  /** Adds a message that was sent from here; the stream brings it too. */
  add(message: Message): void;
};

/** Adds messages by their ids; what is there already stays as it is. */
function merged(known: readonly Message[], more: readonly Message[]): Message[] {
  const ids = new Set(known.map(({ id }) => id));
  const fresh = more.filter(({ id }) => !ids.has(id));
  return fresh.length === 0 ? (known as Message[]) : [...known, ...fresh].sort((a, b) => a.id - b.id);
}

/**
 * @param headers the credential of a member of a private group; empty for public ones
 * @param enabled false while nothing may be read
 * @param isMember a change of it is a change of what may be read
 */
export function useConversation(
  id: string,
  headers: Record<string, string>,
  enabled: boolean,
  isMember: boolean | undefined,
): Conversation {
  const [messages, setMessages] = useState<Message[] | null>(null);
  const [problem, setProblem] = useState<Error | null>(null);
  const [tries, setTries] = useState(1);
  const [live, setLive] = useState(false);
  const [ended, setEnded] = useState<string | null>(null);
  const [loadingOlder, setLoadingOlder] = useState(false);
  const last = useRef(0);
  const add = useCallback((message: Message) => setMessages((messages) => merged(messages ?? [], [message])), []);
  const { authorization } = headers;
  useEffect(() => {
    last.current = messages?.at(-1)?.id ?? 0;
  }, [messages]);

  useEffect(() => {
    if (!enabled) return;
    const stop = new AbortController();
    const init = { signal: stop.signal, ...(authorization && { headers: { authorization } }) };
    const path = groupPath(id);
    /** Reads a page, then follows from its end; after a break it goes on where it was. */
    async function run(): Promise<void> {
      const { data } = await call<Messages>(`${path}/messages?limit=${MESSAGES_PER_PAGE}`, init);
      setMessages((messages) => merged(messages ?? [], data.messages));
      last.current = Math.max(last.current, data.messages.at(-1)?.id ?? 0);
      for (let wait = AGAIN_MS; !stop.signal.aborted; wait = Math.min(MAX_WAIT_MS, wait * 2)) {
        const over = await stream().catch(() => false);
        setLive(false);
        if (over) return;
        await new Promise((done) => setTimeout(done, wait * (0.75 + Math.random() / 2)));
      }
    }
    /** @returns true when the service ended it for good */
    async function stream(): Promise<boolean> {
      let over = false;
      await follow(`${path}/stream?after=${last.current}`, init, ({ name, data }) => {
        if (name === "start") setLive(true);
        else if (name === "end") {
          const { reason, error } = data as { reason: string; error?: string };
          over = reason !== "restarting";
          if (over) setEnded(error ?? reason);
        } else {
          last.current = Math.max(last.current, (data as Message).id);
          add(data as Message);
        }
      });
      return over;
    }
    setEnded(null);
    setProblem(null);
    run().catch((error: Error) => {
      if (!stop.signal.aborted) setProblem(error);
    });
    return () => stop.abort();
  }, [id, authorization, enabled, isMember, add, tries]);

  const older = async () => {
    const first = messages?.[0]?.id;
    if (first === undefined || first <= 1 || loadingOlder) return;
    setLoadingOlder(true);
    try {
      const init = authorization ? { headers: { authorization } } : {};
      const { data } = await call<Messages>(
        `${groupPath(id)}/messages?limit=${MESSAGES_PER_PAGE}&before=${first}`,
        init,
      );
      setMessages((messages) => merged(messages ?? [], data.messages));
    } catch (error) {
      setProblem(error as Problem);
    } finally {
      setLoadingOlder(false);
    }
  };
  const retry = () => setTries(tries + 1);
  return { messages, problem, retry, live, ended, loadingOlder, older, add };
}
