// Formats parts of the service's responses as text: names of enum values, numbers, times, and rules.
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { AuditClass } from "../../gen/proto/rewrought/v1/audit_service_pb";
import type { VerifyPackResponse } from "../../gen/proto/rewrought/v1/pack_service_pb";
import {
  AccuracyClass,
  type CaseVerdict,
  DenormMode,
  Dialect,
  Tier,
  Verdict,
} from "../../gen/proto/rewrought/v1/proof_pb";
import {
  CorpusSplit,
  type RewriteRule,
  RuleClass,
  RuleState,
  type RuleTrial,
  type RuleTrial_Place,
  RuleTrial_Stages,
} from "../../gen/proto/rewrought/v1/rule_pb";
import { RunState } from "../../gen/proto/rewrought/v1/run_pb";

// Returns the name of an enum value, such as "second solver" for SECOND_SOLVER, or "" for a value that this build does
// not know.
const nameIn = (table: Record<number, string>, value: number) =>
  (table[value] ?? "").toLowerCase().replaceAll("_", " ");

export const verdictName = (verdict: Verdict) => nameIn(Verdict, verdict);
export const tierName = (tier: Tier) => (tier === Tier.UNSPECIFIED ? "" : nameIn(Tier, tier));
export const stagesName = (value: RuleTrial_Stages) =>
  value === RuleTrial_Stages.UNSPECIFIED ? "" : nameIn(RuleTrial_Stages, value);
export const modeName = (mode: DenormMode) => nameIn(DenormMode, mode);

// The names of the known dialects, newest first: "nir-26".
export const dialects = [Dialect.NIR_26, Dialect.NIR_25].map((dialect) => dialectName(dialect));

// Returns the name of a dialect, or "" if it is unspecified.
export function dialectName(dialect: Dialect) {
  return dialect === Dialect.UNSPECIFIED ? "" : nameIn(Dialect, dialect).replace(" ", "-");
}

// Returns the dialect with the given name, or UNSPECIFIED for any other text.
export const dialectNamed = (name: string) =>
  [Dialect.NIR_25, Dialect.NIR_26].find((dialect) => dialectName(dialect) === name) ?? Dialect.UNSPECIFIED;

export const stateName = (state: RuleState) => nameIn(RuleState, state);
export const className = (value: RuleClass) => nameIn(RuleClass, value);
export const auditClassName = (value: AuditClass) => nameIn(AuditClass, value);
export const runStateName = (state: RunState) => nameIn(RunState, state);
export const splitName = (split: CorpusSplit) => nameIn(CorpusSplit, split);

export const accuracyName = (value: AccuracyClass) =>
  value === AccuracyClass.UNSPECIFIED ? "not measured" : nameIn(AccuracyClass, value);
export const growthText = (factor: number | undefined) =>
  factor === undefined ? "not shown" : `at most ${number(factor, 2)} times`;

export const number = (value: number | bigint | undefined, digits = 0) =>
  value === undefined ? "" : Number(value).toLocaleString("en", { maximumFractionDigits: digits });

// Formats a time such as "2026-11-21T11:35:02.123456Z" as "2026-11-21 11:35:02 UTC".
export const when = (time: Timestamp | string | undefined) =>
  (typeof time === "object" ? timestampDate(time).toISOString() : (time ?? ""))
    .replace("T", " ")
    .replace(/\.\d+/, "")
    .replace(/(Z|\+00:00)$/, " UTC");

// Returns the known source lines as text, without duplicates. Line 0 means unknown.
export const lineList = (lines: number[]) => [...new Set(lines.filter((line) => line > 0))].join(", ");

// Returns sizes as "a:32 b:16 root:32". The root is last; the other sizes are sorted by name, because maps are
// unordered.
export const sizesText = (one: CaseVerdict) =>
  Object.entries(one.sizes)
    .sort(([a], [b]) => Number(a === "root") - Number(b === "root") || a.localeCompare(b))
    .map(([name, bits]) => `${name}:${bits}`)
    .join(" ");

// Returns the rule in the syntax of the command line.
export function ruleText(rule: RewriteRule): string {
  const right = rule.replace || rule.program;
  const condition = rule.condition ? `, '${rule.condition.replace(/[\\']/g, "\\$&")}'` : "";
  return `(${rule.search}, ${right}${condition})`;
}

export const heldOut = (rule: RewriteRule) => rule.measurements.find((m) => m.split === CorpusSplit.HELD_OUT);

// Summarizes the verification of a pack. Says "Nothing is wrong" only if all rules were proved again.
export function provedAgain(of: VerifyPackResponse): string {
  const all = of.rulesProved === of.rules;
  const rules = `${number(of.rulesProved)}${all ? "" : ` of ${number(of.rules)}`} rules`;
  const found = of.total ? `${number(of.total)} findings` : all ? "Nothing is wrong" : "Not all rules were proved";
  return `${found}: ${rules} proved again by ${number(of.queries)} queries.`;
}

// Formats a change as a percentage of the total `all`, such as "-0.3348 %". Returns "" if nothing was measured.
export const share = (change: number | undefined, all: number) =>
  change === undefined || all <= 0 ? "" : `${((100 * change) / all || 0).toFixed(4)} %`;

// Returns the verdict of a trial on a rule at a place, such as "chosen". If the rule saves instructions but no time,
// names the numbers that got worse at the place where it saves the most instructions.
export function trialVerdict(trial: RuleTrial, place: RuleTrial_Place) {
  if (place.chosen) return "chosen";
  if (!trial.time) return "time not estimated: trial of an older version";
  if (trial.noTime?.place !== place.name) return "";
  const worse = trial.noTime.numbers
    .filter((one) => one.name !== "time" && (one.betterHigh ? one.change < 0 : one.change > 0))
    .map((one) => `${one.name} ${one.change > 0 ? "+" : ""}${number(one.change, 1)}`);
  return `saves instructions but no time${worse.length ? `: ${worse.join(", ")}` : ""}`;
}

// Returns the sum over both parts of the corpus.
export const total = (rule: RewriteRule, what: "hits" | "shaders") =>
  rule.measurements.reduce((sum, measured) => sum + measured[what], 0n);
