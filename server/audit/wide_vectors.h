// Rules over vectors of 8 and 16 components, which terms do not have, as rules over vectors of 4.
#ifndef REWROUGHT_SERVER_AUDIT_WIDE_VECTORS_H_
#define REWROUGHT_SERVER_AUDIT_WIDE_VECTORS_H_

#include <string>

namespace rewrought::audit {

// The rule, a tuple (search, replace), with each variable that an op on 8 or 16 components reads as two or four of 4
// components (`a` becomes `aqa`, `aqb`, ...; the swizzle `a.f` becomes `aqb.y`) and the op as its namesake for 4 of each,
// joined as Mesa 25.0.7 nir_opcodes.py (binop_reduce) joins components: ball_* and fall_* by "and", bany_* and fany_* by
// "or", fdot* by sums. A sum is rounded (and may flush) between its parts where the op adds one component after the
// other: the same only where no step rounds or is denormal. As it is where the rule has no such op, or anything else
// stands between.
std::string WithoutWideVectors(const std::string& rule);

}  // namespace rewrought::audit

#endif  // REWROUGHT_SERVER_AUDIT_WIDE_VECTORS_H_
