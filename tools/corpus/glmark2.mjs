// Completes the shaders of glmark2. They lack the constants and steps that the benchmark inserts at run time; this
// module inserts similar values.
import fs from 'node:fs';
import path from 'node:path';

// Global constants that a file may use without declaring them.
const CONSTANTS = {
  LightSourcePosition: 'const vec4 LightSourcePosition = vec4(20.0, 20.0, 10.0, 1.0);',
  LightSourceHalfVector: 'const vec3 LightSourceHalfVector = vec3(0.408248, 0.408248, 0.816497);',
  MaterialDiffuse: 'const vec4 MaterialDiffuse = vec4(0.7, 0.7, 0.7, 1.0);',
  TextureStepX: 'const float TextureStepX = 0.00125;',
  TextureStepY: 'const float TextureStepY = 0.0016667;',
  TextureSize: 'const vec2 TextureSize = vec2(800.0, 600.0);',
  RefractiveIndex: 'const float RefractiveIndex = 1.2;',
  PI: 'const float PI = 3.14159265;',
  HIGHP_OR_DEFAULT: '#define HIGHP_OR_DEFAULT',
  MEDIUMP_OR_DEFAULT: '#define MEDIUMP_OR_DEFAULT',
};
const REPEATED_STEPS = 3;
const LOOP_LIMIT = '5';
const KERNELS = {
  box: [[1, 1, 1], [1, 1, 1], [1, 1, 1]].map((row) => row.map((weight) => weight / 9)),
  edge: [[0, 1, 0], [1, -4, 1], [0, 1, 0]],
  gauss: [[0.0625, 0.25, 0.375, 0.25, 0.0625]],
};

function convolution(kernel) {
  const taps = kernel.flatMap((row, y) => row.map((weight, x) => {
    const dx = (x - (row.length - 1) / 2).toFixed(1);
    const dy = (y - (kernel.length - 1) / 2).toFixed(1);
    const offset = `vec2(${dx} * TextureStepX, ${dy} * TextureStepY)`;
    return weight === 0 ? [] : [`texture2D(Texture0, TextureCoord + ${offset}) * ${weight.toFixed(6)}`];
  }).flat());
  return `result = ${taps.join(' +\n             ')};`;
}

function lights(count) {
  const position = (index) => `vec4(${(20 - 8 * index).toFixed(1)}, 15.0, 10.0, 1.0)`;
  const one = (index) => `compute_color(${position(index)}, vec4(0.8, 0.8, 0.8, 1.0))`;
  return `    gl_FragColor = ${Array.from({length: count}, (_, index) => one(index)).join(' +\n        ')};`;
}

// Returns the text with its placeholders replaced in each possible way, as {suffix: completed text}.
function filledIn(name, text, steps) {
  const scene = name.split('.')[0];  // loop, conditionals, function
  if (text.includes('$CONVOLUTION$')) {
    return Object.fromEntries(Object.entries(KERNELS).map(
        ([kernel, weights]) => [`-${kernel}`, text.replaceAll('$CONVOLUTION$', convolution(weights))]));
  }
  if (text.includes('$DO_LIGHTS$')) {
    return Object.fromEntries([1, 2, 4].map((count) => [`-${count}`, text.replaceAll('$DO_LIGHTS$', lights(count))]));
  }
  if (!text.includes('$MAIN$')) return {'': text};
  const variants = {};
  for (const [step, body] of Object.entries(steps)) {
    if (!step.startsWith(`${scene}-step-`)) continue;
    const call = steps[`${scene}-call`];
    const filled = call ? text.replaceAll('$PROCESS$', body) : text;
    const main = (call ?? body).repeat(REPEATED_STEPS).replaceAll('$NLOOPS$', LOOP_LIMIT);
    variants[step.slice(scene.length)] = filled.replaceAll('$MAIN$', main);
  }
  return variants;
}

function withConstants(text) {
  const missing = Object.keys(CONSTANTS).filter(
      (name) => new RegExp(`\\b${name}\\b`).test(text) &&
          !new RegExp(`\\b(uniform|const|varying)\\b[^;=]*\\b${name}\\s*[;=[]`).test(text));
  return missing.map((name) => `${CONSTANTS[name]}\n`).join('') + text;
}

export function shaders(folder) {
  const directory = path.join(folder, 'usr/share/glmark2/shaders');
  const read = (file) => fs.readFileSync(path.join(directory, file), 'utf8');
  const files = fs.readdirSync(directory).sort();
  const steps = Object.fromEntries(
      files.filter((file) => file.endsWith('.all')).map((file) => [path.basename(file, '.all'), read(file)]));
  return files.filter((file) => /\.(vert|frag)$/.test(file)).flatMap((file) => {
    const stage = path.extname(file).slice(1);
    return Object.entries(filledIn(file, read(file), steps)).map(([suffix, text]) => ({
      name: path.basename(file, `.${stage}`) + suffix,
      stage,
      text: withConstants(text),
    }));
  });
}
