// Converts the errors of failed calls to messages for the user.
import { Code, ConnectError } from "@connectrpc/connect";

export function problemOf(error: unknown): string {
  const problem = ConnectError.from(error);
  if (problem.code === Code.Unauthenticated || problem.code === Code.PermissionDenied) {
    return `${problem.rawMessage} (the token is set at the top right)`;
  }
  if (problem.code === Code.ResourceExhausted) return `The service is busy: ${problem.rawMessage}`;
  return problem.rawMessage;
}

export const wasCancelled = (error: unknown) => ConnectError.from(error).code === Code.Canceled;
