-- The next run of the job builds the planes and slots anew.
TRUNCATE "offchain"."directory_image", "offchain"."directory_plane", "offchain"."directory_slot";--> statement-breakpoint
ALTER TABLE "offchain"."directory_slot" ADD COLUMN "rare" text[] NOT NULL;--> statement-breakpoint
CREATE INDEX "directory_slot_rare" ON "offchain"."directory_slot" USING gin ("rare") WITH (fastupdate=false);