// Captures the shaders of ONNX Runtime Web. Its WebGL back end runs small models (onnx_layers.mjs) on a recording
// context and generates a fragment shader for each shape; most of the arithmetic computes integer indices. Excludes
// programs for packed textures, because they use functions copied from tfjs, which is a discovery source.
import {createRequire} from 'node:module';
import path from 'node:path';
import {DistinctShaders} from './distinct_shaders.mjs';
import {layers} from './onnx_layers.mjs';
import {recordingContext} from './recording_gl.mjs';

const BACK_END = 'dist/ort.webgl.min.js';
const TYPES = {float32: 1, int32: 6, int64: 7, bool: 9};  // ONNX's TensorProto.DataType
const ARRAYS = {float32: Float32Array, int32: Int32Array, bool: Uint8Array};
// Attributes with non-integer values.
const REALS = ['alpha', 'beta', 'bias', 'epsilon', 'scale', 'scales', 'value'];

function pretendToBeABrowser(context) {
  globalThis.self = globalThis;
  globalThis.document = {createElement: () => ({getContext: () => context})};
}

function attribute(onnx, name, value) {
  const {INT, INTS, FLOAT, FLOATS, STRING} = onnx.AttributeProto.AttributeType;
  const isReal = REALS.includes(name);
  if (typeof value === 'string') return {name, type: STRING, s: Buffer.from(value)};
  if (Array.isArray(value)) return isReal ? {name, type: FLOATS, floats: value} : {name, type: INTS, ints: value};
  return isReal ? {name, type: FLOAT, f: value} : {name, type: INT, i: value};
}

function initializer(name, {dims, type, values}) {
  const data = type === 'int64' ? {int64Data: values} : {floatData: values};
  return {name, dims, dataType: TYPES[type], ...data};
}

const described = (name, {dims, type}) => ({
  name, type: {tensorType: {elemType: TYPES[type], shape: {dim: dims.map((dimValue) => ({dimValue}))}}},
});

// Returns the bytes of the model's ONNX file, and its inputs as {name: {dims, type}}.
function encoded(onnx, {operations, opset, outputs}) {
  const feeds = {}, initializers = [], nodes = [];
  operations.forEach(({type, inputs, attributes = {}}, step) => {
    const names = inputs.map((input, i) => {
      const name = `input_${step}_${i}`;
      if (input.values) initializers.push(initializer(name, input));
      else feeds[name] = input;
      return name;
    });
    const count = step === operations.length - 1 ? outputs : 1;
    nodes.push({
      name: `node_${step}`,
      opType: type,
      input: step ? [`value_${step - 1}_0`, ...names] : names,
      output: new Array(count).fill(0).map((_, i) => `value_${step}_${i}`),
      attribute: Object.entries(attributes).map(([name, value]) => attribute(onnx, name, value)),
    });
  });
  const graph = {
    name: 'model',
    node: nodes,
    initializer: initializers,
    input: Object.entries(feeds).map(([name, input]) => described(name, input)),
    output: nodes.at(-1).output.map((name) => described(name, {dims: [], type: 'float32'})),
  };
  const file = onnx.ModelProto.fromObject({irVersion: 6, opsetImport: [{domain: '', version: opset}], graph});
  return {bytes: onnx.ModelProto.encode(file).finish(), feeds};
}

async function run(library, onnx, model) {
  const {bytes, feeds} = encoded(onnx, model);
  const session = await library.InferenceSession.create(bytes, {executionProviders: ['webgl']});
  const tensors = Object.entries(feeds).map(([name, {dims, type}]) => {
    const values = new ARRAYS[type](dims.reduce((a, b) => a * b, 1));
    return [name, new library.Tensor(type, values, dims)];
  });
  await session.run(Object.fromEntries(tensors));
}

// Returns the shaders of the package in `folder`, each text once. npm has installed the package's dependencies next to
// it.
export async function shaders(folder) {
  const found = new DistinctShaders();
  const {context} = recordingContext((stage, text) => {
    if (stage !== 'frag' || !text.startsWith('#version')) return;  // other shaders are the same for all models
    found.add(stage, text, text);
  });
  pretendToBeABrowser(context);
  const require = createRequire(path.join(folder, 'package.json'));
  const library = require(path.join(folder, BACK_END));
  const {onnx} = require('onnx-proto');
  library.env.logLevel = 'error';  // otherwise it warns about every padded texture
  library.env.webgl.pack = false;
  for (const model of layers()) {
    found.name = model.name;
    await run(library, onnx, model).catch((error) => {
      throw new Error(`${name}: ${error.message}`);
    });
  }
  return found.list();
}
