// Creates the clients of the service that serves this web UI.
import { createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { AuditService } from "../gen/proto/rewrought/v1/audit_service_pb";
import { CheckService } from "../gen/proto/rewrought/v1/check_service_pb";
import { CorpusService } from "../gen/proto/rewrought/v1/corpus_service_pb";
import { EvalService } from "../gen/proto/rewrought/v1/eval_service_pb";
import { ImproveService } from "../gen/proto/rewrought/v1/improve_service_pb";
import { MachineService } from "../gen/proto/rewrought/v1/machine_service_pb";
import { PackService } from "../gen/proto/rewrought/v1/pack_service_pb";
import { RuleService } from "../gen/proto/rewrought/v1/rule_service_pb";
import { RunService } from "../gen/proto/rewrought/v1/run_service_pb";

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
