CREATE TABLE "offchain"."commerce_weighed" (
	"directory_id" bigint NOT NULL,
	"job_id" numeric NOT NULL,
	"rule" text,
	"through" text,
	CONSTRAINT "commerce_weighed_directory_id_job_id_pk" PRIMARY KEY("directory_id","job_id")
);
--> statement-breakpoint
ALTER TABLE "offchain"."commerce_weighed" ADD CONSTRAINT "commerce_weighed_directory_id_directory_id_fk" FOREIGN KEY ("directory_id") REFERENCES "offchain"."directory"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "commerce_job_client" ON "offchain"."commerce_job" USING btree ("client");--> statement-breakpoint
-- Weighed again at once: what was weighed before has no rows of its jobs.
UPDATE "offchain"."commerce_figures" SET "computed_at" = 'epoch';