// The classes that every machine.py starts with; the build makes the definition from emitter/machine_preamble.py.
#ifndef REWROUGHT_EMITTER_MACHINE_PREAMBLE_H_
#define REWROUGHT_EMITTER_MACHINE_PREAMBLE_H_

namespace rewrought::emitter {

extern const char kMachinePreamble[];

}  // namespace rewrought::emitter

#endif  // REWROUGHT_EMITTER_MACHINE_PREAMBLE_H_
