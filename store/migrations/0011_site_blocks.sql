-- Sites in blocks (store/sites): a row of a table takes sixty bytes, and of a block six.

-- What a shader's rows in blocks are under: another one, greater than all before, whenever the shader is cut anew.
ALTER TABLE shaders ADD COLUMN sites_key INTEGER NOT NULL DEFAULT 0;
UPDATE shaders SET sites_key = id;
CREATE UNIQUE INDEX shaders_by_sites_key ON shaders (sites_key);

-- Keys that no shader has any more, whose rows may still be there.
CREATE TABLE stale_sites (sites_key INTEGER PRIMARY KEY) STRICT;

-- Rows of a fragment from first_key on, up to the next block's.
CREATE TABLE site_blocks (
  fragment_id INTEGER NOT NULL REFERENCES fragments,
  first_key INTEGER NOT NULL,
  rows BLOB NOT NULL,
  PRIMARY KEY (fragment_id, first_key)
) STRICT, WITHOUT ROWID;

-- Some shaders to a block: most come to half of what a full one has, and no block is too long to be read.
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
