// Completes the shaders of pixi-filters. Its modules export one GLSL text each, with placeholders for the filters'
// options; this module replaces them with the default options.
import fs from 'node:fs';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

// PixiJS adds this text before shaders that use in and out.
const PREAMBLE = '#version 300 es\nprecision highp float;\nprecision highp int;\n';

// A quality of 0.1 and a distance of 10 determine the angle steps of the outline and the glow.
const gaps = (perlin) => [
  ['${ANGLE_STEP}', '0.6283185'],
  ['${MAX_KERNEL_SIZE}', '32.0'],
  ['${MAX_COLORS}', '3'],
  ['${PERLIN}', perlin],
  ['__ANGLE_STEP_SIZE__', '1.0000000'],
  ['__DIST__', '10.0'],
];

async function exportedText(file) {
  const script = fs.readFileSync(file, 'utf8');
  if (/^import /m.test(script)) return '';  // this module is a filter, not a text
  const text = (await import(pathToFileURL(file))).default;
  return typeof text === 'string' ? text : '';
}

const isWgsl = (text) => /@fragment|@vertex|\bfn \w+\s*\(/.test(text);

export async function shaders(folder) {
  const library = path.join(folder, 'lib');
  let perlin = '';
  const texts = [];
  for (const file of fs.readdirSync(library, {recursive: true}).sort()) {
    if (!file.endsWith('.mjs') || file.endsWith('index.mjs')) continue;
    const text = await exportedText(path.join(library, file));
    if (isWgsl(text)) continue;
    if (/void main\s*\(/.test(text)) texts.push({name: file.slice(0, -'.mjs'.length), text});
    else if (/\bfloat turb\s*\(/.test(text)) perlin = text;
  }
  return texts.map(({name, text}) => ({
    name,
    stage: text.includes('gl_Position') ? 'vert' : 'frag',
    text: PREAMBLE + gaps(perlin).reduce((filled, [gap, filler]) => filled.replaceAll(gap, filler), text),
  }));
}
