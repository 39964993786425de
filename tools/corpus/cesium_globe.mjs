// Captures the globe's programs. Its tiles come from worker threads, which do not exist without a browser. Therefore,
// this module asks the engine's shader set for the program of each possible state of a tile.

const NONE = {
  numberOfDayTextures: 1,
  applyBrightness: false, applyContrast: false, applyHue: false, applySaturation: false, applyGamma: false,
  applyAlpha: false, applyDayNightAlpha: false, applySplit: false,
  hasWaterMask: false, showReflectiveOcean: false, showOceanWaves: false,
  enableLighting: false, dynamicAtmosphereLighting: false, dynamicAtmosphereLightingFromSun: false,
  showGroundAtmosphere: false, perFragmentGroundAtmosphere: false,
  hasVertexNormals: false, useWebMercatorProjection: false, enableFog: false,
  enableClippingPlanes: false, enableClippingPolygons: false, clippedByBoundaries: false,
  hasImageryLayerCutout: false, colorCorrect: false, highlightFillTile: false, colorToAlpha: false,
  hasGeodeticSurfaceNormals: false, hasExaggeration: false, showUndergroundColor: false, translucent: false,
};
const WATER = {hasWaterMask: true, showReflectiveOcean: true};
const AIR = {showGroundAtmosphere: true, enableFog: true};
const SUNLIT = {enableLighting: true, dynamicAtmosphereLighting: true, dynamicAtmosphereLightingFromSun: true};

const STATES = {
  plain: {},
  textures2: {numberOfDayTextures: 2, applyAlpha: true, applyBrightness: true},
  textures3: {numberOfDayTextures: 3, applyContrast: true, applyHue: true, applySaturation: true, applyGamma: true},
  cutout: {hasImageryLayerCutout: true, clippedByBoundaries: true, colorToAlpha: true},
  split: {applySplit: true, applyDayNightAlpha: true, enableLighting: true},
  water: WATER,
  waves: {...WATER, showOceanWaves: true, enableLighting: true},
  daynight: {enableLighting: true},
  normals: {enableLighting: true, hasVertexNormals: true},
  air: AIR,
  air_per_fragment: {...AIR, perFragmentGroundAtmosphere: true},
  air_sunlit: {...AIR, ...SUNLIT},
  air_sunlit_per_fragment: {...AIR, ...SUNLIT, perFragmentGroundAtmosphere: true, colorCorrect: true},
  mercator: {useWebMercatorProjection: true, hasVertexNormals: true},
  exaggerated: {hasGeodeticSurfaceNormals: true, hasExaggeration: true, enableLighting: true, hasVertexNormals: true},
  underground: {showUndergroundColor: true, translucent: true},
  fill: {highlightFillTile: true, colorCorrect: true, translucent: true},
  everything: {...WATER, ...AIR, ...SUNLIT, showOceanWaves: true, hasVertexNormals: true, numberOfDayTextures: 4,
    perFragmentGroundAtmosphere: true, applyAlpha: true, applyGamma: true, colorCorrect: true, hasExaggeration: true,
    hasGeodeticSurfaceNormals: true, showUndergroundColor: true, translucent: true},
};
// Materials that can replace the globe's plain surface.
const MATERIALS = ['ElevationContour', 'ElevationRamp', 'SlopeRamp', 'AspectRamp', 'ElevationBand', 'WaterMask'];

export function drawGlobe(recorder) {
  const {cesium, scene} = recorder;
  const {SceneMode, TerrainQuantization} = cesium;
  const globe = new cesium.Globe(cesium.Ellipsoid.WGS84);
  const ask = (name, state, mode = SceneMode.SCENE3D, quantization = TerrainQuantization.NONE) =>
    recorder.attempt(name, () => {
      const encoding = {quantization, getAttributeLocations: () => ({})};
      globe._surfaceShaderSet.getShaderProgram({
        ...NONE,
        ...state,
        frameState: {mode, context: scene.context},
        surfaceTile: {renderedMesh: {encoding}},
      });
    });
  for (const [name, state] of Object.entries(STATES)) {
    ask(`globe_${name}`, state);
    ask(`globe_${name}_quantized`, state, SceneMode.SCENE3D, TerrainQuantization.BITS12);
    ask(`globe_${name}_flat`, state, SceneMode.COLUMBUS_VIEW);
  }
  ask('globe_morphing', STATES.daynight, SceneMode.MORPHING);
  for (const type of MATERIALS) {
    recorder.attempt(`globe_${type}`, () => { globe.material = cesium.Material.fromType(type); });
    for (const name of ['plain', 'normals', 'air']) ask(`globe_${type}_${name}`, STATES[name]);
  }
}
