// Shows bit patterns as floats, because 1.0 and -inf are more readable than 0x3f800000 and 0xff800000.

const spell = (value: number) =>
  (Number.isInteger(value) && Math.abs(value) < 1e16 ? value.toFixed(1) : String(value)).replace("e+", "e");

// Returns the shortest decimal number with the same single-precision value.
function shortest(value: number): string {
  for (let digits = 1; digits <= 9; ++digits) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return spell(short);
  }
  return spell(value);
}

function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 0x3ff;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent ? 2 ** (exponent - 15) * (1 + fraction / 1024) : 2 ** -14 * (fraction / 1024));
}

// Converts "0x7f800000" to "inf" and "0x80000000" to "-0.0". Returns null unless the text is a 16-bit, 32-bit, or
// 64-bit pattern.
export function floatOf(hex: string): string | null {
  if (!/^0x([0-9a-f]{4}|[0-9a-f]{8}|[0-9a-f]{16})$/i.test(hex)) return null;
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, BigInt(hex));
  const digits = hex.length - 2;
  const value = digits === 16 ? view.getFloat64(0) : digits === 8 ? view.getFloat32(4) : half(view.getUint16(6));
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value < 0 ? "-inf" : "inf";
  if (value === 0) return Object.is(value, -0) ? "-0.0" : "0.0";
  return digits === 8 ? shortest(value) : spell(value);
}

// Appends the float to each of the comma-separated components, as in "0x3f800000 (1.0)".
export const withFloats = (text: string) =>
  text
    .split(",")
    .map((one) => {
      const float = floatOf(one.trim());
      return float === null ? one : `${one} (${float})`;
    })
    .join(",");
