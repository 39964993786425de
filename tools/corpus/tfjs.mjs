// Captures the shaders of TensorFlow.js. Its WebGL back end runs operations of image, pose, speech and text models on
// a recording context, and generates a fragment shader for each. Much of the arithmetic computes integer indices.
import {createRequire} from 'node:module';
import path from 'node:path';
import {DistinctShaders} from './distinct_shaders.mjs';
import {recordingContext} from './recording_gl.mjs';

// The back end's settings, which select packed textures and whether shapes are uniforms or literals; each combination
// generates different programs.
const SETTINGS = [
  {WEBGL_PACK: true, WEBGL_USE_SHAPES_UNIFORMS: false},
  {WEBGL_PACK: true, WEBGL_USE_SHAPES_UNIFORMS: true},
  {WEBGL_PACK: false, WEBGL_USE_SHAPES_UNIFORMS: true},
];

function pretendToBeABrowser() {
  globalThis.self = globalThis;
  globalThis.window = globalThis;
  globalThis.document = {createElement: () => ({style: {}, getContext: () => null, addEventListener() {}})};
  // Report the recording context as WebGL 2.
  globalThis.WebGL2RenderingContext = {[Symbol.hasInstance]: () => true};
}

// Layers of image models: convolutions with fused activations, pooling, normalization, sampling.
function imageLayers(tf, ones) {
  const image = ones([1, 32, 32, 3]), features = ones([1, 16, 16, 24]);
  const layers = {
    normalize: () => tf.sub(tf.div(image, 127.5), 1),
    resize_bilinear: () => tf.image.resizeBilinear(image, [24, 20], true),
    resize_half_pixel: () => tf.image.resizeBilinear(image, [24, 20], false, true),
    resize_nearest: () => tf.image.resizeNearestNeighbor(image, [24, 20]),
    crop: () => tf.image.cropAndResize(image, ones([2, 4]), tf.tensor1d([0, 0], 'int32'), [8, 8]),
    flip: () => tf.image.flipLeftRight(image),
    rotate: () => tf.image.rotateWithOffset(image, 0.3),
    transform: () => tf.image.transform(image, ones([1, 8]), 'bilinear', 'reflect'),
    conv_transpose: () => tf.conv2dTranspose(features, ones([3, 3, 8, 24]), [1, 32, 32, 8], 2, 'same'),
    conv3d: () => tf.conv3d(ones([1, 4, 8, 8, 4]), ones([2, 3, 3, 4, 8]), 1, 'same'),
    dilation: () => tf.dilation2d(features, ones([3, 3, 24]), 1, 'same'),
    batch_norm: () => tf.batchNorm(features, ones([24]), ones([24]), ones([24]), ones([24]), 1e-3),
    local_response: () => tf.localResponseNormalization(features),
    max_pool: () => tf.maxPool(features, 3, 2, 'same'),
    avg_pool: () => tf.avgPool(features, 3, 2, 'same'),
    global_pool: () => tf.mean(features, [1, 2]),
    max_pool_3d: () => tf.maxPool3d(ones([1, 4, 8, 8, 4]), 2, 2, 'valid'),
    depth_to_space: () => tf.depthToSpace(ones([1, 8, 8, 12]), 2),
    space_to_batch: () => tf.spaceToBatchND(features, [2, 2], [[0, 0], [0, 0]]),
    mirror_pad: () => tf.mirrorPad(image, [[0, 0], [2, 2], [1, 1], [0, 0]], 'reflect'),
    zero_pad: () => tf.pad(image, [[0, 0], [0, 1], [0, 1], [0, 0]]),
  };
  for (const activation of ['linear', 'relu', 'relu6', 'elu', 'leakyrelu', 'sigmoid', 'prelu']) {
    const preluActivationWeights = activation === 'prelu' ? ones([24]) : undefined;
    const fused = {bias: ones([24]), activation, preluActivationWeights, strides: 2, pad: 'same'};
    layers[`conv_${activation}`] = () => tf.fused.conv2d({x: image, filter: ones([3, 3, 3, 24]), ...fused});
    layers[`pointwise_${activation}`] =
      () => tf.fused.conv2d({x: features, filter: ones([1, 1, 24, 24]), ...fused, strides: 1});
    layers[`depthwise_${activation}`] = () => tf.fused.depthwiseConv2d({x: features, filter: ones([3, 3, 24, 1]), ...fused});
    layers[`depthwise_dilated_${activation}`] = () => tf.fused.depthwiseConv2d(
      {x: features, filter: ones([5, 5, 24, 1]), ...fused, strides: 1, dilations: 2});
  }
  return layers;
}

// Layers of text and speech models: matrix products, attention, lookups, sums, Fourier transforms.
function sequenceLayers(tf, ones) {
  const words = ones([2, 12, 16]), ids = tf.tensor2d([[1, 2, 3], [3, 2, 1]], [2, 3], 'int32');
  const layers = {
    attention: () => tf.div(tf.matMul(words, words, false, true), 4),
    transposed_product: () => tf.matMul(words, words, true, false),
    softmax: () => tf.softmax(words),
    log_softmax: () => tf.logSoftmax(words),
    log_sum_exp: () => tf.logSumExp(words, -1),
    norm: () => tf.div(tf.sub(words, tf.mean(words, -1, true)), tf.sqrt(tf.add(tf.mean(tf.square(words), -1, true), 1e-6))),
    embedding: () => tf.gather(ones([30, 16]), ids),
    gather_nd: () => tf.gatherND(ones([4, 5, 6]), ids),
    scatter_nd: () => tf.scatterND(ids, ones([2]), [4, 5, 6]),
    one_hot: () => tf.oneHot(ids, 6),
    arg_max: () => tf.argMax(words, -1),
    arg_min: () => tf.argMin(words, 1),
    top_k: () => tf.topk(words, 3),
    cumulative_sum: () => tf.cumsum(words, 1, true, true),
    cumulative_product: () => tf.cumprod(words, 1),
    segment_sum: () => tf.unsortedSegmentSum(words, tf.tensor1d([0, 1], 'int32'), 3),
    fourier: () => tf.spectral.rfft(ones([4, 64])),
    inverse_fourier: () => tf.spectral.ifft(tf.complex(ones([4, 32]), ones([4, 32]))),
    spectrogram: () => tf.signal.stft(ones([256]), 64, 32),
    lstm_gates: () => tf.basicLSTMCell(tf.scalar(1), ones([48, 64]), ones([64]), ones([2, 32]), ones([2, 16]), ones([2, 16])),
    multinomial: () => tf.multinomial(ones([2, 6]), 4, 7),
    dense_bincount: () => tf.denseBincount(ids, [], 5),
  };
  for (const activation of ['linear', 'relu', 'elu', 'sigmoid']) {
    layers[`dense_${activation}`] = () => tf.fused.matMul(
      {a: ones([4, 16]), b: ones([16, 24]), bias: ones([24]), activation});
  }
  return layers;
}

// Operations that move and combine the elements of tensors with one to six dimensions.
function tensorLayers(tf, ones) {
  const layers = {};
  const sides = [3, 5, 2, 4, 3, 2];
  for (let rank = 1; rank <= 6; ++rank) {
    const shape = sides.slice(0, rank), tensor = ones(shape), integers = ones(shape, 'int32');
    const axes = shape.map((_, i) => rank - 1 - i);
    const add = (name, run) => layers[`${name}_${rank}d`] = run;
    add('transpose', () => tf.transpose(tensor, axes));
    add('slice', () => tf.slice(tensor, shape.map(() => 1), shape.map((side) => side - 1)));
    add('pad', () => tf.pad(tensor, shape.map(() => [1, 2]), 0.5));
    add('broadcast', () => tf.mul(tensor, ones(shape.map((side, i) => i % 2 ? side : 1))));
    add('sum', () => tf.sum(tensor, rank - 1));
    add('product', () => tf.prod(tensor, 0));
    add('any', () => tf.any(tf.greater(tensor, 0), 0));
    add('clip', () => tf.clipByValue(tensor, 0, 6));
    add('integers', () => tf.sub(tf.mul(integers, integers), integers));
    if (rank <= 5) {
      add('tile', () => tf.tile(tensor, shape.map((_, i) => i % 2 + 1)));
      add('concat', () => tf.concat([tensor, tensor, tensor], rank - 1));
      add('gather', () => tf.gather(tensor, tf.tensor1d([0, 1], 'int32'), rank - 1));
    }
    if (rank <= 4) {
      add('strided', () => tf.stridedSlice(tensor, shape.map(() => 0), shape, shape.map(() => 2)));
      add('reverse', () => tf.reverse(tensor));
      add('where', () => tf.where(tf.greater(tensor, 0), tensor, tf.neg(tensor)));
    }
  }
  return layers;
}

// All operations on single values, with floats, and with integers if supported.
function valueLayers(tf, ones) {
  const a = ones([6, 7]), b = ones([6, 7]), i = ones([6, 7], 'int32'), j = ones([6, 7], 'int32');
  const layers = {int_to_float: () => tf.cast(i, 'float32'), float_to_int: () => tf.cast(a, 'int32'), to_bool: () => tf.cast(a, 'bool')};
  for (const name of ['abs', 'acos', 'acosh', 'asin', 'asinh', 'atan', 'atanh', 'ceil', 'cos', 'cosh', 'elu', 'erf', 'exp',
    'expm1', 'floor', 'isFinite', 'isInf', 'isNaN', 'leakyRelu', 'log', 'log1p', 'neg', 'reciprocal', 'relu', 'relu6',
    'round', 'rsqrt', 'selu', 'sigmoid', 'sign', 'sin', 'sinh', 'softplus', 'sqrt', 'square', 'step', 'tan', 'tanh']) {
    layers[name] = () => tf[name](a);
  }
  for (const name of ['add', 'sub', 'mul', 'div', 'divNoNan', 'floorDiv', 'mod', 'pow', 'maximum', 'minimum', 'atan2',
    'squaredDifference', 'equal', 'notEqual', 'greater', 'greaterEqual', 'less', 'lessEqual', 'prelu']) {
    layers[name] = () => tf[name](a, b);
    if (!['atan2', 'prelu', 'divNoNan'].includes(name)) layers[`${name}_int`] = () => tf[name](i, j);
  }
  for (const name of ['logicalAnd', 'logicalOr', 'logicalXor']) {
    layers[name] = () => tf[name](tf.greater(a, 0), tf.greater(b, 0));
  }
  return layers;
}

// Returns the shaders of the package in `folder` as {name, stage, text}. npm has installed the package's dependencies
// next to it.
export function shaders(folder) {
  pretendToBeABrowser();
  const require = createRequire(path.join(folder, 'package.json'));
  const tf = require('@tensorflow/tfjs-core');
  const backend = require(folder);
  const found = new DistinctShaders();
  const {context} = recordingContext((stage, text) => {
    found.add(stage, text);
  });
  context.getUniformLocation = () => null;  // as for a missing uniform, so that nothing is uploaded
  backend.setWebGLContext(2, context);
  const ones = (shape, type) => tf.fill(shape, 1, type);
  for (const settings of SETTINGS) {
    const id = `recording ${JSON.stringify(settings)}`;
    for (const [flag, value] of Object.entries({...settings, WEBGL_CPU_FORWARD: false})) tf.env().set(flag, value);
    tf.registerBackend(id, () => new backend.MathBackendWebGL(new backend.GPGPUContext(context)));
    for (const kernel of tf.getKernelsForBackend('webgl')) tf.registerKernel({...kernel, backendName: id});
    tf.setBackend(id);
    for (const layers of [imageLayers, sequenceLayers, tensorLayers, valueLayers]) {
      for (const [layer, run] of Object.entries(layers(tf, ones))) {
        found.name = layer;
        run();
      }
    }
  }
  return found.list();
}
