CREATE TABLE "offchain"."cred_correction" (
	"id" bigint PRIMARY KEY DEFAULT nextval('offchain.cred_history_id_seq') NOT NULL,
	"token_id" bigint NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TRIGGER "cred_correction_announce" BEFORE INSERT ON "offchain"."cred_correction"
  FOR EACH STATEMENT EXECUTE FUNCTION "offchain"."cred_history_announce"();
--> statement-breakpoint
CREATE FUNCTION "offchain"."cred_history_correct"() RETURNS trigger LANGUAGE plpgsql AS $$
begin
  insert into offchain.cred_correction (token_id) select distinct token_id from deleted;
  return null;
end $$;
--> statement-breakpoint
CREATE TRIGGER "cred_history_correct" AFTER DELETE ON "offchain"."cred_history"
  REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION "offchain"."cred_history_correct"();
