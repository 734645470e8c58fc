CREATE TABLE "offchain"."directory_alias" (
	"directory_id" bigint PRIMARY KEY NOT NULL,
	"wallet" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "offchain"."directory_page" (
	"source" text NOT NULL,
	"cursor" text NOT NULL,
	"etag" text,
	"last_modified" text,
	"next" jsonb,
	"expected" integer,
	"source_ids" text[] NOT NULL,
	"sweep" bigint NOT NULL,
	"read_at" timestamp with time zone NOT NULL,
	CONSTRAINT "directory_page_source_cursor_pk" PRIMARY KEY("source","cursor")
);
--> statement-breakpoint
ALTER TABLE "offchain"."directory_pull" ADD COLUMN "whole_sweep" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "offchain"."directory_pull" ADD COLUMN "partial" text;--> statement-breakpoint
ALTER TABLE "offchain"."directory_pull" ADD COLUMN "note" text;--> statement-breakpoint
ALTER TABLE "offchain"."registration_file" ADD COLUMN "last_modified" text;--> statement-breakpoint
ALTER TABLE "offchain"."directory_alias" ADD CONSTRAINT "directory_alias_directory_id_directory_id_fk" FOREIGN KEY ("directory_id") REFERENCES "offchain"."directory"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "directory_alias_wallet" ON "offchain"."directory_alias" USING btree (wallet collate "C");--> statement-breakpoint
ALTER TABLE "offchain"."directory" DROP COLUMN "ethos_score";--> statement-breakpoint
-- A wallet counts while it is proven and its row is shown, and only as the row itself has it: nobody else says whose it is.
CREATE FUNCTION "offchain"."directory_follow_wallet"() RETURNS trigger LANGUAGE plpgsql AS $$
begin
  if new.wallet_proven and new.address is not null and new.removed_at is null then
    insert into "offchain"."directory_alias" (directory_id, wallet) values (new.id, new.address)
      on conflict (directory_id) do update set wallet = excluded.wallet;
  else
    delete from "offchain"."directory_alias" where directory_id = new.id;
  end if;
  return null;
end $$;
--> statement-breakpoint
CREATE TRIGGER "directory_new_wallet" AFTER INSERT ON "offchain"."directory" FOR EACH ROW
  WHEN (new.wallet_proven) EXECUTE FUNCTION "offchain"."directory_follow_wallet"();
--> statement-breakpoint
CREATE TRIGGER "directory_other_wallet" AFTER UPDATE ON "offchain"."directory" FOR EACH ROW
  WHEN ((old.wallet_proven, old.address, old.removed_at) is distinct from (new.wallet_proven, new.address, new.removed_at))
  EXECUTE FUNCTION "offchain"."directory_follow_wallet"();
--> statement-breakpoint
INSERT INTO "offchain"."directory_alias" (directory_id, wallet)
  SELECT id, address FROM "offchain"."directory" WHERE wallet_proven AND address IS NOT NULL AND removed_at IS NULL;
