// Completes Dolphin's post-processing shaders. They use HLSL's type names and call functions of the emulator. This
// module declares both, based on how the shaders use them.
import fs from 'node:fs';
import path from 'node:path';

const PREAMBLE = `#version 330
#define float2 vec2
#define float3 vec3
#define float4 vec4
#define int2 ivec2
#define int3 ivec3
#define int4 ivec4
#define uint2 uvec2
#define uint3 uvec3
#define uint4 uvec4
#define frac fract
bool any(bool value) { return value; }  // HLSL's takes scalars too
#define lerp mix
uniform sampler2DArray source_texture;
uniform vec4 source_resolution;  // width, height, and their inverses
uniform vec2 window_resolution;
uniform uint elapsed_time;
uniform int src_layer;
in vec3 source_coordinates;
layout(location = 0) out vec4 target;
vec4 Sample() { return texture(source_texture, source_coordinates); }
vec4 SampleLocation(vec2 location) { return texture(source_texture, vec3(location, source_coordinates.z)); }
vec4 SampleLayer(int layer) { return texture(source_texture, vec3(source_coordinates.xy, float(layer))); }
#define SampleOffset(offset) textureOffset(source_texture, source_coordinates, offset)
vec2 GetResolution() { return source_resolution.xy; }
vec2 GetInvResolution() { return source_resolution.zw; }
vec2 GetWindowResolution() { return window_resolution; }
vec2 GetCoordinates() { return source_coordinates.xy; }
uint GetTime() { return elapsed_time; }
void SetOutput(vec4 color) { target = color; }
#define GetOption(name) (option_##name)
#define OptionEnabled(name) (option_##name != 0)
`;

// Returns uniforms for the options listed in the comment between [configuration] and [/configuration].
function optionUniforms(text) {
  const configuration = /\[configuration\]([^]*?)\[\/configuration\]/.exec(text)?.[1] ?? '';
  const sections = configuration.split(/^\s*\[(\w+)\]/m).slice(1);
  const uniforms = [];
  for (let index = 0; index + 1 < sections.length; index += 2) {
    const name = /^\s*OptionName\s*=\s*(\w+)/m.exec(sections[index + 1])?.[1];
    const components = /^\s*DefaultValue\s*=\s*(.*)$/m.exec(sections[index + 1])?.[1].split(',').length ?? 1;
    const scalar = sections[index] === 'OptionRangeFloat' ? 'float' : 'int';
    const vector = scalar === 'float' ? 'vec' : 'ivec';
    if (name) uniforms.push(`uniform ${components > 1 ? vector + components : scalar} option_${name};\n`);
  }
  return uniforms.join('');
}

export function shaders(folder) {
  const directory = path.join(folder, 'usr/share/games/dolphin-emu/sys/Shaders');
  return fs.readdirSync(directory, {recursive: true}).filter((file) => file.endsWith('.glsl')).sort().map((file) => {
    const text = fs.readFileSync(path.join(directory, file), 'utf8');
    return {name: file.slice(0, -'.glsl'.length), stage: 'frag', text: PREAMBLE + optionUniforms(text) + text};
  });
}
