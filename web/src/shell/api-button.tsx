/** The button that shows the API calls of the view; its dialog is loaded when it is opened. */
import { useState } from "react";
import { Button, Icon } from "../parts/button.tsx";
import { dialogOnDemand } from "./dialog.tsx";

const ApiCalls = dialogOnDemand(() => import("./api-calls.tsx"));

/** @param paths of the calls this view is made of, with their queries */
export function ApiButton({ paths }: { paths: string[] }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Icon name="code" /> API
      </Button>
      {open && <ApiCalls paths={paths} close={() => setOpen(false)} />}
    </>
  );
}
