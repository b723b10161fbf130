-- Adds the head of a new project: id $1, name $2, leaves $3, last hash $4, last time $5, directory version
-- $6, claim epoch $7, halt $8, fence floor $9, fingerprint key $10.
INSERT INTO head (only_row, project, name, leaf_count, last_hash, last_at, directory_version,
                  claim_epoch, is_halted, fence_floor, fingerprint_key, checksum)
VALUES (1, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10,
        row_checksum($1, $2, $3, $4, $5, $6, $7, $8, $9, $10));
