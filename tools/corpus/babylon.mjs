// Captures the complete programs of the Babylon.js engine. On a recording context, draws scenes with different
// materials, layers, lights, shadows, fog, maps and geometry, and the engine's pipelines and post-processes. Each
// distinct stage becomes one shader.
import {createRequire} from 'node:module';
import path from 'node:path';
import {DistinctShaders} from './distinct_shaders.mjs';
import {recordingContext} from './recording_gl.mjs';

const MATERIALS = [
  'StandardMaterial', 'PBRMaterial', 'PBRMetallicRoughnessMaterial', 'PBRSpecularGlossinessMaterial',
  'OpenPBRMaterial', 'BackgroundMaterial',
];
// The layers of a PBRMaterial, and the settings that enable each.
const LAYERS = {
  clearCoat: {isEnabled: true, isTintEnabled: true},
  sheen: {isEnabled: true, albedoScaling: true},
  anisotropy: {isEnabled: true},
  iridescence: {isEnabled: true},
  subSurface: {isRefractionEnabled: true, isTranslucencyEnabled: true},
};
// Properties of an OpenPBRMaterial that are 0 by default; each adds separate code.
const OPEN_LAYERS = [
  'coatWeight', 'fuzzWeight', 'thinFilmWeight', 'transmissionWeight', 'subsurfaceWeight', 'specularRoughnessAnisotropy',
];
const SHADOWS = [
  'usePercentageCloserFiltering', 'useContactHardeningShadow', 'useBlurExponentialShadowMap', 'usePoissonSampling',
  'useCloseExponentialShadowMap', 'useExponentialShadowMap',
];
const PIPELINES_OF_CAMERAS = ['SSRRenderingPipeline', 'TAARenderingPipeline', 'FSR1RenderingPipeline'];
const PIPELINES_OF_RATIO = ['SSAORenderingPipeline', 'SSAO2RenderingPipeline', 'StandardRenderingPipeline'];
// Parts of pipelines that are disabled by default.
const PIPELINE_PARTS = [
  'bloomEnabled', 'depthOfFieldEnabled', 'fxaaEnabled', 'sharpenEnabled', 'grainEnabled', 'chromaticAberrationEnabled',
  'glowLayerEnabled', 'BloomEnabled', 'LensFlareEnabled', 'HDREnabled', 'MotionBlurEnabled', 'VLSEnabled',
];
// Shaders that are not passes, or that need defines which only their owners set.
const NOT_A_PASS = new RegExp('^(gpu|ibl|rsm|oit|volumetricLight|gaussian|particles|sprite|pbr|openpbr|default|' +
  'background|geometry|depthBoxBlur|minmaxRedux|noise|selectionOutline|ssao2?$|standard)');
// Tables that a scene would read from images, which this script cannot decode.
const LIGHT_TABLES = ['environmentBRDFTexture', 'environmentFuzzBRDFTexture', 'openPBREnvironmentBRDFTexture'];
const SIZE = 4;  // side of textures, in texels
const FRAMES = 3;  // materials and pipelines request resources in the first frame and draw in a later one

function pretendToBeABrowser() {
  const element = () => new Proxy({style: {}, getContext: () => null}, {get: (known, key) => known[key] ?? (() => null)});
  globalThis.self = globalThis;
  globalThis.window = globalThis;
  globalThis.document = {
    body: element(), createElement: element, createElementNS: element, addEventListener() {}, removeEventListener() {},
  };
  globalThis.addEventListener = globalThis.removeEventListener = () => {};
  globalThis.requestAnimationFrame = () => 0;
  globalThis.cancelAnimationFrame = () => 0;
  globalThis.navigator ??= {userAgent: 'node'};
  globalThis.WebGLRenderingContext = class {};
  globalThis.WebGL2RenderingContext = class { static RASTERIZER_DISCARD = 1; };
}

// Draws scenes and records the sources that the engine compiles for them.
class Recorder {
  constructor(babylon) {
    this.babylon = babylon;
    this.shaders = new DistinctShaders('');
    this.failed = [];
    const {canvas} = recordingContext((stage, text) => this.shaders.add(stage, text));
    this.engine = new babylon.Engine(canvas, false);
  }

  // Draws a scene with a camera and the objects that `build` adds. Reports failures and continues.
  async draw(name, build) {
    this.shaders.name = name;
    const {Scene, FreeCamera, Vector3} = this.babylon;
    const scene = new Scene(this.engine);
    try {
      scene.activeCamera = new FreeCamera('camera', new Vector3(0, 0, -5), scene);
      for (const table of LIGHT_TABLES) scene[table] = this.texture(scene);
      this.babylon.OpenPBRMaterial._noiseTextures[scene.uniqueId] = this.texture(scene);
      build(scene);
      for (let frame = 0; frame < FRAMES; frame++) {
        scene.render();
        await new Promise((done) => setImmediate(done));
      }
    } catch (error) {
      this.failed.push(`${name}: ${error.message.slice(0, 200)}`);
    }
    try {
      scene.dispose();
    } catch {
      // Ignore errors from disposing an incomplete scene.
    }
  }

  texture(scene) {
    return this.babylon.RawTexture.CreateRGBATexture(new Uint8Array(4 * SIZE * SIZE), SIZE, SIZE, scene);
  }

  cube(scene) {
    const faces = Array.from({length: 6}, () => new Uint8Array(4 * SIZE * SIZE));
    const cube = new this.babylon.RawCubeTexture(scene, faces, SIZE);
    cube.sphericalPolynomial = new this.babylon.SphericalPolynomial();
    return cube;
  }

  sphere(scene, material) {
    const mesh = this.babylon.MeshBuilder.CreateSphere('sphere', {segments: 2}, scene);
    mesh.material = material;
    return mesh;
  }

  // Adds lights. `count` is 0 for no lights, 1 for a hemispheric light, 2 for a hemispheric and a directional light, or
  // 3 for one light of every kind. `shadow` is a filter of SHADOWS, or absent.
  lights(scene, count, shadow, mesh) {
    const {HemisphericLight, DirectionalLight, PointLight, SpotLight, ShadowGenerator, Vector3} = this.babylon;
    const down = new Vector3(0.1, -1, 0.1);
    const made = [];
    if (count > 0) new HemisphericLight('sky', new Vector3(0, 1, 0), scene);
    if (count > 1) made.push(new DirectionalLight('sun', down, scene));
    if (count > 2) made.push(new SpotLight('spot', new Vector3(0, 5, 0), down, 1, 2, scene));
    if (count > 2) made.push(new PointLight('bulb', new Vector3(0, 5, 0), scene));
    if (!shadow) return;
    mesh.receiveShadows = true;
    for (const light of made) {
      const generator = new ShadowGenerator(64, light);
      generator[shadow] = true;
      generator.addShadowCaster(mesh);
    }
  }
}

// Returns the names of the maps of a material, from its properties and accessors.
function mapsOf(material) {
  const names = new Set();
  for (let at = material; at && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const name of Object.getOwnPropertyNames(at)) {
      if (/^[a-z]\w*Texture$/.test(name) && !/^(get|has|on|force|use|is|separate)/.test(name)) names.add(name);
    }
  }
  return [...names].filter((name) => name !== 'environmentBRDFTexture').sort();
}

const mapFor = (recorder, scene, name) =>
  /reflection|refraction|radiance/.test(name) ? recorder.cube(scene) : recorder.texture(scene);

// Draws a sphere made of the material. `change` may modify the material, the sphere and the scene before they are
// drawn.
function drawSphere(recorder, kind, name, {lights = 2, shadow, fog = 0, change = () => {}} = {}) {
  return recorder.draw(`${kind}_${name}`, (scene) => {
    const material = new recorder.babylon[kind]('material', scene);
    const mesh = recorder.sphere(scene, material);
    scene.fogMode = fog;
    recorder.lights(scene, lights, shadow, mesh);
    change(material, mesh, scene);
  });
}

async function drawMaterial(recorder, kind) {
  const draw = (name, options) => drawSphere(recorder, kind, name, options);
  for (let lights = 0; lights < 4; lights++) {
    for (let fog = 0; fog < 4; fog++) await draw(`lights${lights}_fog${fog}`, {lights, fog});
  }
  for (const shadow of SHADOWS) await draw(shadow, {lights: 3, shadow});
  let maps = [];
  await draw('plain', {change: (material) => { maps = mapsOf(material); }});
  for (const map of maps) {
    await draw(map, {change: (material, _, scene) => { material[map] = mapFor(recorder, scene, map); }});
  }
  await draw('everything', {
    lights: 3, shadow: SHADOWS[0], fog: 2,
    change: (material, mesh, scene) => {
      for (const map of maps) material[map] = mapFor(recorder, scene, map);
      scene.environmentTexture = recorder.cube(scene);
    },
  });
  for (const [toneMapping, vignette] of [[0, true], [1, false], [2, true]]) {
    await draw(`tone${toneMapping}`, {
      change: (material, _, scene) => {
        const processing = scene.imageProcessingConfiguration;
        Object.assign(processing, {toneMappingEnabled: true, toneMappingType: toneMapping, vignetteEnabled: vignette});
        Object.assign(processing, {colorCurvesEnabled: true, exposure: 1.5, contrast: 1.5, ditheringEnabled: true});
        scene.environmentTexture = recorder.cube(scene);
      },
    });
  }
  await draw('clipped', {change: (material, _, scene) => { scene.clipPlane = new recorder.babylon.Plane(0, 1, 0, 0); }});
  await drawGeometry(recorder, kind);
}

// Draws instances, bones, morph targets, vertex colors and logarithmic depth.
async function drawGeometry(recorder, kind) {
  const {Skeleton, Bone, Matrix, MorphTargetManager, MorphTarget, MeshBuilder, VertexBuffer} = recorder.babylon;
  const changes = {
    instanced: (_, mesh) => mesh.createInstance('second'),
    skinned: (_, mesh, scene) => {
      const corners = mesh.getTotalVertices() * 4;
      mesh.skeleton = new Skeleton('skeleton', 'skeleton', scene);
      new Bone('bone', mesh.skeleton, null, Matrix.Identity());
      mesh.setVerticesData(VertexBuffer.MatricesIndicesKind, new Float32Array(corners));
      mesh.setVerticesData(VertexBuffer.MatricesWeightsKind, new Float32Array(corners).fill(0.25));
    },
    morphed: (_, mesh, scene) => {
      mesh.morphTargetManager = new MorphTargetManager(scene);
      mesh.morphTargetManager.addTarget(MorphTarget.FromMesh(MeshBuilder.CreateSphere('to', {segments: 2}, scene), 'to', 0.5));
    },
    colored: (_, mesh) => mesh.setVerticesData(VertexBuffer.ColorKind, new Float32Array(mesh.getTotalVertices() * 4)),
    logarithmic: (material) => { material.useLogarithmicDepth = true; },
    translucent: (material) => { material.alpha = 0.5; material.backFaceCulling = false; material.twoSidedLighting = true; },
  };
  for (const [name, change] of Object.entries(changes)) await drawSphere(recorder, kind, name, {change});
}

// Draws the layers of physically based materials: alone, with image-based lighting, and all together.
async function drawLayers(recorder) {
  const withSky = (change) => (material, mesh, scene) => {
    scene.environmentTexture = recorder.cube(scene);
    change(material);
  };
  for (const [layer, properties] of Object.entries(LAYERS)) {
    const on = (material) => Object.assign(material[layer], properties);
    await drawSphere(recorder, 'PBRMaterial', layer, {change: on});
    await drawSphere(recorder, 'PBRMaterial', `${layer}_sky`, {lights: 3, change: withSky(on)});
  }
  const all = (material) => Object.keys(LAYERS).forEach((layer) => Object.assign(material[layer], LAYERS[layer]));
  await drawSphere(recorder, 'PBRMaterial', 'layers', {lights: 3, shadow: SHADOWS[0], change: withSky(all)});
  for (const layer of OPEN_LAYERS) {
    const on = (material) => { material[layer] = 0.5; };
    await drawSphere(recorder, 'OpenPBRMaterial', layer, {change: on});
    await drawSphere(recorder, 'OpenPBRMaterial', `${layer}_sky`, {lights: 3, change: withSky(on)});
  }
}

async function drawPipelines(recorder) {
  const babylon = recorder.babylon;
  const withSphere = (build) => (scene) => {
    const mesh = recorder.sphere(scene, new babylon.PBRMaterial('material', scene));
    recorder.lights(scene, 2, undefined, mesh);
    build(scene, mesh);
  };
  const switchOn = (pipeline) => {
    for (const part of PIPELINE_PARTS) if (part in pipeline) pipeline[part] = true;
  };
  await recorder.draw('DefaultRenderingPipeline', withSphere((scene) =>
    switchOn(new babylon.DefaultRenderingPipeline('pipeline', true, scene, [scene.activeCamera]))));
  for (const kind of PIPELINES_OF_CAMERAS) {
    await recorder.draw(kind, withSphere((scene) => switchOn(new babylon[kind]('pipeline', scene, [scene.activeCamera]))));
  }
  for (const kind of PIPELINES_OF_RATIO) {
    await recorder.draw(kind, withSphere((scene) => {
      switchOn(new babylon[kind]('pipeline', scene, 1));
      scene.postProcessRenderPipelineManager.attachCamerasToRenderPipeline('pipeline', scene.activeCamera);
    }));
  }
  await recorder.draw('GlowLayer', withSphere((scene) => new babylon.GlowLayer('glow', scene)));
  await recorder.draw('HighlightLayer', withSphere((scene, mesh) =>
    new babylon.HighlightLayer('highlight', scene).addMesh(mesh, babylon.Color3.Green())));
  await recorder.draw('outline', withSphere((_, mesh) => { mesh.renderOutline = true; }));
  await recorder.draw('lines', (scene) => babylon.CreateGreasedLine('line', {points: [0, 0, 0, 1, 1, 1]}, undefined, scene));
}

// Draws every full-screen pass separately.
async function drawPasses(recorder) {
  const store = recorder.babylon.ShaderStore.ShadersStore;
  for (const key of Object.keys(store).sort()) {
    const name = key.replace(/PixelShader$/, '');
    if (name === key || NOT_A_PASS.test(name) || `${name}VertexShader` in store) continue;
    await recorder.draw(`pass_${name}`, (scene) => {
      recorder.sphere(scene, new recorder.babylon.StandardMaterial('material', scene));
      new recorder.babylon.PostProcess(name, name, [], [], 1, scene.activeCamera);
    });
  }
}

// Returns the shaders of the package in `folder` as {name, stage, text}, in the order of compilation.
export async function shaders(folder) {
  pretendToBeABrowser();
  const babylon = createRequire(import.meta.url)(path.join(folder, 'babylon.js'));
  babylon.Logger.LogLevels = 0;
  const recorder = new Recorder(babylon);
  for (const kind of MATERIALS) await drawMaterial(recorder, kind);
  await drawLayers(recorder);
  await drawPipelines(recorder);
  await drawPasses(recorder);
  for (const failure of recorder.failed) console.error(`babylon: not drawn: ${failure}`);
  return recorder.shaders.list();
}
