// Captures the shaders of Butterchurn. The music visualizer loads each preset of its collections on a recording
// context. A preset's warp code and its compositing code, each embedded in the engine's code, become one shader each.
import {createRequire} from 'node:module';
import path from 'node:path';
import {DistinctShaders} from './distinct_shaders.mjs';
import {recordingContext} from './recording_gl.mjs';

const COLLECTIONS = ['', 'Extra', 'Extra2', 'MD1', 'NonMinimal'];
const SAMPLE_RATE = 44100;
const SIZE = {width: 256, height: 256};

// A value that can be called, read and used as a number. It replaces the audio graph, images, and 2D canvases.
const anything = new Proxy(function() {}, {
  get: (_, key) => key === Symbol.toPrimitive ? () => SAMPLE_RATE : anything,
  apply: () => anything,
});

function pretendToBeABrowser() {
  globalThis.self = globalThis;
  globalThis.window = globalThis;
  globalThis.Image = class {};
  globalThis.document = {createElement: () => ({...SIZE, style: {}, getContext: () => anything})};
}

// Returns the shaders of the package in `folder` as {name, stage, text}. npm has installed the engine next to it.
export function shaders(folder) {
  pretendToBeABrowser();
  const require = createRequire(path.join(folder, 'package.json'));
  const load = (file) => {
    const module = require(file);
    return module.default ?? module;
  };
  const found = new DistinctShaders();
  const {context, canvas} = recordingContext((stage, text) => {
    found.add(stage, text);
  });
  const visualizer = load('butterchurn').createVisualizer(anything, canvas, SIZE);
  for (const collection of COLLECTIONS) {
    const presets = load(path.join(folder, `lib/butterchurnPresets${collection}.min.js`)).getPresets();
    for (const [title, preset] of Object.entries(presets)) {
      found.name = title.replace(/[^A-Za-z0-9]+/g, '_').slice(0, 40);
      visualizer.loadPreset(preset, 0);
    }
  }
  return found.list();
}
