CREATE TABLE "offchain"."directory_score" (
	"id" bigint PRIMARY KEY NOT NULL,
	"cred_score" smallint,
	"changed_xid" "xid8" DEFAULT pg_current_xact_id() NOT NULL
);
--> statement-breakpoint
DROP INDEX "offchain"."directory_changed";--> statement-breakpoint
DROP INDEX "offchain"."directory_by_score";--> statement-breakpoint
DROP INDEX "offchain"."directory_by_score_down";--> statement-breakpoint
CREATE INDEX "directory_score_changed" ON "offchain"."directory_score" USING btree ("changed_xid");--> statement-breakpoint
CREATE INDEX "directory_score_up" ON "offchain"."directory_score" USING btree (cred_score,"id") WHERE cred_score is not null;--> statement-breakpoint
CREATE INDEX "directory_score_down" ON "offchain"."directory_score" USING btree (cred_score desc nulls last,"id") WHERE cred_score is not null;--> statement-breakpoint
ALTER TABLE "offchain"."directory" DROP COLUMN "changed_xid";--> statement-breakpoint
-- Room for new versions of rows beside the old ones: a change of what stands in no index then touches none.
ALTER TABLE "offchain"."directory" SET (fillfactor = 85);--> statement-breakpoint
INSERT INTO "offchain"."directory_score" (id, cred_score)
  SELECT id, CASE WHEN removed_at IS NULL THEN cred_score END FROM "offchain"."directory" ORDER BY id;--> statement-breakpoint
CREATE OR REPLACE FUNCTION "offchain"."directory_mark_change"() RETURNS trigger LANGUAGE plpgsql AS $$
begin
  new.updated_at := clock_timestamp();
  return new;
end $$;
--> statement-breakpoint
-- Who changes a row need not know that somebody sorts by its score or follows the changes. Nobody writes a row that stays
-- as it is.
CREATE FUNCTION "offchain"."directory_follow_rows"() RETURNS trigger LANGUAGE plpgsql AS $$
begin
  insert into "offchain"."directory_score" (id, cred_score, changed_xid)
    select id, case when removed_at is null then cred_score end, pg_current_xact_id() from changed order by id
    on conflict (id) do update set cred_score = excluded.cred_score, changed_xid = excluded.changed_xid;
  return null;
end $$;
--> statement-breakpoint
CREATE TRIGGER "directory_follow_new_rows" AFTER INSERT ON "offchain"."directory" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION "offchain"."directory_follow_rows"();--> statement-breakpoint
CREATE TRIGGER "directory_follow_rows" AFTER UPDATE ON "offchain"."directory" REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION "offchain"."directory_follow_rows"();--> statement-breakpoint
CREATE FUNCTION "offchain"."directory_forget_rows"() RETURNS trigger LANGUAGE plpgsql AS $$
begin
  update "offchain"."directory_score" s set cred_score = null, changed_xid = pg_current_xact_id()
    from gone where s.id = gone.id;
  return null;
end $$;
--> statement-breakpoint
CREATE TRIGGER "directory_forget_rows" AFTER DELETE ON "offchain"."directory" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "offchain"."directory_forget_rows"();
