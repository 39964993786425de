// Tests the messages for failed calls.
import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { problemOf, wasCancelled } from "./errors";

test("the service's message is shown without its code", () => {
  expect(problemOf(new ConnectError("rule: contains no rule", Code.InvalidArgument))).toBe("rule: contains no rule");
});

test("a missing token is reported with the place to set it", () => {
  for (const code of [Code.Unauthenticated, Code.PermissionDenied]) {
    expect(problemOf(new ConnectError("the token is unknown", code))).toMatch(/^the token is unknown \(.*top right\)$/);
  }
});

test("a busy service is reported", () => {
  expect(problemOf(new ConnectError("try again", Code.ResourceExhausted))).toBe("The service is busy: try again");
});

test("other errors have a message, too", () => {
  expect(problemOf(new TypeError("Failed to fetch"))).toBe("Failed to fetch");
  expect(problemOf("odd")).toBe("odd");
});

test("a stopped call is not a failure", () => {
  expect(wasCancelled(new ConnectError("stopped", Code.Canceled))).toBe(true);
  expect(wasCancelled(new DOMException("stopped", "AbortError"))).toBe(true);
  expect(wasCancelled(new ConnectError("late", Code.DeadlineExceeded))).toBe(false);
});
