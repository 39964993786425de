// Completes the effects of Movit, which are functions with macros; the library combines them into one fragment shader
// per chain. This module makes a separate chain for each effect, with textures as inputs. Excludes the compute shader.
import fs from 'node:fs';
import path from 'node:path';

// Macros that are numbers, and macros that select a form of an effect (0 unless a variant sets them).
const NUMBERS = {NUM_TAPS: 16, R: 5};
const CHOICES = [
  'DIRECTION_VERTICAL', 'SWAP_INPUTS', 'YADIF_ENABLE_SPATIAL_INTERLACING_CHECK', 'NEED_EXPLICIT_ROUND', 'FIXUP_SWAP_RB',
  'FIXUP_RED_TO_GRAYSCALE', 'Y_CB_CR_SAME_TEXTURE', 'CB_CR_SAME_TEXTURE', 'CB_CR_OFFSETS_EQUAL',
];
// Types of parameters that an effect's comment does not declare, inferred from their use.
const PARAMETER_TYPES = {
  conversion_matrix: 'mat3', inv_ycbcr_matrix: 'mat3', ycbcr_matrix: 'mat3', ycbcr_min: 'vec3', ycbcr_max: 'vec3',
  offset: 'vec3', clamp_range: 'bool', cutoff: 'float', strength_first: 'float', strength_second: 'float',
  factor: 'vec4', blurred_mix_amount: 'float', saturation: 'float', inner_radius: 'float', lift: 'vec3',
  transition_width: 'float', border_color: 'vec4', cb_offset_x: 'float', cr_offset_x: 'float',
};
const INPUTS = 5;

// Returns uniforms for every PREFIX(name) of the effect, as declared in its comments or in the table above.
function parameters(text) {
  const declared = [...text.matchAll(/^\/\/ (uniform [^;]*;)/gm)].map((match) => match[1]);
  const names = new Set([...text.replace(/\/\/.*/g, '').matchAll(/PREFIX\((\w+)/g)].map((match) => match[1]));
  for (const name of names) {
    const known = declared.some((line) => line.includes(`PREFIX(${name})`));
    if (!known && name in PARAMETER_TYPES) declared.push(`uniform ${PARAMETER_TYPES[name]} PREFIX(${name});`);
  }
  return declared.join('\n');
}

function inputs() {
  const lines = ['#define INPUT INPUT1'];
  for (let index = 1; index <= INPUTS; index++) {
    lines.push(`uniform sampler2D input${index};`, `#define INPUT${index}(tc) tex2D(input${index}, tc)`);
  }
  return lines.join('\n');
}

function program(effect, header, footer, macros) {
  const values = {...NUMBERS, ...Object.fromEntries(CHOICES.map((name) => [name, macros.includes(name) ? 1 : 0]))};
  return [
    header,
    ...Object.entries(values).map(([name, value]) => `#define ${name} ${value}`),
    '#define PREFIX(name) effect_##name',
    '#define FUNCNAME effect',
    '#define sample tap',  // later GLSL versions reserve this word
    parameters(effect),
    inputs(),
    effect,
    '#undef INPUT',
    '#define INPUT effect',
    footer,
  ].join('\n');
}

export function shaders(folder) {
  const directory = path.join(folder, 'usr/share/movit');
  const read = (file) => fs.readFileSync(path.join(directory, file), 'utf8');
  const files = fs.readdirSync(directory).sort();
  const [header, footer] = [read('header.150.frag'), read('footer.frag')];
  const result = files.filter((file) => /^(vs|texture1d)\.150\.(vert|frag)$/.test(file)).map((file) => ({
    name: file.split('.')[0],
    stage: path.extname(file).slice(1),
    text: read(file),
  }));
  for (const file of files.filter((file) => /_(effect|input)\.frag$/.test(file))) {
    const effect = read(file);
    const choices = CHOICES.filter((macro) => new RegExp(`#\\s*if\\s+${macro}\\b`).test(effect));
    for (const macros of [[], ...choices.map((macro) => [macro])]) {
      const suffix = macros.map((macro) => `-${macro.toLowerCase()}`).join('');
      const text = program(effect, header, footer, macros);
      result.push({name: path.basename(file, '.frag') + suffix, stage: 'frag', text});
    }
  }
  return result;
}
