ALTER TABLE "offchain"."webhook" ADD COLUMN "token_id" bigint;--> statement-breakpoint
CREATE INDEX "webhook_token" ON "offchain"."webhook" USING btree ("token_id");