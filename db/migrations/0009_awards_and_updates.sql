CREATE TABLE "offchain"."chain_write" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"token_id" bigint NOT NULL,
	"slot" text NOT NULL,
	"intent_key" text NOT NULL,
	"wallet" text NOT NULL,
	"accepted_at" timestamp with time zone NOT NULL,
	CONSTRAINT "chain_write_intentKey_unique" UNIQUE("intent_key")
);
--> statement-breakpoint
CREATE TABLE "offchain"."human_update" (
	"text" text PRIMARY KEY NOT NULL,
	"token_id" bigint NOT NULL,
	"fingerprint" text NOT NULL,
	"used_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "offchain"."mint" ADD COLUMN "awards_due_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "chain_write_slot" ON "offchain"."chain_write" USING btree ("token_id","slot","id");--> statement-breakpoint
CREATE INDEX "chain_write_accepted" ON "offchain"."chain_write" USING btree ("token_id","accepted_at");--> statement-breakpoint
CREATE INDEX "human_update_used" ON "offchain"."human_update" USING btree ("used_at");--> statement-breakpoint
CREATE INDEX "mint_awards_due" ON "offchain"."mint" USING btree ("awards_due_at") WHERE awards_due_at is not null;