// Collects the shaders that an engine compiles while it draws. Each text is stored once, under the name of the first
// object that was drawn with it.
import crypto from 'node:crypto';

export class DistinctShaders {
  constructor(name = 'engine') {
    this.name = name;  // the name of the object being drawn
    this.found = new Map();  // by hash
  }

  // Adds a shader. Shaders with equal `key` count as the same.
  add(stage, text, key = stage + text) {
    const hash = crypto.createHash('sha1').update(key).digest('hex').slice(0, 8);
    if (!this.found.has(hash)) this.found.set(hash, {name: `${this.name}_${hash}`, stage, text});
  }

  // Returns {name, stage, text}, in the order of compilation.
  list() { return [...this.found.values()]; }
}
