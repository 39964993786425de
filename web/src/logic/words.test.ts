// Tests the text that describes results.
import { create } from "@bufbuild/protobuf";
import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { VerifyPackResponseSchema } from "../../gen/proto/rewrought/v1/pack_service_pb";
import {
  AccuracyClass,
  CaseVerdictSchema,
  DenormMode,
  Dialect,
  Tier,
  Verdict,
} from "../../gen/proto/rewrought/v1/proof_pb";
import { CorpusSplit, RewriteRuleSchema, RuleTrialSchema } from "../../gen/proto/rewrought/v1/rule_pb";
import { RunState } from "../../gen/proto/rewrought/v1/run_pb";
import {
  accuracyName,
  dialectName,
  dialectNamed,
  dialects,
  growthText,
  heldOut,
  lineList,
  modeName,
  number,
  provedAgain,
  ruleText,
  runStateName,
  share,
  sizesText,
  splitName,
  tierName,
  total,
  trialVerdict,
  verdictName,
  when,
} from "./words";

test("enum values have lower-case names", () => {
  expect(verdictName(Verdict.REFUTED)).toBe("refuted");
  expect(tierName(Tier.SECOND_SOLVER)).toBe("second solver");
  expect(tierName(Tier.UNSPECIFIED)).toBe("");
  expect(accuracyName(AccuracyClass.NOT_LESS_ACCURATE)).toBe("not less accurate");
  expect(accuracyName(AccuracyClass.UNSPECIFIED)).toBe("not measured");
  expect(growthText(0.5)).toBe("at most 0.5 times");
  expect(growthText(undefined)).toBe("not shown");
  expect(modeName(DenormMode.PRESERVE)).toBe("preserve");
  expect(runStateName(RunState.PAUSED)).toBe("paused");
  expect(splitName(CorpusSplit.HELD_OUT)).toBe("held out");
});

test("dialects have the names that the command line uses", () => {
  expect(dialects).toEqual(["nir-26", "nir-25"]);
  expect(dialectNamed("nir-26")).toBe(Dialect.NIR_26);
  expect(dialectNamed("nir-7")).toBe(Dialect.UNSPECIFIED);
  expect(dialectName(Dialect.UNSPECIFIED)).toBe("");
});

test("the verdict of a trial names the numbers that got worse", () => {
  const places = [{ name: "main_rest", chosen: true }, { name: "before_late" }, { name: "after_late" }];
  const numbers = [
    { name: "time", change: 2 },
    { name: "non-nops", change: -10 },
    { name: "nops", change: 12 },
    { name: "waves", change: -8, betterHigh: true },
  ];
  const trial = create(RuleTrialSchema, { time: 100, places, noTime: { place: "before_late", numbers } });
  expect(trial.places.map((place) => trialVerdict(trial, place))).toEqual([
    "chosen",
    "saves instructions but no time: nops +12, waves -8",
    "",
  ]);
  const old = create(RuleTrialSchema, { instructions: 100, places });
  expect(trialVerdict(old, old.places[1])).toBe("time not estimated: trial of an older version");
});

test("an unknown value from a newer service has an empty name", () => {
  expect(verdictName(99 as Verdict)).toBe("");
});

test("a pack has no problems if all of its rules were proved again", () => {
  const said = (rules: bigint, rulesProved: bigint, total: bigint) =>
    provedAgain(create(VerifyPackResponseSchema, { rules, rulesProved, total, queries: 1234n }));
  expect(said(12n, 12n, 0n)).toBe("Nothing is wrong: 12 rules proved again by 1,234 queries.");
  expect(said(12n, 11n, 1n)).toBe("1 findings: 11 of 12 rules proved again by 1,234 queries.");
  expect(said(12n, 12n, 2n)).toBe("2 findings: 12 rules proved again by 1,234 queries.");
  expect(said(12n, 11n, 0n)).not.toContain("Nothing is wrong");
});

test("numbers", () => {
  expect(number(1234567n)).toBe("1,234,567");
  expect(number(-1234.56, 1)).toBe("-1,234.6");
  expect(number(0.04, 1)).toBe("0");
  expect(number(undefined)).toBe("");
});

test("times are shown to the second", () => {
  expect(when("2026-11-21T11:35:02.123456Z")).toBe("2026-11-21 11:35:02 UTC");
  expect(when("2026-11-21T11:35:02+00:00")).toBe("2026-11-21 11:35:02 UTC");
  expect(when(timestampFromDate(new Date("2026-11-21T11:35:02.987Z")))).toBe("2026-11-21 11:35:02 UTC");
  expect(when(undefined)).toBe("");
});

test("each line is listed once, and unknown lines are omitted", () => {
  expect(lineList([3, 0, 7, 3])).toBe("3, 7");
  expect(lineList([0])).toBe("");
});

test("sizes are sorted by name, with the root's size last", () => {
  const one = create(CaseVerdictSchema, { sizes: { root: 16, b: 32, a: 8, z: 1 } });
  expect(sizesText(one)).toBe("a:8 b:32 z:1 root:16");
});

test("a rule as text: with a replacement, a program, a condition", () => {
  const search = "('fneg', ('fneg', 'a'))";
  expect(ruleText(create(RewriteRuleSchema, { search, replace: "'a'" }))).toBe(`(${search}, 'a')`);
  expect(ruleText(create(RewriteRuleSchema, { search, program: "[MOV(r, a)]" }))).toBe(`(${search}, [MOV(r, a)])`);
  const condition = String.raw`options->name == 'x\'`;
  expect(ruleText(create(RewriteRuleSchema, { search, replace: "'a'", condition }))).toBe(
    `(${search}, 'a', '${String.raw`options->name == \'x\\\'`}')`,
  );
});

test("a change in percent of the previous total", () => {
  expect(share(-20, 1000)).toBe("-2.0000 %");
  expect(share(0, 1000)).toBe("0.0000 %");
  expect(share(-0, 1000)).toBe("0.0000 %");
  expect(share(undefined, 1000)).toBe("");
  expect(share(3, 0)).toBe("");
});

test("measurements: the held-out part, and sums over both parts", () => {
  const rule = create(RewriteRuleSchema, {
    measurements: [
      { split: CorpusSplit.DISCOVERY, hits: 40n, shaders: 7n },
      { split: CorpusSplit.HELD_OUT, hits: 2n, shaders: 1n },
    ],
  });
  expect(heldOut(rule)?.hits).toBe(2n);
  expect(total(rule, "hits")).toBe(42n);
  expect(total(rule, "shaders")).toBe(8n);
  expect(heldOut(create(RewriteRuleSchema))).toBeUndefined();
});
