-- Defects of registration files have codes: a server's file with any is read as a whole at its next read. Those inside a
-- URI are read again by the reader of these codes (READER of db/directory/erc8004.ts).
update offchain.registration_file set etag = null, last_modified = null
where warnings <> '{}' or errors <> '{}';
