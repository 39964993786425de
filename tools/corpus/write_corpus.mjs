// Writes the shaders of one source as complete GLSL files, and prints the number of shaders.
// usage: node write_corpus.mjs SOURCE FROM TO     FROM: the unpacked package; TO: the folder to create
import fs from 'node:fs';
import path from 'node:path';

const SOURCES = {
  'three': './three.mjs',
  'gl-transitions': './gl_transitions.mjs',
  'pixi-filters': './pixi_filters.mjs',
  'glmark2': './glmark2.mjs',
  'dolphin': './dolphin.mjs',
  'kodi': './kodi.mjs',
  'movit': './movit.mjs',
  'cesium': './cesium.mjs',
  'butterchurn': './butterchurn.mjs',
  'godot': './godot.mjs',
  'tfjs': './tfjs.mjs',
  'pytorch': './pytorch.mjs',
  'mesa': './mesa.mjs',
  'keras-js': './keras_js.mjs',
  'onnxruntime-web': './onnxruntime_web.mjs',
  'dxvk': './dxvk.mjs',
  'babylon': './babylon.mjs',
};

const [source, from, to] = process.argv.slice(2);
if (!(source in SOURCES) || !from || !to) {
  console.error(`usage: node write_corpus.mjs SOURCE FROM TO     SOURCE: ${Object.keys(SOURCES).join(' ')}`);
  process.exit(2);
}
const {shaders} = await import(SOURCES[source]);
fs.mkdirSync(to, {recursive: true});
let written = 0;
for (const {name, stage, text} of await shaders(path.resolve(from))) {
  const file = path.join(to, `${name.replace(/[^A-Za-z0-9_.-]/g, '_')}.${stage}`);
  fs.writeFileSync(file, text, {flag: 'wx'});  // fails if the source's module returns two shaders with the same name
  written++;
}
console.log(written);
