// Captures the programs of models: a triangle with every attribute that the engine supports, in glTF documents with
// different materials, geometries and display options.

const VERTICES = 3;
const FLOAT = 5126, UNSIGNED_SHORT = 5123;
const COMPONENTS = {SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16};
const ATTRIBUTES = {POSITION: 'VEC3', NORMAL: 'VEC3', TANGENT: 'VEC4', TEXCOORD_0: 'VEC2', TEXCOORD_1: 'VEC2',
  COLOR_0: 'VEC4', WEIGHTS_0: 'VEC4', JOINTS_0: 'VEC4', _FEATURE_ID_0: 'SCALAR'};

const texture = {index: 0};
const TEXTURED = {
  pbrMetallicRoughness: {baseColorTexture: texture, metallicRoughnessTexture: texture},
  normalTexture: texture, occlusionTexture: {index: 0, texCoord: 1}, emissiveTexture: texture,
  emissiveFactor: [1, 0.5, 0.25],
};
const MATERIALS = {
  plain: {},
  factors: {pbrMetallicRoughness: {baseColorFactor: [1, 0.5, 0.2, 1], metallicFactor: 0.3, roughnessFactor: 0.6}},
  masked: {pbrMetallicRoughness: {baseColorTexture: texture}, alphaMode: 'MASK', alphaCutoff: 0.4},
  blended: {pbrMetallicRoughness: {baseColorFactor: [1, 1, 1, 0.5]}, alphaMode: 'BLEND', doubleSided: true},
  textured: TEXTURED,
  unlit: {pbrMetallicRoughness: {baseColorTexture: texture}, extensions: {KHR_materials_unlit: {}}},
  transformed: {pbrMetallicRoughness: {baseColorTexture: {index: 0,
    extensions: {KHR_texture_transform: {offset: [0.1, 0.2], rotation: 0.3, scale: [2, 3]}}}}},
  specular_glossiness: {extensions: {KHR_materials_pbrSpecularGlossiness:
    {diffuseTexture: texture, specularGlossinessTexture: texture, glossinessFactor: 0.4}}},
  specular: {...TEXTURED, extensions: {KHR_materials_specular: {specularFactor: 0.5, specularTexture: texture,
    specularColorFactor: [1, 0.9, 0.8], specularColorTexture: texture}}},
  anisotropy: {...TEXTURED, extensions: {KHR_materials_anisotropy: {anisotropyStrength: 0.6, anisotropyRotation: 0.3,
    anisotropyTexture: texture}}},
  clearcoat: {...TEXTURED, extensions: {KHR_materials_clearcoat: {clearcoatFactor: 0.8, clearcoatTexture: texture,
    clearcoatRoughnessFactor: 0.2, clearcoatRoughnessTexture: texture, clearcoatNormalTexture: texture}}},
};
const SURFACE = ['POSITION', 'NORMAL', 'TEXCOORD_0', 'TEXCOORD_1'];
const GEOMETRIES = {
  bare: {attributes: ['POSITION']},
  normals: {attributes: ['POSITION', 'NORMAL']},
  colored: {attributes: [...SURFACE, 'COLOR_0']},
  tangents: {attributes: [...SURFACE, 'TANGENT']},
  skinned: {attributes: [...SURFACE, 'JOINTS_0', 'WEIGHTS_0'], skinned: true},
  morphed: {attributes: SURFACE, targets: ['POSITION', 'NORMAL']},
  instanced: {attributes: SURFACE, instanced: ['TRANSLATION', 'SCALE', 'ROTATION']},
  points: {attributes: ['POSITION', 'COLOR_0'], mode: 0},
  lines: {attributes: ['POSITION', 'COLOR_0'], mode: 3},
};

// A glTF document whose accessors all read the same buffer of numbers between 0 and 1.
class Document {
  constructor(material, {attributes, targets, skinned, instanced, mode = 4}) {
    this.accessors = [];
    this.bytes = [];
    this.views = [];
    const primitive = {attributes: this.attributes(attributes), material: 0, mode};
    if (targets) primitive.targets = [this.attributes(targets)];
    const node = {mesh: 0};
    if (skinned) node.skin = 0;
    if (instanced) {
      const types = {TRANSLATION: 'VEC3', SCALE: 'VEC3', ROTATION: 'VEC4'};
      node.extensions = {EXT_mesh_gpu_instancing: {attributes: Object.fromEntries(
          instanced.map((name) => [name, this.accessor(types[name], FLOAT)]))}};
    }
    const extensions = [...new Set(JSON.stringify([material, node]).match(/(KHR|EXT)_\w+/g) ?? [])];
    this.gltf = {
      asset: {version: '2.0'},
      extensionsUsed: extensions,
      scenes: [{nodes: [0]}],
      scene: 0,
      nodes: [node],
      meshes: [{primitives: [primitive], ...(targets ? {weights: [0.5]} : {})}],
      ...(skinned ? {skins: [{joints: [0], inverseBindMatrices: this.accessor('MAT4', FLOAT, 1)}]} : {}),
      materials: [material],
      textures: [{source: 0, sampler: 0}],
      samplers: [{}],
      images: [{uri: 'picture.png'}],
      accessors: this.accessors,
      bufferViews: this.views,
    };
    const data = Buffer.concat(this.bytes);
    const uri = `data:application/octet-stream;base64,${data.toString('base64')}`;
    this.gltf.buffers = [{byteLength: data.length, uri}];
  }

  attributes(names) {
    return Object.fromEntries(names.map((name) =>
      [name, this.accessor(ATTRIBUTES[name], name === 'JOINTS_0' ? UNSIGNED_SHORT : FLOAT)]));
  }

  accessor(type, componentType, count = VERTICES) {
    const components = COMPONENTS[type];
    const length = count * components;
    const values = componentType === FLOAT ? Float32Array.from({length}, (_, index) => ((index * 7) % 11) / 11) :
      new Uint16Array(length);
    const bytes = Buffer.from(values.buffer);
    const byteOffset = this.bytes.reduce((sum, one) => sum + one.length, 0);
    this.views.push({buffer: 0, byteOffset, byteLength: bytes.length});
    this.bytes.push(bytes);
    this.accessors.push({bufferView: this.views.length - 1, componentType, count, type,
      min: Array(components).fill(0), max: Array(components).fill(1)});
    return this.accessors.length - 1;
  }
}

const pause = () => new Promise((resolve) => { setTimeout(resolve, 0); });

async function drawModel(recorder, name, material, geometry, options = {}) {
  const {cesium, scene, place} = recorder;
  const {gltf} = new Document(structuredClone(material), geometry);
  recorder.shaders.name = `model_${name}`;
  let model;
  try {
    model = scene.primitives.add(await cesium.Model.fromGltfAsync({
      gltf,
      basePath: 'http://localhost/',
      asynchronous: false,
      incrementallyLoadTextures: false,
      modelMatrix: cesium.Transforms.eastNorthUpToFixedFrame(place),
      scene,
      ...options,
    }));
    let failure;
    model.errorEvent.addEventListener((error) => { failure = error; });
    for (let frame = 0; frame < 30 && !model.ready && !failure; frame++) {
      recorder.render();
      await pause();  // images and buffers arrive as promises
    }
    if (!model.ready) throw failure ?? new Error('not ready');
    for (let frame = 0; frame < 2; frame++) recorder.render();
  } catch (error) {
    recorder.failed.push(`model_${name}: ${String(error.message).split('\n')[0]}`);
  }
  if (model) scene.primitives.remove(model);
}

// Returns the display options of a model that change its program.
function shownAs(cesium) {
  const planes = (union) => new cesium.ClippingPlaneCollection({
    planes: [[1, 0], [0, 1]].map(([x, y]) => new cesium.ClippingPlane(new cesium.Cartesian3(x, y, 0), 1 + y)),
    unionClippingRegions: union,
    edgeWidth: 1,
  });
  return {
    highlight: () => ({color: cesium.Color.RED, colorBlendMode: cesium.ColorBlendMode.HIGHLIGHT}),
    mix: () => ({
      color: cesium.Color.RED.withAlpha(0.5), colorBlendMode: cesium.ColorBlendMode.MIX, colorBlendAmount: 0.4,
    }),
    silhouette: () => ({silhouetteColor: cesium.Color.RED, silhouetteSize: 3}),
    clipped: () => ({clippingPlanes: planes(true)}),
    clipped_all: () => ({clippingPlanes: planes(false)}),
    split: () => ({splitDirection: cesium.SplitDirection.LEFT}),
    light: () => ({lightColor: new cesium.Cartesian3(1, 2, 3)}),
    lit_by_harmonics: () => ({imageBasedLighting: new cesium.ImageBasedLighting({
      sphericalHarmonicCoefficients: Array.from({length: 9}, (_, index) => new cesium.Cartesian3(index, 1, 0.5)),
    })}),
    unlit_by_environment: () => ({imageBasedLighting: new cesium.ImageBasedLighting(
        {imageBasedLightingFactor: cesium.Cartesian2.ZERO})}),
  };
}

export async function drawModels(recorder) {
  const everySurface = {attributes: [...SURFACE, 'TANGENT']};
  for (const [name, material] of Object.entries(MATERIALS)) {
    await drawModel(recorder, name, material, GEOMETRIES.colored);
    await drawModel(recorder, `${name}_tangents`, material, everySurface);
  }
  for (const [name, geometry] of Object.entries(GEOMETRIES)) {
    await drawModel(recorder, `plain_${name}`, MATERIALS.plain, geometry);
    if (geometry.attributes.includes('TEXCOORD_0')) {
      await drawModel(recorder, `textured_${name}`, MATERIALS.textured, geometry);
    }
  }
  for (const [name, options] of Object.entries(shownAs(recorder.cesium))) {
    await drawModel(recorder, name, MATERIALS.factors, GEOMETRIES.normals, options());
    await drawModel(recorder, `textured_${name}`, MATERIALS.textured, everySurface, options());
  }
}
