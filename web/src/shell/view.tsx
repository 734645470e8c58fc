/** The place of the view inside the shell: a skeleton while its code comes, and what to do when it does not. */
import { onlineManager, useQuery } from "@tanstack/react-query";
import { type ReactNode, Suspense, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { useLocation, useSearch } from "wouter";
import { callRaw } from "../api/answer.ts";
import { status } from "../api/queries.ts";
import { Button } from "../parts/button.tsx";
import { Boundary, Empty, type Failed, FailureNote, Loading, NotLoaded } from "../parts/states.tsx";
import { keep, kept } from "../stored.ts";

export const useOnline = (): boolean =>
  useSyncExternalStore(
    (listener) => onlineManager.subscribe(listener),
    () => onlineManager.isOnline(),
  );

const Skeleton = () => (
  <div className="page">
    <Loading rows={8} />
  </div>
);

export function View({ children }: { children: ReactNode }) {
  const [path] = useLocation();
  const of = `${path}?${useSearch()}`;
  return (
    <Boundary
      of={of}
      instead={(failed) =>
        failed.error instanceof NotLoaded ? (
          <Missing {...failed} />
        ) : (
          <div className="page">
            <FailureNote instead {...failed} />
          </div>
        )
      }
    >
      <Suspense fallback={<Skeleton />}>{children}</Suspense>
    </Boundary>
  );
}

/** By this key the tab keeps what it was reloaded for: the same failure does not reload it twice. */
const RELOADED = "reloaded";

/** What is known of a view whose code did not come: the service is asked, it is away, or it has no such file (any more). */
type Reason = "asked" | "away" | "gone";

async function reasonOf({ error }: Failed): Promise<Reason> {
  const isUp = await callRaw(location.href, { method: "HEAD" }).then(
    (answer) => answer.status < 500,
    () => false,
  );
  if (!isUp) return "away";
  const message = String((error as NotLoaded).cause);
  if (kept("tab", RELOADED) === message) return "gone";
  keep("tab", RELOADED, message);
  // Without a note of it, the page could be reloaded for ever.
  if (kept("tab", RELOADED) !== message) return "gone";
  // A deployment has replaced the files that this page knows: the page of today knows those of today.
  location.reload();
  return "asked";
}

function Missing(failed: Failed) {
  const [reason, setReason] = useState<Reason>("asked");
  const online = useOnline();
  const answered = useQuery(status).dataUpdatedAt;
  const before = useRef({ online, answered });
  useEffect(() => {
    let left = false;
    if (online) void reasonOf(failed).then((reason) => left || setReason(reason));
    else setReason("away");
    return () => {
      left = true;
    };
  }, []);
  // The connection is back, or the next answer about the service's state shows that it can be reached again.
  useEffect(() => {
    const isBack = answered !== before.current.answered || (online && !before.current.online);
    if (reason === "away" && isBack) failed.again();
  }, [reason, answered, online]);
  if (reason === "asked") return <Skeleton />;
  return (
    <div className="page">
      <Empty instead title="This view could not be loaded">
        <p role="alert">
          {reason === "away"
            ? `${online ? "The service cannot be reached." : "You are offline."} The view is loaded as soon as the connection is back.`
            : "Its code is not where this page looks for it, also after a reload. Try again in a minute; the other views are not affected."}
        </p>
        <p className="actions">
          <Button onClick={failed.again}>Try again</Button>
          <Button onClick={() => location.reload()}>Reload the page</Button>
        </p>
      </Empty>
    </div>
  );
}
