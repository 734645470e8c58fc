DROP INDEX "offchain"."discovery_document_words";--> statement-breakpoint
ALTER TABLE "offchain"."discovery_document" ADD COLUMN "trust_range" smallint GENERATED ALWAYS AS (width_bucket(trust::int4, array[120, 170, 220, 280, 350, 430, 520])) STORED NOT NULL;--> statement-breakpoint
CREATE INDEX "discovery_document_words_7" ON "offchain"."discovery_document" USING gin ("words") WITH (fastupdate=false) WHERE trust_range = 7;--> statement-breakpoint
CREATE INDEX "discovery_document_words_6" ON "offchain"."discovery_document" USING gin ("words") WITH (fastupdate=false) WHERE trust_range = 6;--> statement-breakpoint
CREATE INDEX "discovery_document_words_5" ON "offchain"."discovery_document" USING gin ("words") WITH (fastupdate=false) WHERE trust_range = 5;--> statement-breakpoint
CREATE INDEX "discovery_document_words_4" ON "offchain"."discovery_document" USING gin ("words") WITH (fastupdate=false) WHERE trust_range = 4;--> statement-breakpoint
CREATE INDEX "discovery_document_words_3" ON "offchain"."discovery_document" USING gin ("words") WITH (fastupdate=false) WHERE trust_range = 3;--> statement-breakpoint
CREATE INDEX "discovery_document_words_2" ON "offchain"."discovery_document" USING gin ("words") WITH (fastupdate=false) WHERE trust_range = 2;--> statement-breakpoint
CREATE INDEX "discovery_document_words_1" ON "offchain"."discovery_document" USING gin ("words") WITH (fastupdate=false) WHERE trust_range = 1;--> statement-breakpoint
CREATE INDEX "discovery_document_words_0" ON "offchain"."discovery_document" USING gin ("words") WITH (fastupdate=false) WHERE trust_range = 0;