-- Stores sites in blocks (store/sites), because a row takes sixty bytes in a table but six bytes in a block.

-- Each shader has a key that identifies its rows in blocks. When the shader is extracted again, it gets a new key that
-- is greater than all others.
ALTER TABLE shaders ADD COLUMN sites_key INTEGER NOT NULL DEFAULT 0;
UPDATE shaders SET sites_key = id;
CREATE UNIQUE INDEX shaders_by_sites_key ON shaders (sites_key);

-- Keys that no shader has anymore, but whose rows may still exist.
CREATE TABLE stale_sites (sites_key INTEGER PRIMARY KEY) STRICT;

-- A block contains the rows of a fragment whose keys are at least first_key and less than the first_key of the
-- fragment's next block.
CREATE TABLE site_blocks (
  fragment_id INTEGER NOT NULL REFERENCES fragments,
  first_key INTEGER NOT NULL,
  rows BLOB NOT NULL,
  PRIMARY KEY (fragment_id, first_key)
) STRICT, WITHOUT ROWID;

-- Puts several shaders into a block. Most blocks are about half full, and none is too long to be read.
INSERT INTO site_blocks (fragment_id, first_key, rows)
  SELECT fragment_id, min(shader_id),
    pack_sites(group_concat(shader_id || ',' || node_flags || ',' || multi_use || ',' || facts_id || ',' || count || ','
                            || loop_weight || ',' || lines, ';'))
  FROM (SELECT *, dense_rank() OVER (PARTITION BY fragment_id ORDER BY shader_id) / 64 AS block FROM sites)
  GROUP BY fragment_id, block ORDER BY fragment_id, block;

DROP TABLE sites;

CREATE VIEW sites AS
  SELECT b.fragment_id, s.id AS shader_id, node_flags, multi_use, facts_id, count, loop_weight, lines
  FROM site_blocks b CROSS JOIN unpack_sites(b.first_key, b.rows) r JOIN shaders s ON s.sites_key = r.sites_key;
