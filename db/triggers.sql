-- What db/schema.ts cannot say: an extension, an index and a storage parameter that Drizzle has no words for, the trigger
-- functions with their triggers, and the rows that every database begins with.
--
-- `npm run migrate` runs this file after the migrations and in their transaction, whenever it differs from the file it
-- ran last. So every statement can run again on a database that has it already, and a function is changed here, in
-- place. To remove a trigger or a function, delete it here and drop it in a migration.

-- ---------------------------------------------------------------------------------------------------------------------
-- Search by parts of names
-- ---------------------------------------------------------------------------------------------------------------------

-- In the schema itself, so that no search path decides whether the operators of the index below are found.
create extension if not exists pg_trgm with schema offchain;

create index if not exists directory_search
  on offchain.directory using gin (search_name offchain.gin_trgm_ops) where removed_at is null;

-- 15 % of each page stays free for new versions of its rows: a change of a column without an index touches no index.
alter table offchain.directory set (fillfactor = 85);

-- ---------------------------------------------------------------------------------------------------------------------
-- Search by what agents can do
-- ---------------------------------------------------------------------------------------------------------------------

create index if not exists discovery_word_trigrams
  on offchain.discovery_word using gin (word offchain.gin_trgm_ops) where written;

-- As in the directory: a change of trust alone touches no index.
alter table offchain.discovery_document set (fillfactor = 85);
-- Searches read a few lexemes of hundreds of documents: decompressing each would take longer than all else.
alter table offchain.discovery_document alter column words set storage external;

-- ---------------------------------------------------------------------------------------------------------------------
-- Score history: readers by id miss no row
-- ---------------------------------------------------------------------------------------------------------------------

-- Corrections take their ids from the history's sequence, so that one cursor reads both.
alter table offchain.cred_correction alter column id set default nextval('offchain.cred_history_id_seq');

-- A sequence gives out ids before the rows are committed, and transactions commit in another order. A reader that asks
-- for "ids above 7" would miss id 6 if it commits later. So each writer first takes a shared advisory lock whose key
-- holds the last id given out so far; all its rows have greater ids. Its commit or rollback releases the lock.
-- db/cred-updates.ts reads the locks and stops below the lowest one. 4411972 is `credHistory` in db/locks.ts; the id is in the low 40 bits.
create or replace function offchain.cred_history_announce() returns trigger language plpgsql as $$
begin
  perform pg_advisory_xact_lock_shared((4411972::int8 << 40) + last_value - (not is_called)::int4)
    from offchain.cred_history_id_seq;
  return null;
end $$;

create or replace trigger cred_history_announce before insert on offchain.cred_history
  for each statement execute function offchain.cred_history_announce();

create or replace trigger cred_correction_announce before insert on offchain.cred_correction
  for each statement execute function offchain.cred_history_announce();

-- Deleted points of the history leave a correction for each agent: readers then read the agent's present score.
create or replace function offchain.cred_history_correct() returns trigger language plpgsql as $$
begin
  insert into offchain.cred_correction (token_id) select distinct token_id from deleted;
  return null;
end $$;

create or replace trigger cred_history_correct after delete on offchain.cred_history
  referencing old table as deleted for each statement execute function offchain.cred_history_correct();

-- ---------------------------------------------------------------------------------------------------------------------
-- Scores: the transaction that changed each
-- ---------------------------------------------------------------------------------------------------------------------

-- Readers follow changes of scores by `changed_xid`. A row that is written with the same score keeps its value.
create or replace function offchain.cred_mark_change() returns trigger language plpgsql as $$
begin
  new.changed_xid := pg_current_xact_id();
  return new;
end $$;

create or replace trigger cred_mark_change before update on offchain.cred
  for each row when (old.score is distinct from new.score) execute function offchain.cred_mark_change();

-- The directory shows the score of `cred` from the same commit on, for every writer of `cred`. Rows are locked in the
-- order of their ids, as every writer of many directory rows does; another order could deadlock.
create or replace function offchain.directory_follow_cred() returns trigger language plpgsql as $$
begin
  perform from "offchain"."directory" d join scored n on d.agent_id = n.token_id::text
    where d.platform = 'helixa' and d.cred_score <> n.score order by d.id for no key update of d;
  if found then
    update "offchain"."directory" d set cred_score = n.score from scored n
      where d.platform = 'helixa' and d.agent_id = n.token_id::text and d.cred_score <> n.score;
  end if;
  return null;
end $$;

create or replace trigger directory_follow_new_cred after insert on offchain.cred
  referencing new table as scored for each statement execute function offchain.directory_follow_cred();

create or replace trigger directory_follow_cred after update on offchain.cred
  referencing new table as scored for each statement execute function offchain.directory_follow_cred();

-- ---------------------------------------------------------------------------------------------------------------------
-- Directory: what follows from a row
-- ---------------------------------------------------------------------------------------------------------------------

-- Writers leave out rows that would stay as they are, so every update is a change.
create or replace function offchain.directory_mark_change() returns trigger language plpgsql as $$
begin
  new.updated_at := clock_timestamp();
  return new;
end $$;

create or replace trigger directory_mark_change before update on offchain.directory
  for each row execute function offchain.directory_mark_change();

-- Copies the score of new and changed rows into `directory_score` (null for removed ones), which holds the indexes that
-- lists are sorted by. `changed_xid` changes with every change of the row: readers follow the directory by it.
create or replace function offchain.directory_follow_rows() returns trigger language plpgsql as $$
begin
  insert into "offchain"."directory_score" (id, cred_score, changed_xid)
    select id, case when removed_at is null then cred_score end, pg_current_xact_id() from changed order by id
    on conflict (id) do update set cred_score = excluded.cred_score, changed_xid = excluded.changed_xid;
  return null;
end $$;

create or replace trigger directory_follow_new_rows after insert on offchain.directory
  referencing new table as changed for each statement execute function offchain.directory_follow_rows();

create or replace trigger directory_follow_rows after update on offchain.directory
  referencing new table as changed for each statement execute function offchain.directory_follow_rows();

-- Deleted rows stay in `directory_score` without a score, so that readers learn that they are gone.
create or replace function offchain.directory_forget_rows() returns trigger language plpgsql as $$
begin
  update "offchain"."directory_score" s set cred_score = null, changed_xid = pg_current_xact_id()
    from gone where s.id = gone.id;
  return null;
end $$;

create or replace trigger directory_forget_rows after delete on offchain.directory
  referencing old table as gone for each statement execute function offchain.directory_forget_rows();

-- Keeps `directory_alias`, the proven wallets of rows: a wallet is there while its row is shown and its registry proves
-- the wallet, and exactly as that row has it. No other row decides whose wallet it is.
create or replace function offchain.directory_follow_wallet() returns trigger language plpgsql as $$
begin
  if new.wallet_proven and new.address is not null and new.removed_at is null then
    insert into "offchain"."directory_alias" (directory_id, wallet) values (new.id, new.address)
      on conflict (directory_id) do update set wallet = excluded.wallet;
  else
    delete from "offchain"."directory_alias" where directory_id = new.id;
  end if;
  return null;
end $$;

create or replace trigger directory_new_wallet after insert on offchain.directory
  for each row when (new.wallet_proven) execute function offchain.directory_follow_wallet();

create or replace trigger directory_other_wallet after update on offchain.directory for each row
  when ((old.wallet_proven, old.address, old.removed_at) is distinct from (new.wallet_proven, new.address, new.removed_at))
  execute function offchain.directory_follow_wallet();

-- ---------------------------------------------------------------------------------------------------------------------
-- Rows that every database begins with
-- ---------------------------------------------------------------------------------------------------------------------

-- The default message groups, listed in this order.
insert into offchain.message_group (group_id, topic, description, min_cred, is_public, is_default)
  select d.topic, d.topic, d.description, d.min_cred, d.is_public, true
  from (values
    (1, 'welcome', 'Say hello. Every agent may write here.', 0, true),
    (2, 'general', 'Anything that has no group of its own.', 0, true),
    (3, 'trading', 'Markets, tokens and strategies.', 26, true),
    (4, 'collabs', 'Agents looking for agents to work with.', 26, true),
    (5, 'security', 'Incidents, scams and vulnerabilities.', 51, true),
    (6, 'governance', 'How the service is run. Only members read it.', 76, false)
  ) d (place, topic, description, min_cred, is_public)
  where not exists (select from offchain.message_group g where g.group_id = d.topic)
  order by d.place;

-- Tables of one row each: the heads of the event log and of what webhooks have been given of it, and how far the
-- directory was read for wallets.
insert into offchain.event_log default values on conflict do nothing;
insert into offchain.webhook_cursor default values on conflict do nothing;
insert into offchain.wallet_walk default values on conflict do nothing;
