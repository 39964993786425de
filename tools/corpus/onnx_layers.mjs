// Small ONNX models for onnxruntime_web.mjs. Each one has a single operation, or a few in sequence. The sizes are
// typical of networks for images, text and speech, and cover all tensor ranks that the back end supports.

// A tensor that is an input of the model at run time.
const fed = (dims, type = 'float32') => ({dims, type});
// Constant tensors of the model, such as sizes, axes and weights.
const integers = (values) => ({dims: [values.length], type: 'int64', values});
const reals = (values, dims = [values.length]) => ({dims, type: 'float32', values});
const weights = (...dims) => reals(new Array(dims.reduce((a, b) => a * b, 1)).fill(0.5), dims);

// A model with a sequence of operations {type, inputs, attributes}. Each operation reads the previous result, then its
// inputs.
//   opset: the version of ONNX's operations; outputs: the number of outputs of the last operation
const model = (name, operations, {opset = 12, outputs = 1} = {}) => ({name, operations, opset, outputs});
const one = (name, type, inputs, attributes, options) => model(name, [{type, inputs, attributes}], options);

const CONVOLUTIONS = {
  plain: [[1, 3, 16, 16], [8, 3, 3, 3], {pads: [1, 1, 1, 1]}],
  odd: [[1, 5, 13, 9], [7, 5, 3, 5], {}],
  strided: [[1, 3, 32, 24], [16, 3, 7, 7], {strides: [2, 2], pads: [3, 3, 3, 3]}],
  dilated: [[1, 4, 17, 17], [6, 4, 3, 3], {dilations: [2, 3]}],
  same: [[1, 3, 15, 15], [4, 3, 3, 3], {auto_pad: 'SAME_UPPER', strides: [2, 2]}],
  batch: [[2, 3, 8, 8], [4, 3, 3, 3], {}],
  pointwise: [[1, 8, 7, 6], [5, 8, 1, 1], {}],
  grouped: [[1, 8, 12, 12], [12, 4, 3, 3], {group: 2, pads: [1, 1, 1, 1]}],
  depthwise: [[1, 6, 14, 10], [6, 1, 3, 3], {group: 6, strides: [2, 1], pads: [1, 1, 0, 0]}],
};
const WITH_BIAS = ['plain', 'pointwise', 'grouped'];
const TRANSPOSED = {
  plain: [[1, 4, 8, 8], [4, 6, 3, 3], {strides: [2, 2], pads: [1, 1, 1, 1], output_padding: [1, 1]}],
  odd: [[1, 3, 5, 7], [3, 2, 2, 4], {}],
  grouped: [[1, 6, 6, 6], [6, 2, 3, 3], {group: 3, dilations: [2, 2]}],
};

function convolutions() {
  const found = [];
  for (const [form, [image, kernel, attributes]] of Object.entries(CONVOLUTIONS)) {
    const inputs = [fed(image), weights(...kernel)];
    found.push(one(`conv_${form}`, 'Conv', inputs, attributes));
    if (!WITH_BIAS.includes(form)) continue;
    const biased = {type: 'Conv', inputs: [...inputs, weights(kernel[0])], attributes};
    found.push(model(`conv_${form}_bias`, [biased]));
    found.push(model(`conv_${form}_relu`, [biased, {type: 'Relu', inputs: []}]));  // the back end fuses these
  }
  for (const [form, [image, kernel, attributes]] of Object.entries(TRANSPOSED)) {
    found.push(one(`conv_transpose_${form}`, 'ConvTranspose', [fed(image), weights(...kernel)], attributes));
  }
  return found;
}

// Pooling, normalization and similar operations on an image of [batch, channels, height, width].
function imageLayers(size, image) {
  const [batch, channels, height, width] = image;
  const found = [], add = (name, ...rest) => found.push(one(`${name}_${size}`, ...rest));
  for (const type of ['MaxPool', 'AveragePool']) {
    const name = type.toLowerCase();
    const volume = {kernel_shape: [2, 3, 2], strides: [1, 2, 1], pads: [0, 1, 0, 0, 1, 1]};
    add(`${name}_half`, type, [fed(image)], {kernel_shape: [2, 2], strides: [2, 2]});
    add(`${name}_same`, type, [fed(image)], {kernel_shape: [3, 3], strides: [2, 1], pads: [1, 1, 1, 1]});
    add(`${name}_row`, type, [fed([batch, channels, width])], {kernel_shape: [3], strides: [2], pads: [1, 0]});
    add(`${name}_volume`, type, [fed([...image, 5])], volume);
  }
  const counting = {kernel_shape: [3, 3], strides: [1, 1], pads: [1, 1, 1, 1], count_include_pad: 1};
  add('averagepool_counting', 'AveragePool', [fed(image)], counting);
  add('global_average', 'GlobalAveragePool', [fed(image)]);
  add('global_max', 'GlobalMaxPool', [fed(image)]);
  const perChannel = weights(channels);
  for (const rank of [3, 4, 5]) {
    const inputs = [fed([...image, 3].slice(0, rank)), perChannel, perChannel, perChannel, perChannel];
    add(`batch_norm_${rank}d`, 'BatchNormalization', inputs, {epsilon: 1e-3});
  }
  add('instance_norm', 'InstanceNormalization', [fed(image), perChannel, perChannel]);
  add('image_scaler', 'ImageScaler', [fed(image)], {scale: 0.5, bias: new Array(channels).fill(0.25)});
  add('depth_to_space', 'DepthToSpace', [fed([batch, 12, height, width])], {blocksize: 2, mode: 'DCR'});
  add('depth_to_space_columns', 'DepthToSpace', [fed([batch, 18, height, width])], {blocksize: 3, mode: 'CRD'});
  return found;
}

// Excludes Upsample of ONNX version 9, whose scales this release ignores, and Resize, which always uses packed
// textures.
function sampling() {
  const found = [], image = [1, 2, 6, 8];
  const upsample = (name, dims, mode, scales) => found.push(
    one(`upsample_${name}`, 'Upsample', [fed(dims)], {mode, scales}, {opset: 7}));
  for (const mode of ['nearest', 'linear']) {
    upsample(`${mode}_twice`, image, mode, [1, 1, 2, 2]);
    upsample(`${mode}_wide`, [1, 5, 7, 3], mode, [1, 1, 2, 3]);
  }
  upsample('nearest_volume', [1, 2, 3, 4, 5], 'nearest', [1, 1, 2, 2, 3]);
  upsample('linear_plane', [5, 6], 'linear', [2, 2]);
  return found;
}

const PRODUCTS = {
  plain: [[4, 6], [6, 5]],
  wide: [[7, 33], [33, 18]],
  batch: [[3, 4, 6], [3, 6, 5]],
  broadcast: [[2, 3, 4, 6], [6, 5]],
  heads: [[1, 2, 9, 8], [1, 2, 8, 9]],
};
const SUMMANDS = {row: [10], matrix: [6, 10], column: [6, 1]};

// Matrix products and attention weights.
function sequenceLayers() {
  const found = [];
  for (const [form, [a, b]] of Object.entries(PRODUCTS)) found.push(one(`matmul_${form}`, 'MatMul', [fed(a), fed(b)]));
  for (const [form, c] of Object.entries(SUMMANDS)) {
    for (const [transA, transB] of [[0, 0], [1, 1]]) {
      const a = transA ? [8, 6] : [6, 8], b = transB ? [10, 8] : [8, 10];
      const inputs = [fed(a), weights(...b), weights(...c)];
      found.push(one(`gemm_${form}_${transA}${transB}`, 'Gemm', inputs, {transA, transB, alpha: 0.5, beta: 2}));
    }
  }
  found.push(one('gemm_of_two', 'Gemm', [fed([3, 7]), weights(7, 5)]));
  for (const shape of [[4, 9], [3, 5, 6], [2, 3, 4, 5]]) {
    found.push(one(`softmax_rows_${shape.length}d`, 'Softmax', [fed(shape)], {axis: 1}));
    found.push(one(`softmax_last_${shape.length}d`, 'Softmax', [fed(shape)], {axis: -1}, {opset: 13}));
    found.push(one(`softmax_first_${shape.length}d`, 'Softmax', [fed(shape)], {axis: 0}, {opset: 13}));
  }
  return found;
}

// Operations that move and combine the elements of a tensor.
function tensorLayers(shape) {
  const rank = shape.length, last = rank - 1, tensor = fed(shape), axes = shape.map((_, i) => i);
  const label = shape.join('x');
  const found = [], add = (name, ...rest) => found.push(one(`${name}_${label}`, ...rest));
  add('transpose', 'Transpose', [tensor], {perm: axes.map((i) => last - i)});
  add('rotate', 'Transpose', [tensor], {perm: [...axes.slice(1), 0]});
  add('slice', 'Slice', [tensor], {starts: axes.map(() => 1), ends: shape, axes}, {opset: 9});
  add('slice_last', 'Slice', [tensor, integers([0]), integers([-1]), integers([last])]);
  const pads = [...axes.map((i) => i % 2), ...axes.map(() => 1)];
  add('pad', 'Pad', [tensor], {mode: 'constant', value: 0.5, pads}, {opset: 10});
  add('pad_edge', 'Pad', [tensor, integers(pads)], {mode: 'edge'});
  add('pad_reflect', 'Pad', [tensor, integers(pads)], {mode: 'reflect'});
  add('sum', 'ReduceSum', [tensor], {axes: [last], keepdims: 0});
  add('concat', 'Concat', [tensor, tensor, fed([...shape.slice(0, last), 7])], {axis: last});
  add('split', 'Split', [tensor], {axis: last, split: [1, shape[last] - 1]}, {outputs: 2});
  add('tile', 'Tile', [tensor, integers(axes.map((i) => i % 2 + 1))]);
  if (rank > 1) add('broadcast', 'Mul', [tensor, fed(shape.map((side, i) => i % 2 ? side : 1))]);
  if (rank < 6) add('gather', 'Gather', [tensor, fed([2, 3].slice(0, 6 - rank), 'int32')], {axis: last});
  return [...found, ...reshapes(shape, label)];
}

// Reshapes, after which the next operation reads the same texture with another layout.
function reshapes(shape, label) {
  const rank = shape.length, reversed = [...shape].reverse(), tensor = [fed(shape)];
  const found = [];
  const add = (name, operations, options) => found.push(model(`${name}_${label}`, operations, options));
  if (rank > 1) {
    add('reshape', [
      {type: 'Reshape', inputs: [...tensor, integers(reversed)]},
      {type: 'Slice', inputs: [], attributes: {starts: shape.map(() => 1), ends: reversed}}], {opset: 9});
  }
  if (rank > 2) {
    add('flatten', [
      {type: 'Flatten', inputs: tensor, attributes: {axis: 1}},
      {type: 'Transpose', inputs: [], attributes: {perm: [1, 0]}}]);
  }
  if (rank < 6) {
    const attributes = {axes: [rank - 1]}, pads = [...shape.map(() => 1), 0];
    add('unsqueeze', [
      {type: 'Unsqueeze', inputs: tensor, attributes},
      {type: 'Pad', inputs: [integers([...pads, ...pads])]},
      {type: 'ReduceMax', inputs: [], attributes: {...attributes, keepdims: 1}},
      {type: 'Squeeze', inputs: [], attributes},
      {type: 'Tile', inputs: [integers(shape.map(() => 2))]}]);
  }
  return found;
}

function reductions() {
  const found = [];
  const operations = ['LogSum', 'Max', 'Mean', 'Min', 'Prod', 'Sum', 'SumSquare'];
  for (const type of operations.map((operation) => `Reduce${operation}`)) {
    found.push(one(`${type}_image`, type, [fed([2, 4, 7, 5])], {axes: [2, 3], keepdims: 1}));
    found.push(one(`${type}_inner`, type, [fed([3, 9, 6])], {axes: [1], keepdims: 0}));
  }
  found.push(one('ReduceMax_all', 'ReduceMax', [fed([4, 6, 3])]));
  return found;
}

const OF_ONE = ['Abs', 'Acos', 'Asin', 'Atan', 'Ceil', 'Cos', 'Elu', 'Exp', 'Floor', 'LeakyRelu', 'Log', 'Neg', 'Relu',
  'Sigmoid', 'Sin', 'Sqrt', 'Tan', 'Tanh'];
const OF_TWO = ['Add', 'Sub', 'Mul', 'Div', 'Pow', 'PRelu', 'Equal', 'Greater', 'Less'];
const OF_TRUTHS = ['And', 'Or', 'Xor'];
const OF_ROWS = ['Add', 'Div', 'PRelu', 'Less', 'Or'];

// All operations on single values, with equal and with different shapes. Excludes Clip, whose shaders define their own
// `min`, which GLSL ES 3.00 does not allow.
function valueLayers() {
  const found = [];
  for (const type of OF_ONE) {
    const attributes = ['Elu', 'LeakyRelu'].includes(type) ? {alpha: 0.3} : {};
    found.push(one(type, type, [fed([6, 7])], attributes));
  }
  found.push(one('Not', 'Not', [fed([6, 7], 'bool')]));
  found.push(one('Sum', 'Sum', [fed([6, 7]), fed([6, 7]), fed([6, 7])]));
  const cast = {type: 'Cast', inputs: [fed([6, 7])], attributes: {to: 6}};  // to integers
  found.push(model('Cast', [cast, {type: 'Abs', inputs: []}]));
  for (const type of [...OF_TWO, ...OF_TRUTHS]) {
    const input = (dims) => fed(dims, OF_TRUTHS.includes(type) ? 'bool' : 'float32');
    found.push(one(type, type, [input([6, 7]), input([6, 7])]));
    if (OF_ROWS.includes(type)) found.push(one(`${type}_rows`, type, [input([6, 7]), input([7])]));
  }
  found.push(one('Add_channels', 'Add', [fed([1, 4, 5, 6]), fed([4, 1, 1])]));
  return found;
}

const SHAPES = [
  [9], [3, 5], [8, 12], [3, 5, 2], [7, 4, 6], [3, 5, 2, 4], [2, 6, 7, 9], [3, 5, 2, 4, 3], [3, 5, 2, 4, 3, 2],
];

export const layers = () => [
  ...convolutions(),
  ...imageLayers('small', [1, 4, 9, 7]),
  ...imageLayers('large', [2, 6, 24, 16]),
  ...sampling(),
  ...sequenceLayers(),
  ...SHAPES.flatMap(tensorLayers),
  ...reductions(),
  ...valueLayers(),
];
