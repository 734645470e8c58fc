/** The button that shows the API calls of the view; its dialog is loaded when it is opened. */
import { Suspense, useState } from "react";
import { Button, Icon } from "../parts/button.tsx";
import { onDemand, Part } from "../parts/states.tsx";

const ApiCalls = onDemand(() => import("./api-calls.tsx"));

/** @param paths of the calls this view is made of, with their queries */
export function ApiButton({ paths }: { paths: string[] }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button aria-haspopup="dialog" onClick={() => setOpen(true)}>
        <Icon name="code" /> API
      </Button>
      {open && (
        <Part>
          <Suspense>
            <ApiCalls paths={paths} close={() => setOpen(false)} />
          </Suspense>
        </Part>
      )}
    </>
  );
}
