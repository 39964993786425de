// Reads the shaders of DXVK, which implements Direct3D on Vulkan. Its own shaders clear, copy and resolve images,
// convert them between formats, and draw its status display. They are complete except for included files.
import fs from 'node:fs';
import path from 'node:path';
import {withIncludes} from './includes.mjs';

const FOLDER = 'src';
const STAGES = ['comp', 'frag', 'geom', 'vert'];

export async function shaders(root) {
  const folder = path.resolve(root, FOLDER);
  const found = [];
  for (const file of fs.readdirSync(folder, {recursive: true}).sort()) {
    const stage = path.extname(file).slice(1);
    if (!STAGES.includes(stage)) continue;
    found.push({name: path.basename(file, `.${stage}`), stage, text: withIncludes([], path.join(folder, file))});
  }
  return found;
}
