// Captures the complete programs of the CesiumJS engine. Draws globes, primitives, models and post-processing on a
// recording context. Each distinct stage that the engine links becomes one shader.
import path from 'node:path';
import {pathToFileURL} from 'node:url';
import {drawGlobe} from './cesium_globe.mjs';
import {drawModels} from './cesium_models.mjs';
import {DistinctShaders} from './distinct_shaders.mjs';
import {recordingContext} from './recording_gl.mjs';

const SIDE = 4;  // of every image, in pixels

// Defines the browser features that the engine uses when it is loaded and draws.
function pretendToBeABrowser() {
  const element = () => ({
    style: {},
    childNodes: [],
    addEventListener() {},
    removeEventListener() {},
    appendChild() {},
    setAttribute() {},
    getContext: () => null,
    querySelector: () => null,
    getRootNode: () => document,
  });
  globalThis.self = globalThis;
  globalThis.window = globalThis;
  globalThis.location = {href: 'http://localhost/'};
  globalThis.CESIUM_BASE_URL = globalThis.location.href;
  globalThis.document = {
    location: globalThis.location,
    head: element(),
    createElement: element,
    createElementNS: element,
    addEventListener() {},
    removeEventListener() {},
  };
  globalThis.requestAnimationFrame = () => 0;
  globalThis.cancelAnimationFrame = () => 0;
  for (const kind of ['ShadowRoot', 'HTMLElement', 'HTMLCanvasElement', 'HTMLImageElement', 'HTMLVideoElement',
    'ImageBitmap', 'WebGLRenderingContext']) {
    globalThis[kind] = class {};
  }
  // Report the recording context as WebGL 2, so that the engine does not translate its shaders for older browsers.
  globalThis.WebGL2RenderingContext = {[Symbol.hasInstance]: () => true};
  // The engine checks once whether the browser supports an image format; claim support.
  globalThis.Image = class {
    set src(_) { queueMicrotask(() => this.onload()); }
    get width() { return SIDE; }
    get height() { return SIDE; }
  };
  globalThis.OffscreenCanvas = class {};
  return element;
}

// Draws objects and records the sources that the engine links for them.
export class Recorder {
  constructor(cesium, element) {
    this.cesium = cesium;
    this.shaders = new DistinctShaders('scene');
    this.failed = [];
    this.watch('getShaderProgram');
    // Download nothing: serve a small picture for every image, and never complete other requests.
    const implementations = cesium.Resource._Implementations;
    const {loadWithXhr} = implementations;
    implementations.loadWithXhr = (url, ...rest) => url.startsWith('data:') ? loadWithXhr(url, ...rest) : undefined;
    implementations.createImage = (request, crossOrigin, deferred) =>
      deferred.resolve({width: SIDE, height: SIDE});
    const {context, canvas} = recordingContext(() => {});
    Object.assign(canvas, {parentNode: element(), disableRootEvents: true});
    this.scene = new cesium.Scene({canvas, contextOptions: {getWebGLStub: () => context}, shadows: true});
    this.scene.frameState.creditDisplay.endFrame = () => {};
    this.place = cesium.Cartesian3.fromDegrees(0, 0, 1000);
    this.lookAt(this.place);
  }

  // Records the texts of each program when the engine's shader cache returns it. The engine links programs only when
  // they are first drawn, so recording at link time would require every object to be visible.
  watch(method) {
    const recorder = this;
    const {ShaderCache} = this.cesium;
    const original = ShaderCache.prototype[method];
    ShaderCache.prototype[method] = function(...given) {
      const program = original.apply(this, given);
      recorder.shaders.add('vert', program._vertexShaderText);
      recorder.shaders.add('frag', program._fragmentShaderText);
      return program;
    };
  }

  lookAt(place) {
    const {BoundingSphere, HeadingPitchRange} = this.cesium;
    this.scene.camera.viewBoundingSphere(new BoundingSphere(place, 100), new HeadingPitchRange(0.3, -0.4, 400));
  }

  // Reports failures and continues, because the engine may link a program before it needs a missing browser feature.
  attempt(name, draw) {
    this.shaders.name = name;
    try {
      return draw();
    } catch (error) {
      this.failed.push(`${name}: ${error.message.split('\n')[0]}`);
    }
  }

  render() {
    this.scene.initializeFrame();
    this.scene.render(new this.cesium.JulianDate(2451545, 43200));
  }

  // Draws one opaque or translucent primitive, and removes it again.
  draw(name, make, collection = this.scene.primitives) {
    this.attempt(name, () => {
      const primitive = collection.add(make());
      try {
        for (let frame = 0; frame < 2; frame++) this.render();
      } finally {
        collection.remove(primitive);
      }
    });
  }
}

const isLine = (type) => /^Polyline/.test(type);

// Draws every kind of material on every kind of geometry that supports it.
function drawMaterials(recorder) {
  const {cesium, place} = recorder;
  const types = Object.keys(cesium.Material).filter((key) => /^[A-Z].*Type$/.test(key))
      .map((key) => cesium.Material[key]);
  const box = () => new cesium.GeometryInstance({
    geometry: cesium.BoxGeometry.fromDimensions({
      dimensions: new cesium.Cartesian3(90, 90, 90),
      vertexFormat: cesium.VertexFormat.ALL,
    }),
    modelMatrix: cesium.Transforms.eastNorthUpToFixedFrame(place),
  });
  const line = () => new cesium.GeometryInstance({
    geometry: new cesium.PolylineGeometry({
      positions: cesium.Cartesian3.fromDegreesArrayHeights([0, 0, 1000, 0.001, 0.001, 1100, 0.002, 0, 1000]),
      vertexFormat: cesium.PolylineMaterialAppearance.VERTEX_FORMAT,
    }),
  });
  const primitive = (instance, appearance) =>
    new cesium.Primitive({geometryInstances: instance, appearance, asynchronous: false});
  for (const type of types) {
    const material = () => cesium.Material.fromType(type);
    if (isLine(type) || type === 'Color') {
      recorder.draw(`line_${type}`,
                    () => primitive(line(), new cesium.PolylineMaterialAppearance({material: material()})));
    }
    if (isLine(type)) continue;
    for (const flat of [false, true]) {
      recorder.draw(`box_${type}${flat ? '_flat' : ''}`,
                    () => primitive(box(), new cesium.MaterialAppearance(
                        {material: material(), flat, materialSupport: cesium.MaterialAppearance.MaterialSupport.ALL})));
    }
    recorder.draw(`surface_${type}`, () => primitive(new cesium.GeometryInstance({
      geometry: new cesium.RectangleGeometry({
        rectangle: cesium.Rectangle.fromDegrees(-0.001, -0.001, 0.001, 0.001),
        vertexFormat: cesium.EllipsoidSurfaceAppearance.VERTEX_FORMAT,
      }),
    }), new cesium.EllipsoidSurfaceAppearance({material: material()})));
    recorder.draw(`ellipsoid_${type}`, () => new cesium.EllipsoidPrimitive(
        {center: place, radii: new cesium.Cartesian3(50, 60, 70), material: material()}));
    recorder.draw(`viewport_${type}`,
                  () => new cesium.ViewportQuad(new cesium.BoundingRectangle(0, 0, 64, 64), material()));
  }
  for (const flat of [false, true]) {
    for (const translucent of [false, true]) {
      const instance = box();
      instance.attributes.color = cesium.ColorGeometryInstanceAttribute.fromColor(cesium.Color.RED);
      recorder.draw(`box_instance${flat ? '_flat' : ''}${translucent ? '_translucent' : ''}`,
                    () => primitive(instance, new cesium.PerInstanceColorAppearance({flat, translucent})));
    }
  }
}

// Draws collections of many small objects, and objects in the sky.
function drawCollections(recorder) {
  const {cesium, place} = recorder;
  const filled = (collection, item) => {
    collection.add(item);
    return collection;
  };
  const distances = {
    scaleByDistance: new cesium.NearFarScalar(10, 2, 1e6, 0.5),
    translucencyByDistance: new cesium.NearFarScalar(10, 1, 1e6, 0.2),
    distanceDisplayCondition: new cesium.DistanceDisplayCondition(1, 1e6),
    disableDepthTestDistance: 100,
  };
  for (const [suffix, more] of [['', {}], ['_distances', distances]]) {
    recorder.draw(`points${suffix}`, () => filled(new cesium.PointPrimitiveCollection(), {position: place, ...more}));
    recorder.draw(`billboards${suffix}`, () => filled(new cesium.BillboardCollection({scene: recorder.scene}), {
      position: place, image: 'picture.png', pixelOffset: new cesium.Cartesian2(3, 4), ...more,
    }));
    recorder.draw(`clouds${suffix}`, () => filled(new cesium.CloudCollection(), {position: place}));
  }
  for (const key of Object.keys(cesium.Material).filter((name) => /^(Polyline.*|Color)Type$/.test(name))) {
    recorder.draw(`polylines_${key}`, () => filled(new cesium.PolylineCollection(), {
      positions: cesium.Cartesian3.fromDegreesArrayHeights([0, 0, 1000, 0.01, 0.01, 1100]),
      material: cesium.Material.fromType(cesium.Material[key]),
    }));
  }
  recorder.attempt('sky', () => {
    recorder.scene.skyAtmosphere = new cesium.SkyAtmosphere();
    recorder.scene.sun = new cesium.Sun();
    recorder.scene.moon = new cesium.Moon();
    recorder.render();
    recorder.scene.skyAtmosphere.perFragmentAtmosphere = true;
    recorder.scene.skyAtmosphere.hueShift = 0.1;
    recorder.render();
  });
}

// Draws every stage of the engine's library, and the tone mappings of a scene with high dynamic range.
function drawPostProcessing(recorder) {
  const {cesium, scene} = recorder;
  const {PostProcessStageLibrary: library} = cesium;
  const {ambientOcclusion, bloom, fxaa} = scene.postProcessStages;
  for (const [name, stage] of Object.entries({ambientOcclusion, bloom, fxaa})) {
    recorder.attempt(name, () => {
      stage.enabled = true;
      recorder.render();
      stage.enabled = false;
    });
  }
  const ofScene = /AmbientOcclusion|Bloom|FXAA|Tonemapping/;  // drawn by the loops above and below
  for (const key of Object.keys(library).filter((name) => /^create.*Stage$/.test(name) && !ofScene.test(name))) {
    recorder.draw(key, () => library[key](), scene.postProcessStages);
  }
  for (const tonemapper of Object.values(cesium.Tonemapper).filter((value) => typeof value === 'string')) {
    recorder.attempt(`tonemapper_${tonemapper}`, () => {
      scene.highDynamicRange = true;
      scene.postProcessStages.tonemapper = tonemapper;
      recorder.render();
    });
  }
  scene.highDynamicRange = false;
}

// Returns the shaders of the package in `folder` as {name, stage, text}, in the order of linking.
export async function shaders(folder) {
  const element = pretendToBeABrowser();
  const cesium = await import(pathToFileURL(path.join(folder, 'index.js')));
  const recorder = new Recorder(cesium, element);
  drawMaterials(recorder);
  drawCollections(recorder);
  drawPostProcessing(recorder);
  await drawModels(recorder);
  drawGlobe(recorder);
  for (const failure of recorder.failed) console.error(`cesium: not drawn: ${failure}`);
  return recorder.shaders.list();
}
