// The clients of the service that served this web UI.
import { createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-web";
import { AuditService } from "../gen/proto/rewrought/v1/audits_pb";
import { CorpusService } from "../gen/proto/rewrought/v1/corpus_pb";
import { MachineService } from "../gen/proto/rewrought/v1/machines_pb";
import { PackService } from "../gen/proto/rewrought/v1/packs_pb";
import {
  CheckService,
  EvalService,
  ImproveService,
  RuleService,
  RunService,
} from "../gen/proto/rewrought/v1/services_pb";

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
