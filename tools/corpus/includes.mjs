// Reads GLSL texts and inserts the files that they include.
import fs from 'node:fs';
import path from 'node:path';

// Returns the text of `file` with the files that it includes from its own folder or from `folders`. Each file is
// included once, as the files' guards or `#pragma once` require.
export function withIncludes(folders, file, seen = new Set()) {
  seen.add(file);
  return fs.readFileSync(file, 'utf8').replace(/^[ \t]*#include "([^"]+)"[^\n]*$/gm, (_, name) => {
    const found = [path.dirname(file), ...folders].map((folder) => path.resolve(folder, name)).find(fs.existsSync);
    if (found === undefined) throw new Error(`${file}: no file ${name} to include`);
    return seen.has(found) ? '' : withIncludes(folders, found, seen);
  }).replace(/^[ \t]*#pragma once[^\n]*$/gm, '');
}
