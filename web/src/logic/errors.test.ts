// What a failed call says to a person.
import { Code, ConnectError } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { problemOf, wasCancelled } from "./errors";

test("the service's own words are shown without its code", () => {
  expect(problemOf(new ConnectError("rule: holds no rule", Code.InvalidArgument))).toBe("rule: holds no rule");
});

test("who lacks a token is told where it goes", () => {
  for (const code of [Code.Unauthenticated, Code.PermissionDenied]) {
    expect(problemOf(new ConnectError("the token is unknown", code))).toMatch(/^the token is unknown \(.*top right\)$/);
  }
});

test("a busy service says so", () => {
  expect(problemOf(new ConnectError("try again", Code.ResourceExhausted))).toBe("The service is busy: try again");
});

test("what is no error of the service still has a text", () => {
  expect(problemOf(new TypeError("Failed to fetch"))).toBe("Failed to fetch");
  expect(problemOf("odd")).toBe("odd");
});

test("a call that was stopped is no failure", () => {
  expect(wasCancelled(new ConnectError("stopped", Code.Canceled))).toBe(true);
  expect(wasCancelled(new DOMException("stopped", "AbortError"))).toBe(true);
  expect(wasCancelled(new ConnectError("late", Code.DeadlineExceeded))).toBe(false);
});
