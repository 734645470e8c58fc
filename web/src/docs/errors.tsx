/** Every error code with its status and what to do: a part of the reference's beginning, each by its own address. */
import { useEffect } from "react";
import { MEANING, STATUS } from "../../../core/error-codes.ts";
import { Prose } from "./prose.tsx";

export type ErrorRow = { code: string; status: number; meaning: string };
/** By their statuses. */
export const ERRORS: readonly ErrorRow[] = Object.entries(STATUS).map(([code, status]) => ({
  ...{ code, status },
  meaning: MEANING[code as keyof typeof MEANING],
}));

export function ErrorTable() {
  // The code that the address names is there only now.
  useEffect(() => {
    if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView({ block: "center" });
  }, []);
  return (
    <section className="docs-errors">
      <h2 id="errors">Errors</h2>
      <p className="muted">
        <Prose text="Every refusal has the same body: `error` is a sentence, `code` is one of these, `requestId` names the request in our log, `hint` says what can be done." />
      </p>
      <dl className="docs-outcomes">
        {ERRORS.map(({ code, status, meaning }) => (
          <div key={code} id={code}>
            <dt className="docs-status">{status}</dt>
            <dd>
              <code>{code}</code> <Prose text={meaning} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
