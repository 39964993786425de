// How the service's answers are put to a person: names of enum values, numbers, times, rules as text.
import { type Timestamp, timestampDate } from "@bufbuild/protobuf/wkt";
import { AuditClass } from "../../gen/proto/rewrought/v1/audit_service_pb";
import type { VerifyPackResponse } from "../../gen/proto/rewrought/v1/pack_service_pb";
import { AccuracyClass, type CaseVerdict, DenormMode, Tier, Verdict } from "../../gen/proto/rewrought/v1/proof_pb";
import {
  CorpusSplit,
  type RewriteRule,
  RuleClass,
  RuleState,
  RuleTrial_Stages,
} from "../../gen/proto/rewrought/v1/rule_pb";
import { RunState } from "../../gen/proto/rewrought/v1/run_pb";

// "SECOND_SOLVER" is "second solver"; of a value that this build does not know, nothing.
const nameIn = (table: Record<number, string>, value: number) =>
  (table[value] ?? "").toLowerCase().replaceAll("_", " ");

export const verdictName = (verdict: Verdict) => nameIn(Verdict, verdict);
export const tierName = (tier: Tier) => (tier === Tier.UNSPECIFIED ? "" : nameIn(Tier, tier));
export const stagesName = (value: RuleTrial_Stages) =>
  value === RuleTrial_Stages.UNSPECIFIED ? "" : nameIn(RuleTrial_Stages, value);
export const modeName = (mode: DenormMode) => nameIn(DenormMode, mode);
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

// "2026-11-21T11:35:02.123456Z" to the second: "2026-11-21 11:35:02 UTC".
export const when = (time: Timestamp | string | undefined) =>
  (typeof time === "object" ? timestampDate(time).toISOString() : (time ?? ""))
    .replace("T", " ")
    .replace(/\.\d+/, "")
    .replace(/(Z|\+00:00)$/, " UTC");

// Source lines, each once; unknown ones are 0.
export const lineList = (lines: number[]) => [...new Set(lines.filter((line) => line > 0))].join(", ");

// "a:32 b:16 root:32": by name, the root's last, since maps come in no order.
export const sizesText = (one: CaseVerdict) =>
  Object.entries(one.sizes)
    .sort(([a], [b]) => Number(a === "root") - Number(b === "root") || a.localeCompare(b))
    .map(([name, bits]) => `${name}:${bits}`)
    .join(" ");

// The rule as the command line takes it.
export function ruleText(rule: RewriteRule): string {
  const right = rule.replace || rule.program;
  const condition = rule.condition ? `, '${rule.condition.replace(/[\\']/g, "\\$&")}'` : "";
  return `(${rule.search}, ${right}${condition})`;
}

export const heldOut = (rule: RewriteRule) => rule.measurements.find((m) => m.split === CorpusSplit.HELD_OUT);

// What verifying a pack came to. "Nothing is wrong" is said of a pack of which all was proved again, and of no other.
export function provedAgain(of: VerifyPackResponse): string {
  const all = of.rulesProved === of.rules;
  const rules = `${number(of.rulesProved)}${all ? "" : ` of ${number(of.rules)}`} rules`;
  const found = of.total ? `${number(of.total)} findings` : all ? "Nothing is wrong" : "Not all of it was proved";
  return `${found}: ${rules} proved again by ${number(of.queries)} queries.`;
}

// A change as a percentage of all there was, "-0.3348 %"; empty where nothing was measured.
export const share = (change: number | undefined, all: number) =>
  change === undefined || all <= 0 ? "" : `${((100 * change) / all || 0).toFixed(4)} %`;

// Over both parts of the corpus.
export const total = (rule: RewriteRule, what: "hits" | "shaders") =>
  rule.measurements.reduce((sum, measured) => sum + measured[what], 0n);
