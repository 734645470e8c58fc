ALTER TABLE "offchain"."cred" ADD COLUMN "changed_xid" "xid8" DEFAULT pg_current_xact_id() NOT NULL;--> statement-breakpoint
CREATE INDEX "cred_changed" ON "offchain"."cred" USING btree ("changed_xid");--> statement-breakpoint
-- Whoever writes a score need not know that somebody follows the changes: a row that keeps its score keeps its mark.
CREATE FUNCTION "offchain"."cred_mark_change"() RETURNS trigger LANGUAGE plpgsql AS $$
begin
  new.changed_xid := pg_current_xact_id();
  return new;
end $$;
--> statement-breakpoint
CREATE TRIGGER "cred_mark_change" BEFORE UPDATE ON "offchain"."cred"
  FOR EACH ROW WHEN (old.score IS DISTINCT FROM new.score) EXECUTE FUNCTION "offchain"."cred_mark_change"();
