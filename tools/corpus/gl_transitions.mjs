// Completes the shaders of gl-transitions. Every file defines vec4 transition(vec2). Like a player, this module adds
// main and the inputs that the package's specification names (progress, ratio, getFromColor, getToColor).
import fs from 'node:fs';
import path from 'node:path';

const INPUTS = `precision highp float;
varying vec2 position;
uniform sampler2D fromImage;
uniform sampler2D toImage;
uniform float progress;
uniform float ratio;
vec4 getFromColor(vec2 uv) { return texture2D(fromImage, uv); }
vec4 getToColor(vec2 uv) { return texture2D(toImage, uv); }
`;
const MAIN = `
void main() { gl_FragColor = transition(position); }
`;

export function shaders(folder) {
  const files = fs.readdirSync(path.join(folder, 'transitions')).filter((file) => file.endsWith('.glsl')).sort();
  return files.map((file) => ({
    name: path.basename(file, '.glsl'),
    stage: 'frag',
    text: INPUTS + fs.readFileSync(path.join(folder, 'transitions', file), 'utf8') + MAIN,
  }));
}
