/** `/report/check`: the check of any report, in this browser: pasted, dropped or opened. */
import { type DragEvent, useMemo, useState } from "react";
import { Button } from "../parts/button.tsx";
import { Page } from "../parts/panel.tsx";
import "../styles/report.css";
import { ReportDocument } from "./document.tsx";
import { ReceiptPanel, readGiven, type SignedContent, useKnownSigner, useVerdict, VerdictLine } from "./receipt.tsx";

/** Max bytes of a report; the service's own have 10 kB. */
const MAX_BYTES = 400_000;
const TOO_LARGE = "This is too large to be a report.";

export default function CheckPage() {
  const signer = useKnownSigner();
  const [text, setText] = useState("");
  const given = useMemo(() => readGiven(text), [text]);
  const found = useVerdict(given, signer);
  const verdict = found.data;
  return (
    <Page
      className="page report-page"
      title="Check a report"
      lead="Paste or drop the JSON of a cred report. It is checked in this browser and sent nowhere."
    >
      <Taker text={text} take={setText} readable={given !== null} />
      {given && (
        <>
          <VerdictLine of={found} known={signer} />
          {verdict && <ReceiptPanel verdict={verdict} known={signer} given={given} />}
          {/* What no known key has signed is not shown as a report. */}
          {verdict?.is === "genuine" && verdict.findings.report && (
            <ReportDocument report={verdict.findings.report satisfies object as SignedContent} />
          )}
        </>
      )}
    </Page>
  );
}

/** Takes a report as text or as a file, pasted, dropped or chosen. */
function Taker({ text, take: taken, readable }: { text: string; take: (text: string) => void; readable: boolean }) {
  const [error, setError] = useState("");
  const [over, setOver] = useState(false);
  const take = (read: string) => {
    taken(read.slice(0, MAX_BYTES));
    setError(read.length > MAX_BYTES ? TOO_LARGE : "");
  };
  const open = (file: File | undefined) => {
    if (!file) return;
    if (file.size > MAX_BYTES) return setError(TOO_LARGE);
    file.text().then(take, () => setError("The file could not be read."));
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    open(event.dataTransfer.files[0]);
  };
  const unreadable = text.trim() !== "" && !readable;
  return (
    <section className="panel stack drop" data-over={over || undefined}>
      <label className="label" htmlFor="report-json">
        The report as JSON
      </label>
      <textarea
        id="report-json"
        className="field mono"
        rows={6}
        spellCheck={false}
        value={text}
        aria-invalid={unreadable}
        aria-describedby="report-error"
        onChange={({ target }) => take(target.value)}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      />
      <p className="fault" id="report-error" role="alert">
        {error ||
          (unreadable ? "This is no report with a receipt. It must be the whole JSON, as it was downloaded." : "")}
      </p>
      <p className="actions">
        <label className="button">
          <input
            className="unseen"
            type="file"
            accept=".json,application/json"
            onChange={({ target }) => open(target.files?.[0])}
          />
          Open a file
        </label>
        {text && <Button onClick={() => take("")}>Clear</Button>}
      </p>
    </section>
  );
}
