// GLSL texts with the files that they include.
import fs from 'node:fs';
import path from 'node:path';

// The text of `file`, with what it includes from its own folder or from `folders`: each file once, as the guards or
// `#pragma once` of these have it.
export function withIncludes(folders, file, seen = new Set()) {
  seen.add(file);
  return fs.readFileSync(file, 'utf8').replace(/^[ \t]*#include "([^"]+)"[^\n]*$/gm, (_, name) => {
    const found = [path.dirname(file), ...folders].map((folder) => path.resolve(folder, name)).find(fs.existsSync);
    if (found === undefined) throw new Error(`${file}: no file ${name} to include`);
    return seen.has(found) ? '' : withIncludes(folders, found, seen);
  }).replace(/^[ \t]*#pragma once[^\n]*$/gm, '');
}
