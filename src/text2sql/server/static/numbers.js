/** Formats numbers for display: 37.62 and 12,345, not 37.620000000000005 and 12345. Copies and exports stay exact. */

const MOST_DECIMALS = 6; // stored numbers rarely have more (coordinates); more decimals are floating-point noise
const DECIMAL = /^-?\d+\.\d+$/; // exact decimals arrive as text
// Identifiers: years and order numbers have no thousands separators.
const NAMES = /(^|_|\b)(id|(?<=[a-z]_)(?:no|nr|number)|code|key|zip|zipcode|postcode|phone|tel|fax|mobile|sku|isbn|ssn|barcode|uuid|year|yr|month|quarter|week|day|date|period|ym|yyyymm|version)$/i;
const AMOUNT = /per_|avg|count|sum|total|数|额|量|每|均|总/i; // orders_per_day is an amount, too
const NAMES_ZH = /(编号|编码|代码|邮编|电话|手机号?|单号|工号|学号|身份证|号码?|年份?|月份?|年月|季度|星期|周|日期?)$/;

export const isNumber = (value) => typeof value === "number" || typeof value === "bigint" || (typeof value === "string" && DECIMAL.test(value));

/** Returns a formatter (value → text) for a column of a result. */
export function numberFormat(name, values, lang) {
  const numbers = values.filter(isNumber);
  const written = name.replace(/([a-z])([A-Z])/g, "$1_$2"); // CustomerId
  const whole = numbers.every((one) => typeof one === "bigint" || Number.isInteger(one));
  if (whole && !AMOUNT.test(written) && (NAMES.test(written) || NAMES_ZH.test(name))) return String;
  const decimals = Math.max(0, ...numbers.map((one) => decimalsOf(rounded(one))));
  const locale = lang === "zh" ? "zh-CN" : "en-US";
  // Align up to two decimals; with more, each number keeps its own.
  const fixed = new Intl.NumberFormat(locale, { minimumFractionDigits: decimals <= 2 ? decimals : 0, maximumFractionDigits: 20 });
  return (value) => {
    const short = rounded(value);
    return /e/.test(String(short)) ? String(short) : fixed.format(short);
  };
}

/** Remove floating-point noise. Digits as text stay text, because a double may not hold them. */
export function rounded(value) {
  if (typeof value === "string") {
    const [whole, part] = value.split(".");
    if (part.length <= 2) return value;
    const kept = part.replace(/0+$/, "");
    if (kept.length <= MOST_DECIMALS) return kept ? `${whole}.${kept}` : whole;
    return whole.length > 15 ? `${whole}.${kept.slice(0, 2)}` : rounded(Number(value));
  }
  if (typeof value === "bigint" || Number.isInteger(value) || decimalsOf(value) <= MOST_DECIMALS) return value;
  const clean = Number(value.toPrecision(12)); // 37.620000000000005 is 37.62
  if (decimalsOf(clean) <= MOST_DECIMALS) return clean;
  return Math.abs(value) >= 1 ? Number(value.toFixed(2)) : Number(value.toPrecision(4));
}

function decimalsOf(value) {
  const text = String(value);
  return text.includes("e") || !text.includes(".") ? 0 : text.length - text.indexOf(".") - 1;
}
