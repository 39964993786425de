// Reads Mesa's own compute shaders, which its Vulkan drivers use to build and copy ray tracing structures and to sort
// keys. The package's build files list the texts and their macros.
import fs from 'node:fs';
import path from 'node:path';
import {withIncludes} from './includes.mjs';

const COMMON = 'src/vulkan/runtime/bvh';
const FOLDERS = [COMMON, 'src/amd/vulkan/bvh', 'src/intel/vulkan/bvh', 'src/freedreno/vulkan/bvh'];
const SORT = 'src/vulkan/runtime/radix_sort/shaders';
const SORT_MACROS = ['RS_KEYVAL_DWORDS=2'];

// Returns the program of the file with macros such as "COMPACT=1".
function program(root, folder, file, macros) {
  const folders = [folder, COMMON].map((name) => path.resolve(root, name));
  const lines = macros.map((macro) => `#define ${macro.replace('=', ' ')}\n`).join('');
  return withIncludes(folders, path.resolve(root, folder, file)).replace(/^#version[^\n]*\n/m, (head) => head + lines);
}

export async function shaders(root) {
  const found = [];
  for (const folder of FOLDERS) {
    const build = fs.readFileSync(path.join(root, folder, 'meson.build'), 'utf8');
    const driver = folder === COMMON ? 'common' : folder.split('/')[1];
    for (const [, file, name, macros] of build.matchAll(/\[\s*'(\w+\.comp)',\s*'(\w+)',\s*\[([^\]]*)\]/g)) {
      const set = [...macros.matchAll(/'([^']+)'/g)].map(([, macro]) => macro);
      found.push({name: `${driver}_${name}`, stage: 'comp', text: program(root, folder, file, set)});
    }
  }
  for (const file of fs.readdirSync(path.join(root, SORT)).filter((name) => name.endsWith('.comp')).sort()) {
    const name = `sort_${path.basename(file, '.comp')}`;
    found.push({name, stage: 'comp', text: program(root, SORT, file, SORT_MACROS)});
  }
  return found;
}
