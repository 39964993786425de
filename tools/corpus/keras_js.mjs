// Reads the fragment shaders of Keras.js, which implement layers of neural networks; most of their arithmetic computes
// indices. Most shaders are string literals in the layers' files. The shaders of convolutions and merges are generated
// for given sizes; this module uses the sizes of small digit classifiers and of large photograph classifiers.
import fs from 'node:fs';
import {createRequire} from 'node:module';
import path from 'node:path';

const HEAD = '#version 300 es';
const GENERATORS = 'webgl/dynamic';
const CONSTANT = /^const (\w+) = ("(?:[^"\\\n]|\\.)*");$/gm;

// Arguments of createGLSLProgram(). Sizes are rows and columns of textures. The last two arguments of a convolution
// specify whether it adds a bias, and whether the input exceeds the maximum texture height, so that its rows are
// stored in columns.
const SIZES = {
  conv2d: [
    [[676, 32], [784, 1], [676, 9], true, false],
    [[576, 64], [676, 32], [576, 288], true, false],
    [[3136, 64], [3136, 256], [3136, 256], false, false],
    [[4096, 64], [4096, 3], [4096, 147], true, true],
    [[4096, 192], [4096, 64], [4096, 576], false, true],
  ],
  conv2dTranspose: [
    [[784, 64], [196, 576], [784, 9], true, false],
    [[3481, 16], [784, 144], [3481, 9], false, false],
    [[4096, 3], [4096, 27], [4096, 9], true, true],
  ],
  concatenate: [
    [2, [[1, 10], [1, 20]], [1, 30], 1],
    [3, [[289, 384], [289, 288], [289, 96]], [289, 768], 1],
    [4, [[64, 320], [64, 768], [64, 768], [64, 192]], [64, 2048], 1],
    [2, [[10, 8], [5, 8]], [15, 8], 0],
  ],
  cam: [
    [[14, 14], 512, true],
    [[49, 10], 320, false],
  ],
};
// Excludes maximum and minimum, which index an array of textures with a variable; GLSL ES 3.00 does not allow this.
for (const merge of ['add', 'average', 'multiply']) SIZES[merge] = [[2, [3136, 256]], [3, [1, 12]]];
SIZES.subtract = [[2, [3136, 256]]];

// Returns the literals of a file, by the names of their constants.
function literals(file) {
  const text = fs.readFileSync(file, 'utf8');
  const found = [...text.matchAll(CONSTANT)]
    .map(([, name, literal]) => [name, JSON.parse(literal)])  // JSON supports every escape sequence in these literals
    .filter(([, value]) => value.startsWith(HEAD));
  if (found.length !== text.split(HEAD).length - 1) throw new Error(`${file}: a shader that is not a constant`);
  return found;
}

function generated(library) {
  const create = createRequire(path.join(library, 'index.js'))(`./${GENERATORS}/createGLSLProgram`).default;
  return Object.entries(SIZES).flatMap(
    ([program, calls]) => calls.map((sizes, i) => [`${program}_${i}`, create(program, ...sizes)]));
}

// Returns the shaders of the package in `folder`, each text once. npm has installed the package's dependencies next to
// it.
export async function shaders(folder) {
  const library = path.join(folder, 'lib');
  const found = new Map();  // by text
  const add = (name, text) => {
    const stage = text.includes('gl_Position') ? 'vert' : 'frag';
    if (!found.has(text)) found.set(text, {name, stage, text});
  };
  for (const file of fs.readdirSync(library, {recursive: true}).sort()) {
    if (!file.endsWith('.js') || file.startsWith(GENERATORS)) continue;
    for (const [constant, text] of literals(path.join(library, file))) {
      const name = `${path.basename(file, '.js')}_${constant}`;
      add(name.replace(/^_/, '').replace(/_programSource$|ProgramSource$|ShaderSource$/, ''), text);
    }
  }
  for (const [name, text] of generated(library)) add(name, text);
  return [...found.values()];
}
