/** The profile of a human as a form: registration the first time, changes after it. */
import type { FormEvent } from "react";
import type { Human, OwnHuman } from "../api/types.ts";
import { Button } from "../parts/button.tsx";
import { faultsIn, fieldsWith, TextArea, TextField } from "../parts/form.tsx";
import { Panel } from "../parts/panel.tsx";
import { OperationSteps, useOperation } from "../wallet/operation.tsx";
import { listOf, placesFrom, placesText } from "./fields.ts";
import { PublicPage } from "./parts.tsx";

const REGISTER = "/api/v2/principals/human/register";

type Props = { human: OwnHuman | null; who: string; changed: () => void };

export function HumanForm({ human, who, changed }: Props) {
  const op = useOperation<{ principal: Human }>({ name: `human.${who}`, caller: "human" });
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    await op.run({ method: "POST", path: REGISTER, body: bodyOf(new FormData(event.currentTarget)) });
    changed();
  };
  const field = fieldsWith(faultsIn(op.state));
  return (
    <Panel title={human ? human.name : "Register"}>
      {!human && <p className="muted">You are not registered yet. A name is enough to begin.</p>}
      {/* Another human is another form, while the outcome of what was sent stays; a change of this one keeps what is typed. */}
      <form key={human?.id ?? "new"} className="form" onSubmit={(event) => void submit(event)}>
        <TextField {...field("name", "Name", human?.name ?? "", 64)} optional={false} />
        <TextArea {...field("description", "Description", human?.description ?? "", 512)} />
        <TextField {...field("image", "Picture", human?.image ?? "", 2_000)} hint="https: or ipfs:" />
        <TextField {...field("organization", "Organization", human?.organization ?? "", 128)} />
        <TextField
          {...field("skills", "Skills", human?.skills.join(", ") ?? "", 1_000)}
          hint="words, separated by commas"
        />
        <TextField
          {...field("domains", "Domains", human?.domains.join(", ") ?? "", 1_000)}
          hint="words, separated by commas"
        />
        <TextArea
          {...field("linkedAccounts", "Accounts elsewhere", placesText(human?.linkedAccounts ?? {}), 4_000)}
          hint="one a line: github: ada"
        />
        <TextField
          {...field("email", "E-mail", human?.contact.email ?? "", 254)}
          path="contact.email"
          hint="shown to you alone"
        />
        <TextField
          {...field("telegram", "Telegram", human?.contact.telegram ?? "", 64)}
          path="contact.telegram"
          hint="shown to you alone"
        />
        <p className="actions">
          <Button type="submit" strong disabled={op.state.at === "working"}>
            {human ? "Save the changes" : "Register"}
          </Button>
          {human && <PublicPage href={`/human/${human.id}`} />}
        </p>
      </form>
      <OperationSteps op={op} done={() => human && <p role="status">Saved.</p>} />
    </Panel>
  );
}

/** Empty fields clear what was there. */
function bodyOf(form: FormData) {
  const text = (key: string) => String(form.get(key) ?? "").trim();
  return {
    name: text("name"),
    description: text("description"),
    image: text("image") || null,
    organization: text("organization"),
    skills: listOf(text("skills")),
    domains: listOf(text("domains")),
    linkedAccounts: placesFrom(text("linkedAccounts")),
    contact: { email: text("email") || null, telegram: text("telegram") || null },
  };
}
