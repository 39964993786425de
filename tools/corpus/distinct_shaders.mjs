// The shaders that an engine compiles while it draws, each text once, named after what was drawn when it first came.
import crypto from 'node:crypto';

export class DistinctShaders {
  constructor(name = 'engine') {
    this.name = name;  // of what is being drawn
    this.found = new Map();  // by hash
  }

  // `key`: what two that are one have in common.
  add(stage, text, key = stage + text) {
    const hash = crypto.createHash('sha1').update(key).digest('hex').slice(0, 8);
    if (!this.found.has(hash)) this.found.set(hash, {name: `${this.name}_${hash}`, stage, text});
  }

  // {name, stage, text}, in the order in which they were compiled.
  list() { return [...this.found.values()]; }
}
