/** The accounts that an agent states: written by its token's owner, by one signed line of text. They count for nothing. */
import { short } from "../formats.ts";
import { fieldsOf } from "../parts/form.tsx";
import { NeedsWallet } from "../wallet/needs-wallet.tsx";
import { Changes } from "./changes.tsx";
import { ofProfile, ProfileForm, type ProfileProps, useProfileFields } from "./write.tsx";

const FIELDS = fieldsOf("ownerUpdate", { "social.twitter": {}, "social.github": {}, "social.website": {} });

export default ofProfile(4, (props) => (
  <NeedsWallet addresses={[props.agent.owner]} who={`the token's owner ${short(props.agent.owner)}`}>
    <AccountsForm {...props} />
  </NeedsWallet>
));

function AccountsForm(props: ProfileProps) {
  const { held, write, changes, save } = useProfileFields(props, "accounts", FIELDS);
  return (
    <ProfileForm
      agent={props.agent}
      write={write}
      title="Accounts"
      lead="Shown as stated, beside what is proven. They count for nothing; a proven account counts."
      fields={FIELDS}
      {...held}
      save={save({ bySignature: true })}
      does="Sign and save"
    >
      <Changes changes={changes} />
      <p className="muted">
        The owner's wallet signs one line of text that names the agent and the time. It is good for five minutes and for
        this change only.
      </p>
    </ProfileForm>
  );
}
