// The clients of the service that served this page, and what all parts of the page say about its answers.
import { Code, ConnectError, createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { DenormMode, Tier, Verdict } from "../gen/proto/rewrought/v1/proof_pb";
import type { RewriteRule } from "../gen/proto/rewrought/v1/rule_pb";
import { CorpusSplit, RuleClass, RuleState } from "../gen/proto/rewrought/v1/rule_pb";
import { RunState } from "../gen/proto/rewrought/v1/run_pb";
import { CheckService, EvalService, ImproveService, RuleService, RunService } from "../gen/proto/rewrought/v1/services_pb";
import { AuditClass, AuditService } from "../gen/proto/rewrought/v1/audits_pb";
import { CorpusService } from "../gen/proto/rewrought/v1/corpus_pb";
import { MachineService } from "../gen/proto/rewrought/v1/machines_pb";
import { PackService } from "../gen/proto/rewrought/v1/packs_pb";

const kToken = "rewrought-token";
export const getToken = () => sessionStorage.getItem(kToken) ?? "";
export function setToken(token: string) {
  if (token) sessionStorage.setItem(kToken, token);
  else sessionStorage.removeItem(kToken);
}

const authorize: Interceptor = (next) => (request) => {
  const token = getToken();
  if (token) request.header.set("Authorization", `Bearer ${token}`);
  return next(request);
};

const transport = createConnectTransport({
  baseUrl: location.origin,
  useHttpGet: true,
  interceptors: [authorize],
});

export const rules = createClient(RuleService, transport);
export const checks = createClient(CheckService, transport);
export const evals = createClient(EvalService, transport);
export const improver = createClient(ImproveService, transport);
export const runs = createClient(RunService, transport);
export const machines = createClient(MachineService, transport);
export const corpus = createClient(CorpusService, transport);
export const packs = createClient(PackService, transport);
export const audits = createClient(AuditService, transport);

// What a failed call says to a person.
export function problemOf(error: unknown): string {
  const problem = ConnectError.from(error);
  if (problem.code === Code.Unauthenticated || problem.code === Code.PermissionDenied) {
    return `${problem.rawMessage} (the token is set at the top of the page)`;
  }
  if (problem.code === Code.ResourceExhausted) return `The service is busy: ${problem.rawMessage}`;
  return problem.rawMessage;
}

export const wasCancelled = (error: unknown) => ConnectError.from(error).code === Code.Canceled;

const nameOf = (table: Record<number, string>, value: number) => (table[value] ?? "").toLowerCase().replaceAll("_", " ");
export const verdictName = (verdict: Verdict) => nameOf(Verdict, verdict);
export const tierName = (tier: Tier) => (tier ? nameOf(Tier, tier) : "");
export const modeName = (mode: DenormMode) => nameOf(DenormMode, mode);
export const stateName = (state: RuleState) => nameOf(RuleState, state);
export const className = (value: RuleClass) => nameOf(RuleClass, value);
export const auditClassName = (value: AuditClass) => nameOf(AuditClass, value);
export const runStateName = (state: RunState) => nameOf(RunState, state);

// The rule as the command line takes it.
export function ruleText(rule: RewriteRule): string {
  const right = rule.replace || rule.program;
  const condition = rule.condition ? `, '${rule.condition.replaceAll("'", "\\'")}'` : "";
  return `(${rule.search}, ${right}${condition})`;
}

export const heldOut = (rule: RewriteRule) => rule.measurements.find((m) => m.split === CorpusSplit.HELD_OUT);
export const discovery = (rule: RewriteRule) => rule.measurements.find((m) => m.split === CorpusSplit.DISCOVERY);

export const number = (value: number | bigint | undefined, digits = 0) =>
  value === undefined ? "" : Number(value).toLocaleString("en", { maximumFractionDigits: digits });
