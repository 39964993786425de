// Completes the shaders of Godot 3's renderer. Each file contains a vertex and a fragment part, to which the engine
// adds its macros and code generated from a material. The engine's C++ code decides which macros are combined. This
// module sets each macro separately on top of the states below, and uses the smallest material code that reads all
// required values.
import fs from 'node:fs';
import path from 'node:path';

const RENDERERS = ['gles3', 'gles2'];
const HEADS = {
  gles3: '#version 330\n#define GLES_OVER_GL\n',
  gles2: '#version 120\n#define USE_GLES_OVER_GL\n#define USE_HIGHP_PRECISION\n',
};
// Array sizes, which the engine queries from the driver.
const SIZES = '#define MAX_LIGHT_DATA_STRUCTS 64\n#define MAX_FORWARD_LIGHTS 8\n' +
    '#define MAX_REFLECTION_DATA_STRUCTS 64\n#define MAX_SKELETON_BONES 256\n';
// Macros that the header, the platform, or debug builds set; they do not define variants.
const NOT_VARIED = /GLES_OVER_GL|^DEBUG|ANDROID|^GL_|^USE_MATERIAL$|^USE_LIGHT_SHADER_CODE$/;
// Families of macros; the engine sets only one macro of each family at a time.
const FAMILIES = [
  /^DOF_QUALITY_/, /^SSAO_QUALITY_/, /^USE_\d+_SAMPLES$/, /^(GAUSSIAN|GLOW_GAUSSIAN|DOF_(NEAR|FAR)_BLUR$)/,
];
// For each file, the states on top of which macros are set. Without these states, some macros and files have no effect.
const LIT = ['USE_LIGHT_DIRECTIONAL', 'LIGHT_DIRECTIONAL_SHADOW', 'USE_SHADOW'];
const NEEDS = {
  scene: [[], ['USE_FORWARD_LIGHTING', 'USE_RADIANCE_MAP'], LIT],
  canvas: [[], ['USE_LIGHTING', 'USE_SHADOWS']],
  effect_blur: [['GAUSSIAN_HORIZONTAL'], ['DOF_FAR_BLUR', 'DOF_QUALITY_LOW']],
  subsurf_scattering: [['USE_11_SAMPLES'], ['USE_25_SAMPLES']],
  ssao: [['SSAO_QUALITY_LOW'], ['SSAO_QUALITY_HIGH']],
};
// Macros that the engine always sets together with another macro.
const WITH = {
  USE_NINEPATCH: ['USE_TEXTURE_RECT'], DOF_NEAR_BLUR: ['DOF_QUALITY_LOW'], DOF_FAR_BLUR: ['DOF_QUALITY_LOW'],
};
// The parts of a text that a material defines.
const MATERIAL_PARTS =
    /^[ \t]*(MATERIAL_UNIFORMS|(?:VERTEX|FRAGMENT)_SHADER_(?:GLOBALS|CODE)|LIGHT_SHADER_CODE)[ \t]*$/gm;

// Returns {vert, frag}: the two parts of a file, with included files inserted.
function parts(file) {
  const read = (name) => fs.readFileSync(name, 'utf8').replace(
      /^[ \t]*#include "([^"]+)"[^\n]*$/gm, (_, included) => read(path.join(path.dirname(name), included)));
  const [, vert, frag] = read(file).split(/^\[(?:vertex|fragment)\][ \t]*$/m);
  return {vert, frag};
}

const macrosOf = (text) => [...new Set(
    [...text.matchAll(/(?:#ifn?def\s+|defined\(\s*)(\w+)/g)].map((match) => match[1]))]
    .filter((macro) => /^[A-Z]/.test(macro) && !NOT_VARIED.test(macro) &&
            !new RegExp(`^[ \\t]*#define\\s+${macro}\\b`, 'm').test(text));

// Returns the lines that remain after preprocessing with these macros, to detect equal variants. Treats conditions as
// true if they test anything other than the existence of macros.
function leftBy(text, macros) {
  const known = new Set(macros);
  const holds = (condition) => {
    const formula = condition.replace(/\/\/.*/, '')
        .replace(/defined\s*\(?\s*(\w+)\s*\)?/g, (_, macro) => known.has(macro));
    return /^(true|false|[\s()!|&])+$/.test(formula) ? Function(`return ${formula};`)() : true;
  };
  const open = [];  // for each enclosing #if: whether it is active, and whether any branch was
  const lines = [];
  for (const line of text.split('\n')) {
    const [, word, rest] = /^\s*#\s*(ifdef|ifndef|if|elif|else|endif)\b(.*)$/.exec(line) ?? [];
    const top = open.at(-1);
    if (word === 'endif') open.pop();
    else if (word === 'elif' || word === 'else') {
      top.inside = !top.taken && (word === 'else' || holds(rest));
      top.taken ||= top.inside;
    } else if (word) {
      const inside = word === 'if' ? holds(rest) : known.has(rest.trim().split(/\W/)[0]) === (word === 'ifdef');
      open.push({inside, taken: inside});
    } else if (open.every(({inside}) => inside)) {
      lines.push(line);
    }
  }
  return lines.join('\n');
}

// Returns `state` with the macro `one` added; it replaces a macro of the same family.
function withOne(state, one) {
  const family = FAMILIES.find((pattern) => pattern.test(one));
  return [...new Set([...state.filter((macro) => !family?.test(macro)), one, ...WITH[one] ?? []])].sort();
}

// Returns the variants of one part of a file, as [{macros, text}].
function variantsOf(title, text) {
  const body = text.replace(MATERIAL_PARTS, '');
  const macros = macrosOf(body);
  const found = new Map();
  for (const state of NEEDS[title] ?? [[]]) {
    const known = state.filter((macro) => macros.includes(macro));
    for (const chosen of [known, ...macros.map((one) => withOne(known, one))]) {
      const left = leftBy(body, [...chosen, 'GLES_OVER_GL', 'USE_GLES_OVER_GL', 'USE_HIGHP_PRECISION']);
      const lines = chosen.map((macro) => `#define ${macro}\n`).join('');
      if (!found.has(left)) found.set(left, {macros: chosen, text: SIZES + lines + body});
    }
  }
  return [...found.values()];
}

export function shaders(folder) {
  const result = [];
  for (const renderer of RENDERERS) {
    const directory = path.join(folder, 'drivers', renderer, 'shaders');
    for (const file of fs.readdirSync(directory).filter((name) => name.endsWith('.glsl')).sort()) {
      if (file === 'stdlib.glsl') continue;  // the other files include it
      const title = path.basename(file, '.glsl');
      for (const [stage, part] of Object.entries(parts(path.join(directory, file)))) {
        // This part is only for transform feedback.
        if (!/\w/.test(part.replace(/\/\*[^]*?\*\/|void main\(\) *\{\s*\}/g, ''))) continue;
        for (const {macros, text} of variantsOf(title, part)) {
          const name = [`${renderer}_${title}`, ...macros.map((macro) => macro.toLowerCase())].join('-');
          result.push({name, stage, text: HEADS[renderer] + text});
        }
      }
    }
  }
  return result;
}
