CREATE TABLE "offchain"."token_stats" (
	"one" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"holders" integer NOT NULL,
	"updated_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
-- Ids are given out before they are committed, and not committed in their order. So that no reader by id passes over a
-- row that is still to come, every writer first shows the last id given out so far, as a shared lock that its commit or
-- its end releases: all its rows have greater ids. db/cred-updates.ts reads the locks.
CREATE FUNCTION "offchain"."cred_history_announce"() RETURNS trigger LANGUAGE plpgsql AS $$
begin
  perform pg_advisory_xact_lock_shared((4411972::int8 << 40) + last_value - (not is_called)::int4)
    from offchain.cred_history_id_seq;
  return null;
end $$;
--> statement-breakpoint
CREATE TRIGGER "cred_history_announce" BEFORE INSERT ON "offchain"."cred_history"
  FOR EACH STATEMENT EXECUTE FUNCTION "offchain"."cred_history_announce"();
