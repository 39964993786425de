// A WebGL 2 context that draws nothing and passes every shader source to a callback, so that engines that generate
// programs at run time can be harvested without a browser or a GPU.

// Constants that engines compare with results of this context, from the WebGL 2.0 specification's IDL. All other
// constants only have to be distinct.
const CONSTANTS = {
  NO_ERROR: 0,
  VIEWPORT: 0x0ba2,
  SCISSOR_BOX: 0x0c10,
  VERSION: 0x1f02,
  VENDOR: 0x1f00,
  RENDERER: 0x1f01,
  ACTIVE_UNIFORM_BLOCKS: 0x8a36,
  FRAGMENT_SHADER: 0x8b30,
  VERTEX_SHADER: 0x8b31,
  ACTIVE_UNIFORMS: 0x8b86,
  ACTIVE_ATTRIBUTES: 0x8b89,
  MAX_VARYING_VECTORS: 0x8dfc,
  SHADING_LANGUAGE_VERSION: 0x8b8c,
  TEXTURE0: 0x84c0,
  FRAMEBUFFER_COMPLETE: 0x8cd5,
  ALREADY_SIGNALED: 0x911a,
};
const FIRST_INVENTED_CONSTANT = 0x100000;
const SIZE = 256;  // of the canvas, in pixels
const GENEROUS_LIMIT = 4096;  // the result of all other MAX_… queries
const VARYING_VECTORS = 15;  // the minimum of WebGL 2.0; some engines use all of them
// Extensions that would change how programs are linked, make the engine wait for a driver, or identify the driver.
const REFUSED_EXTENSIONS = /disjoint|multiview|parallel|lose_context|debug_renderer/;

const nothing = () => null;

function makeCanvas(context) {
  return {
    width: SIZE,
    height: SIZE,
    clientWidth: SIZE,
    clientHeight: SIZE,
    style: {},
    addEventListener: nothing,
    removeEventListener: nothing,
    setAttribute: nothing,
    getContext: () => context(),
    getBoundingClientRect: () => ({left: 0, top: 0, width: SIZE, height: SIZE}),
  };
}

// Returns an extension object whose constants are all 1 and whose methods do nothing.
function makeExtension() {
  return new Proxy({}, {
    get(_, key) {
      if (typeof key !== 'string' || key === 'then') return undefined;
      return /^[A-Z0-9_]+$/.test(key) ? 1 : nothing;
    },
  });
}

function parameter(name) {
  switch (name) {
    case CONSTANTS.VERSION: return 'WebGL 2.0';
    case CONSTANTS.SHADING_LANGUAGE_VERSION: return 'WebGL GLSL ES 3.00';
    case CONSTANTS.VENDOR:
    case CONSTANTS.RENDERER: return 'recorder';
    case CONSTANTS.MAX_VARYING_VECTORS: return VARYING_VECTORS;
    case CONSTANTS.VIEWPORT:
    case CONSTANTS.SCISSOR_BOX: return [0, 0, SIZE, SIZE];
    default: return GENEROUS_LIMIT;
  }
}

// Answers queries about a program: it is valid (true) and has no active uniforms or attributes (counts of 0).
function programParameter(_, name) {
  const counts = [CONSTANTS.ACTIVE_UNIFORMS, CONSTANTS.ACTIVE_ATTRIBUTES, CONSTANTS.ACTIVE_UNIFORM_BLOCKS];
  return counts.includes(name) ? 0 : true;
}

// Returns the context and its canvas. Calls `onSource(stage, text)` for every gl.shaderSource; stage is 'vert' or
// 'frag'.
export function recordingContext(onSource) {
  const answers = {
    drawingBufferWidth: SIZE,
    drawingBufferHeight: SIZE,
    drawingBufferColorSpace: 'srgb',
    getContextAttributes: () => ({alpha: true, antialias: false, depth: true, stencil: true}),
    getExtension: (name) => REFUSED_EXTENSIONS.test(name) ? null : makeExtension(),
    getSupportedExtensions: () => [],
    getParameter: parameter,
    getShaderPrecisionFormat: () => ({precision: 23, rangeMin: 127, rangeMax: 127}),
    createShader: (type) => ({type}),
    shaderSource: (shader, text) => onSource(shader.type === CONSTANTS.VERTEX_SHADER ? 'vert' : 'frag', text),
    getShaderParameter: () => true,
    getProgramParameter: programParameter,
    getShaderInfoLog: () => '',
    getProgramInfoLog: () => '',
    getError: () => CONSTANTS.NO_ERROR,
    checkFramebufferStatus: () => CONSTANTS.FRAMEBUFFER_COMPLETE,
    clientWaitSync: () => CONSTANTS.ALREADY_SIGNALED,
    getAttribLocation: () => 0,
    getUniformBlockIndex: () => 0,
    getUniformLocation: () => ({}),
    isContextLost: () => false,
  };
  const invented = new Map();
  const constant = (name) => {
    if (name in CONSTANTS) return CONSTANTS[name];
    if (!invented.has(name)) invented.set(name, FIRST_INVENTED_CONSTANT + invented.size);
    return invented.get(name);
  };
  const context = new Proxy(answers, {
    get(known, key) {
      if (key in known) return known[key];
      if (typeof key !== 'string') return undefined;
      if (/^[A-Z][A-Z0-9_]*$/.test(key)) return constant(key);
      if (key.startsWith('create') || key === 'fenceSync') return () => ({});
      return key.startsWith('is') ? () => true : nothing;
    },
  });
  answers.canvas = makeCanvas(() => context);
  return {context, canvas: answers.canvas};
}
