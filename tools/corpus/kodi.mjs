// Combines Kodi's OpenGL shaders as the player does, with definitions for the pixel formats, tone mappings and output
// steps that the texts test for. Excludes its Direct3D shaders.
import fs from 'node:fs';
import path from 'node:path';

const FORMATS = ['XBMC_YV12', 'XBMC_NV12', 'XBMC_NV12_RRG', 'XBMC_YUY2', 'XBMC_UYVY'];
const TONE_MAPPINGS = ['KODI_TONE_MAPPING_REINHARD', 'KODI_TONE_MAPPING_ACES', 'KODI_TONE_MAPPING_HABLE'];
const OUTPUT_STEPS = ['XBMC_DITHER', 'KODI_3DLUT', 'XBMC_FULLRANGE'];
const OTHERS = ['KODI_LIMITED_RANGE', 'HAS_FLOAT_TEXTURE'];
// These macros are always defined, because the texts test them with #if.
const SWITCHES = {XBMC_STRETCH: 0, XBMC_texture_rectangle: 0};
// Sample external images like any other texture.
const EXTERNAL_SAMPLER = '#define samplerExternalOES sampler2D\n';

const tests = (text, macro) => new RegExp(`#.*\\b${macro}\\b`).test(text);

// Returns the useful sets of macros; the first is the plain variant.
function variantsOf(text) {
  const formats = FORMATS.filter((macro) => tests(text, macro));
  const base = formats.length > 0 ? [formats[0]] : [];
  const variants = [base, ...formats.slice(1).map((format) => [format])];
  if (tests(text, 'XBMC_COL_CONVERSION')) {
    variants.push([...base, 'XBMC_COL_CONVERSION']);
    for (const toneMapping of TONE_MAPPINGS.filter((macro) => tests(text, macro))) {
      variants.push([...base, 'XBMC_COL_CONVERSION', toneMapping]);
    }
  }
  for (const macro of [...OUTPUT_STEPS, ...OTHERS]) if (tests(text, macro)) variants.push([...base, macro]);
  if (tests(text, 'XBMC_STRETCH')) variants.push([...base, 'XBMC_STRETCH']);
  return variants;
}

function define(text, macros) {
  const values = {...SWITCHES, ...Object.fromEntries(macros.map((macro) => [macro, 1]))};
  const lines = Object.entries(values).map(([macro, value]) => `#define ${macro} ${value}\n`).join('') +
      (text.includes('samplerExternalOES') ? EXTERNAL_SAMPLER : '');
  const version = /^[ \t]*#version[^\n]*\n/m.exec(text);
  if (!version) return lines + text;
  const end = version.index + version[0].length;
  return text.slice(0, end) + lines + text.slice(end);
}

// Returns the text, preceded by the tone mapping functions that it needs, and followed by the shared main that calls
// the text's function.
function join(text, folder, read) {
  const toneMapping = read(folder, /tonemap/);
  const output = read(folder, /gl_output/);
  const hasMain = /\bvoid\s+main\b/.test(text);
  const anchor = hasMain ? /void main\s*\(/ : /vec4 process\s*\(/;
  const withToneMapping = TONE_MAPPINGS.some((macro) => tests(text, macro)) ?
      text.replace(anchor, (found) => `${toneMapping}\n${found}`) : text;
  return hasMain ? withToneMapping : `${withToneMapping}\n${output}`;
}

export function shaders(folder) {
  const root = path.join(folder, 'usr/share/kodi/system/shaders');
  const files = fs.readdirSync(root, {recursive: true}).filter((file) => /\.(glsl|vert|frag)$/.test(file)).sort();
  // Returns the shared part for a shader in `directory`: from its own folder, otherwise the newest desktop version.
  const read = (directory, pattern) => {
    const found = files.filter((file) => pattern.test(path.basename(file)));
    const chosen = found.find((file) => path.dirname(file) === directory) ?? found.at(-1);
    return chosen ? fs.readFileSync(path.join(root, chosen), 'utf8') : '';
  };
  const result = [];
  for (const file of files) {
    if (/tonemap|gl_output/.test(path.basename(file))) continue;
    const text = join(fs.readFileSync(path.join(root, file), 'utf8'), path.dirname(file), read);
    const stage = /vert/.test(path.basename(file)) ? 'vert' : 'frag';
    for (const macros of variantsOf(text)) {
      const words = macros.map((macro) => macro.replace(/^(XBMC|KODI)_(TONE_MAPPING_)?/, '').toLowerCase());
      const name = [file.replace(/\.\w+$/, ''), ...words].join('-');
      result.push({name, stage, text: define(text, macros)});
    }
  }
  return result;
}
