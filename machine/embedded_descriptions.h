// The built-in descriptions, byte for byte; the definition is generated from machine/descriptions/ by the build.
#ifndef REWROUGHT_MACHINE_EMBEDDED_DESCRIPTIONS_H_
#define REWROUGHT_MACHINE_EMBEDDED_DESCRIPTIONS_H_

#include <vector>

namespace rewrought::machine {

struct EmbeddedDescription {
  const char* file;   // "machine/descriptions/agx_g13.textproto"
  int known_answers;  // lines of machine/known_answers/<id>.txt
  const char* text;
};

// Sorted by file name.
extern const std::vector<EmbeddedDescription> kEmbeddedDescriptions;

}  // namespace rewrought::machine

#endif  // REWROUGHT_MACHINE_EMBEDDED_DESCRIPTIONS_H_
