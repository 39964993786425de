// Reads the compute shaders of PyTorch's Vulkan back end; most of their arithmetic computes indices into tensors. They
// are complete except for the names in ${...}, which the package's build replaces. Excludes shaders that the build
// generates from templates, except those whose only parameters are tile sizes.
import fs from 'node:fs';
import path from 'node:path';
import {withIncludes} from './includes.mjs';

const FOLDER = 'aten/src/ATen/native/vulkan/glsl';
// The build's defaults.
const VALUES = {PRECISION: 'highp', FORMAT: 'rgba16f'};
const TILES = [1, 2];
const TEMPLATE_LINE = /^\s*\$/m;

const filled = (text, values) => text.replace(/\$\{(\w+)(?:\[[01]\])?\}/g, (gap, name) => values[name] ?? gap);

export async function shaders(root) {
  const folder = path.join(root, FOLDER);
  const found = [];
  for (const file of fs.readdirSync(folder).filter((name) => name.endsWith('.glsl')).sort()) {
    const text = withIncludes([], path.resolve(folder, file));
    if (TEMPLATE_LINE.test(text)) continue;
    const name = path.basename(file, '.glsl');
    const tiles = text.includes('${OUTPUT_TILE_SIZE') ? TILES : [undefined];
    for (const tile of tiles) {
      const whole = filled(text, {...VALUES, OUTPUT_TILE_SIZE: tile});
      if (whole.includes('${')) continue;
      found.push({name: tile ? `${name}_tile${tile}` : name, stage: 'comp', text: whole});
    }
  }
  return found;
}
