ALTER TABLE "offchain"."ethos_score" ALTER COLUMN "score" DROP NOT NULL;--> statement-breakpoint
CREATE INDEX "ethos_fetched" ON "offchain"."ethos_score" USING btree ("fetched_at");--> statement-breakpoint
CREATE INDEX "proof_due" ON "offchain"."proof" USING btree ("platform","checked_at") WHERE status <> 'lapsed';