// Tests the display of bit patterns as floats: three sizes, special values, and malformed text.
import { expect, test } from "vitest";
import { floatOf, withFloats } from "./value";

test.each([
  ["0x3f800000", "1.0"],
  ["0xbf000000", "-0.5"],
  ["0x3dcccccd", "0.1"], // the shortest decimal number with the same bit pattern
  ["0x00000001", "1e-45"],
  ["0x7f7fffff", "3.4028235e38"],
  ["0x4b800001", "16777218.0"],
  ["0x3c00", "1.0"],
  ["0xc000", "-2.0"],
  ["0x0001", "5.960464477539063e-8"],
  ["0x7bff", "65504.0"],
  ["0x3ff0000000000000", "1.0"],
  ["0x3fb999999999999a", "0.1"],
])("%s is %s", (pattern, float) => {
  expect(floatOf(pattern)).toBe(float);
});

test("zeros keep their sign, and infinities and NaN are named at every size", () => {
  expect(["0x0000", "0x00000000", "0x0000000000000000"].map(floatOf)).toEqual(["0.0", "0.0", "0.0"]);
  expect(["0x8000", "0x80000000", "0x8000000000000000"].map(floatOf)).toEqual(["-0.0", "-0.0", "-0.0"]);
  expect(["0x7c00", "0x7f800000", "0x7ff0000000000000"].map(floatOf)).toEqual(["inf", "inf", "inf"]);
  expect(["0xfc00", "0xff800000", "0xfff0000000000000"].map(floatOf)).toEqual(["-inf", "-inf", "-inf"]);
  expect(["0x7e00", "0x7fc00000", "0xfff8000000000001"].map(floatOf)).toEqual(["nan", "nan", "nan"]);
});

test.each(["0x1", "0x3f", "0x3f8000000", "3f800000", "nan", "any", "", "0xghijklmn"])(
  "%j is not the pattern of a float",
  (text) => {
    expect(floatOf(text)).toBeNull();
  },
);

test("each component is followed by its float; other text is unchanged", () => {
  expect(withFloats("0x3f800000")).toBe("0x3f800000 (1.0)");
  expect(withFloats("0x3f800000, 0xff800000")).toBe("0x3f800000 (1.0), 0xff800000 (-inf)");
  expect(withFloats("0x01, nan")).toBe("0x01, nan");
});
