// Bit patterns as the floats that they are: people know 1.0 and -inf, not 0x3f800000 and 0xff800000.

const spell = (value: number) =>
  (Number.isInteger(value) && Math.abs(value) < 1e16 ? value.toFixed(1) : String(value)).replace("e+", "e");

// The shortest decimal that gives the same value in single precision.
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

// "0x7f800000" -> "inf", "0x80000000" -> "-0.0"; null for what is no pattern of 16, 32 or 64 bits.
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

// "0x3f800000 (1.0)"; components as they come, separated by commas.
export const withFloats = (text: string) =>
  text
    .split(",")
    .map((one) => {
      const float = floatOf(one.trim());
      return float === null ? one : `${one} (${float})`;
    })
    .join(",");
