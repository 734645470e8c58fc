DROP INDEX "offchain"."tx_intent_nonce";--> statement-breakpoint
ALTER TABLE "offchain"."dispatcher_state" ADD COLUMN "settled_block" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "offchain"."tx_intent" ADD COLUMN "sender" text;--> statement-breakpoint
CREATE UNIQUE INDEX "tx_intent_nonce" ON "offchain"."tx_intent" USING btree ("sender","nonce") WHERE state in ('signed', 'mined', 'reverted');