// How conflicting rows are settled, shared by writing and merging: it has to be the same, or shards would not give what
// one process gives. Each clause takes the greater row, which is idempotent and independent of order.
#ifndef REWROUGHT_SERVER_STORE_SEARCH_SQL_H_
#define REWROUGHT_SERVER_STORE_SEARCH_SQL_H_

#define REWROUGHT_ATTEMPT_CONFLICT                                                                            \
  " ON CONFLICT (fragment_id, machine_id, semantics, search) DO UPDATE SET outcome = excluded.outcome, "      \
  "enumerated = excluded.enumerated, candidates = excluded.candidates, milliseconds = excluded.milliseconds " \
  "WHERE (excluded.outcome, excluded.enumerated, excluded.candidates, excluded.milliseconds) > "              \
  "(attempts.outcome, attempts.enumerated, attempts.candidates, attempts.milliseconds)"

#define REWROUGHT_VERDICT_CONFLICT                                                                           \
  " ON CONFLICT (rule, case_id, semantics) DO UPDATE SET verdict = excluded.verdict, tier = excluded.tier, " \
  "reason = excluded.reason, confirmed_by = excluded.confirmed_by, witness = excluded.witness, "             \
  "certificate = excluded.certificate, milliseconds = excluded.milliseconds "                                \
  "WHERE (excluded.verdict, excluded.tier, excluded.reason, excluded.confirmed_by, excluded.witness, "       \
  "excluded.certificate, excluded.milliseconds) > (verdicts.verdict, verdicts.tier, verdicts.reason, "       \
  "verdicts.confirmed_by, verdicts.witness, verdicts.certificate, verdicts.milliseconds)"

#endif  // REWROUGHT_SERVER_STORE_SEARCH_SQL_H_
