/** The search field of every view: filters the directory while one types; Enter on an id or an address opens that agent. */
import { useEffect, useRef, useState } from "react";
import { useLocation } from "wouter";
import { readOwnTokenRef } from "../../../core/directory/platforms.ts";
import { Icon } from "../parts/icon.tsx";
import { useSearchParams } from "./address.ts";

const PAUSE_MS = 180;

/** The kind of a search text: a token id (`7`, `helixa-7`), an address or the beginning of one, or part of a name. */
export function kindOf(text: string): "id" | "address" | "name" | null {
  if (text === "") return null;
  if (/^(0|[1-9]\d{0,14})$/.test(text) || readOwnTokenRef(text) !== null) return "id";
  return /^0x[0-9a-f]{0,40}$/i.test(text) ? "address" : "name";
}
/** True when a text names exactly one agent. */
export const opens = (text: string) => kindOf(text) === "id" || /^0x[0-9a-f]{40}$/i.test(text);
/** The reference in the URL of the agent's page. */
export const refOf = (text: string): string => String(readOwnTokenRef(text) ?? text);

export function SearchBox() {
  const [path, go] = useLocation();
  const [params] = useSearchParams();
  const onDirectory = path === "/" || path === "/terminal";
  const asked = onDirectory ? (params.get("q") ?? "") : "";
  const [text, setText] = useState(asked);
  const waiting = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => setText(asked), [asked]);

  const show = (value: string) => {
    clearTimeout(waiting.current);
    const query = new URLSearchParams(onDirectory ? params : undefined);
    query.delete("page");
    if (value.trim()) query.set("q", value.trim());
    else query.delete("q");
    go(query.size > 0 ? `/?${query}` : "/", { replace: onDirectory });
  };
  const change = (value: string) => {
    setText(value);
    clearTimeout(waiting.current);
    if (onDirectory) waiting.current = setTimeout(() => show(value), PAUSE_MS);
  };
  const value = text.trim();
  const kind = kindOf(value);
  return (
    <search className="search-place">
      <form
        className="search"
        onSubmit={(event) => {
          event.preventDefault();
          clearTimeout(waiting.current);
          if (opens(value)) go(`/agent/${refOf(value)}`);
          else show(text);
        }}
      >
        <Icon name="search" />
        <input
          id="search"
          type="search"
          aria-label="Search agents by name, address or id"
          placeholder="Name, address or id"
          maxLength={100}
          autoComplete="off"
          spellCheck={false}
          value={text}
          onChange={(event) => change(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            if (text) {
              change("");
              show("");
            } else event.currentTarget.blur();
          }}
        />
        <span className="kind">
          {kind === null ? (
            <kbd>/</kbd>
          ) : (
            <>
              {kind}
              {opens(value) && <kbd>↵</kbd>}
            </>
          )}
        </span>
      </form>
    </search>
  );
}
