// Captures the complete programs of the three.js engine. Renders scenes with different materials, lights, fog, maps
// and geometry on a recording context. Each distinct stage becomes one shader.
import fs from 'node:fs';
import path from 'node:path';
import {pathToFileURL} from 'node:url';
import {DistinctShaders} from './distinct_shaders.mjs';
import {recordingContext} from './recording_gl.mjs';

// MeshDistanceMaterial is not listed because the shadows of point lights compile it.
const MATERIALS = [
  'MeshBasicMaterial', 'MeshLambertMaterial', 'MeshPhongMaterial', 'MeshStandardMaterial', 'MeshPhysicalMaterial',
  'MeshToonMaterial', 'MeshMatcapMaterial', 'MeshNormalMaterial', 'MeshDepthMaterial',
  'PointsMaterial', 'LineBasicMaterial', 'LineDashedMaterial', 'SpriteMaterial', 'ShadowMaterial',
];
const MAPS = [
  'map', 'alphaMap', 'aoMap', 'bumpMap', 'normalMap', 'displacementMap', 'emissiveMap', 'lightMap', 'roughnessMap',
  'metalnessMap', 'specularMap', 'gradientMap', 'matcap', 'clearcoatMap', 'clearcoatNormalMap', 'sheenColorMap',
  'transmissionMap', 'iridescenceMap', 'anisotropyMap', 'specularColorMap',
];
const PHYSICAL_LAYERS = ['clearcoat', 'sheen', 'iridescence', 'anisotropy', 'transmission', 'dispersion'];
const TONE_MAPPINGS = [
  'NoToneMapping', 'LinearToneMapping', 'ReinhardToneMapping', 'CineonToneMapping', 'ACESFilmicToneMapping',
  'AgXToneMapping', 'NeutralToneMapping',
];

// Macros that the user of an addon must define.
const ADDON_DEFINES = {BokehShader: {RINGS: 3, SAMPLES: 4}};

// Defines the browser features that three uses when it is loaded and draws.
function pretendToBeABrowser() {
  const element = () => ({style: {}, addEventListener() {}, getContext: () => null});
  globalThis.self = globalThis;
  globalThis.window = globalThis;
  globalThis.document = {createElement: element, createElementNS: element};
  globalThis.requestAnimationFrame = () => 0;
  globalThis.cancelAnimationFrame = () => 0;
}

// Renders scenes and records the sources that the engine compiles for them.
class Recorder {
  constructor(three) {
    this.three = three;
    this.shaders = new DistinctShaders('');
    this.failed = [];
    const {context, canvas} = recordingContext((stage, text) => this.shaders.add(stage, text));
    this.renderer = new three.WebGLRenderer({canvas, context});
    this.renderer.shadowMap.enabled = true;
    this.camera = new three.PerspectiveCamera(50, 1, 0.1, 100);
    this.camera.position.z = 5;
  }

  texture() {
    const texture = new this.three.DataTexture(new Uint8Array(16), 2, 2);
    texture.needsUpdate = true;
    return texture;
  }

  // Returns a scene. `lights` is 0 for no lights, 1 for ambient and one directional light, or 2 for one light of every
  // kind with shadows. `fog` is 0 for no fog, 1 for linear fog, or 2 for exponential squared fog.
  scene(lights, fog) {
    const three = this.three;
    const scene = new three.Scene();
    const add = (light, castShadow) => scene.add(Object.assign(light, castShadow ? {castShadow} : {}));
    if (lights > 0) {
      add(new three.AmbientLight());
      add(new three.HemisphereLight());
      add(new three.DirectionalLight(), lights > 1);
    }
    if (lights > 1) {
      add(new three.PointLight(), true);
      add(new three.SpotLight(), true);
      add(new three.RectAreaLight());
    }
    if (fog === 1) scene.fog = new three.Fog(0xff, 1, 10);
    if (fog === 2) scene.fog = new three.FogExp2(0xff, 0.1);
    return scene;
  }

  object(material) {
    const three = this.three;
    const geometry = new three.SphereGeometry(1, 4, 4);
    if (material.isSpriteMaterial) return new three.Sprite(material);
    if (material.isPointsMaterial) return new three.Points(geometry, material);
    if (material.isLineBasicMaterial) return new three.Line(geometry, material);
    return new three.Mesh(geometry, material);
  }

  // Draws an object. Reports failures and continues, because the engine may compile a program before it needs a
  // missing feature.
  draw(name, material, {lights = 1, fog = 0, toneMapping = 'NoToneMapping', environment = null, object = null} = {}) {
    this.shaders.name = name;
    try {
      const scene = this.scene(lights, fog);
      scene.environment = environment;
      this.renderer.toneMapping = this.three[toneMapping];
      scene.add(object ?? this.object(material));
      this.renderer.render(scene, this.camera);
    } catch (error) {
      this.failed.push(`${name}: ${error.message}`);
    }
  }
}

function drawMaterial(recorder, kind) {
  const three = recorder.three;
  const make = (properties = {}) => Object.assign(new three[kind](), properties);
  const probe = make();
  const maps = MAPS.filter((map) => map in probe);
  for (let lights = 0; lights < 3; lights++) {
    for (let fog = 0; fog < 3; fog++) {
      const toneMapping = TONE_MAPPINGS[(lights * 3 + fog) % TONE_MAPPINGS.length];
      recorder.draw(`${kind}_lights${lights}_fog${fog}`, make(), {lights, fog, toneMapping});
    }
  }
  for (const map of maps) {
    const material = make({[map]: recorder.texture()});
    recorder.draw(`${kind}_${map}`, material, {toneMapping: 'ACESFilmicToneMapping'});
  }
  const everything = make({alphaTest: 0.5});
  for (const map of maps) everything[map] = recorder.texture();
  if ('vertexColors' in probe) everything.vertexColors = true;
  if ('clearcoat' in probe) for (const layer of PHYSICAL_LAYERS) if (layer !== 'transmission') everything[layer] = 1;
  recorder.draw(`${kind}_everything`, everything, {lights: 2, fog: 2, toneMapping: 'AgXToneMapping'});
  const flat = make({side: three.DoubleSide, alphaHash: true, dithering: true});
  if ('flatShading' in probe) flat.flatShading = true;
  recorder.draw(`${kind}_flat`, flat, {lights: 2, fog: 1, toneMapping: 'NeutralToneMapping'});
  if (!('clearcoat' in probe)) return;
  for (const layer of PHYSICAL_LAYERS) {
    recorder.draw(`${kind}_${layer}`, make({[layer]: 1, thickness: 1}), {toneMapping: 'ACESFilmicToneMapping'});
  }
}

// Draws image-based lighting, whose filters are separate programs, and skinned, instanced and morphed geometry.
function drawEnvironmentsAndGeometry(recorder) {
  const three = recorder.three;
  const environment = recorder.texture();
  environment.mapping = three.EquirectangularReflectionMapping;
  for (const kind of ['MeshStandardMaterial', 'MeshPhysicalMaterial']) {
    recorder.draw(`${kind}_environment`, new three[kind](), {lights: 2, environment, toneMapping: 'AgXToneMapping'});
    const geometry = new three.SphereGeometry(1, 4, 4);
    const vertices = geometry.attributes.position.count;
    recorder.draw(`${kind}_instanced`, null, {object: new three.InstancedMesh(geometry, new three[kind](), 2)});
    const skinned = geometry.clone();
    skinned.setAttribute('skinIndex', new three.Uint16BufferAttribute(new Uint16Array(4 * vertices), 4));
    skinned.setAttribute('skinWeight', new three.Float32BufferAttribute(new Float32Array(4 * vertices), 4));
    const body = new three.SkinnedMesh(skinned, new three[kind]());
    body.bind(new three.Skeleton([new three.Bone()]));
    recorder.draw(`${kind}_skinned`, null, {object: body});
    const morphed = geometry.clone();
    morphed.morphAttributes.position = [new three.Float32BufferAttribute(new Float32Array(3 * vertices), 3)];
    recorder.draw(`${kind}_morphed`, null, {object: new three.Mesh(morphed, new three[kind]())});
  }
}

const isProgram = (value) => value !== null && typeof value === 'object' && typeof value.fragmentShader === 'string';

// Draws the programs of modules that export {uniforms, vertexShader, fragmentShader}, or a class with such a static
// member.
async function drawAddons(recorder, folder) {
  for (const file of fs.readdirSync(folder).sort()) {
    if (!file.endsWith('.js') || /TSL|Node|GPU/.test(file)) continue;  // these generate WGSL or need WebGPU
    let module;
    try {
      module = await import(pathToFileURL(path.join(folder, file)));
    } catch {
      continue;  // it needs more browser features than this script defines
    }
    for (const [name, value] of Object.entries(module)) {
      const members = typeof value === 'function' ? Object.values(value) : [value];
      for (const program of members.filter(isProgram)) drawProgram(recorder, name, program);
    }
  }
}

function drawProgram(recorder, name, program) {
  const three = recorder.three;
  // Sources that contain the engine's declarations must be compiled without the engine's prefix. (Precision statements
  // are not sufficient evidence: VolumeRenderShader and SSRShader have them, but use the engine's `position`.)
  const raw = /^\s*(attribute|in)\s+\w+\s+position\s*;/m.test(program.vertexShader);
  const Material = raw ? three.RawShaderMaterial : three.ShaderMaterial;
  const material = new Material({
    uniforms: three.UniformsUtils.clone(program.uniforms ?? {}),
    vertexShader: program.vertexShader,
    fragmentShader: program.fragmentShader,
    defines: {...program.defines, ...ADDON_DEFINES[name]},
    glslVersion: program.glslVersion ?? null,
  });
  recorder.draw(`addon_${name}`, material, {lights: 0});
}

// Returns the shaders of the package in `folder` as {name, stage, text}, in the order of compilation.
export async function shaders(folder) {
  pretendToBeABrowser();
  const three = await import(pathToFileURL(path.join(folder, 'build/three.module.js')));
  three.setConsoleFunction?.(() => {});
  const recorder = new Recorder(three);
  for (const kind of MATERIALS) drawMaterial(recorder, kind);
  drawEnvironmentsAndGeometry(recorder);
  await drawAddons(recorder, path.join(folder, 'examples/jsm/shaders'));
  await drawAddons(recorder, path.join(folder, 'examples/jsm/objects'));
  for (const failure of recorder.failed) console.error(`three: not drawn: ${failure}`);
  return recorder.shaders.list();
}
