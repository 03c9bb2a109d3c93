// Numbers typed as formulas: 2*pi, sqrt(2)/3, 9.81/6, M*g/2. The signs, functions and constants are those of model files, and
// what is wrong is said in the words of the program.
//
//   sum = product { (+ | -) product }     product = power { (* | /) power }
//   power = [+ | -] power | atom [^ power]     atom = number | name | name(sum, …) | (sum)

/** What is wrong with a formula, in a sentence. */
export class Wrong extends Error {}

const CONSTANTS = new Map([["pi", Math.PI], ["π", Math.PI], ["deg", Math.PI / 180]]);

/** Functions of numbers, with the number of their arguments. @type {Map<string, [number, (...x: number[]) => number]>} */
const FUNCTIONS = new Map(
  Object.entries({
    sin: [1, Math.sin], cos: [1, Math.cos], tan: [1, Math.tan], asin: [1, Math.asin], acos: [1, Math.acos], atan: [1, Math.atan],
    atan2: [2, Math.atan2], exp: [1, Math.exp], log: [1, Math.log], ln: [1, Math.log], sqrt: [1, Math.sqrt], abs: [1, Math.abs],
    sinh: [1, Math.sinh], cosh: [1, Math.cosh], tanh: [1, Math.tanh],
  }),
);

const TOKEN = /\s*(?:(\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+)|([\p{L}_][\p{L}\p{N}_.]*'*)|(\*\*|[-+*/^(),]))/uy;

/** A number alone, which may begin or end with its decimal point, and have a comma in its place. */
const NUMBER = /^[+-]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][+-]?\d+)?$/;

class Reader {
  /** @param {string} text @param {(name: string) => number | undefined} value of a name */
  constructor(text, value) {
    this.text = text;
    this.value = value;
    /** @type {{kind: "number" | "name" | "sign" | "end", text: string, at: number}[]} */
    this.tokens = [];
    this.split();
    this.next = 0;
  }

  split() {
    const { text } = this;
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < text.trimEnd().length) {
      const at = TOKEN.lastIndex;
      const found = TOKEN.exec(text);
      if (!found) throw new Wrong(`\`${[...text.slice(at).trim()][0]}\` has no place in a formula`);
      const [, number, name, sign] = found;
      if (number?.startsWith(".")) throw new Wrong(`a number does not begin with its decimal point: write \`0${number}\``);
      if (number?.endsWith(".")) throw new Wrong(`a digit is missing after the decimal point: write \`${number}0\``);
      this.tokens.push({ kind: number ? "number" : name ? "name" : "sign", text: number ?? name ?? sign.replace("**", "^"), at: TOKEN.lastIndex - (number ?? name ?? sign).length });
    }
    this.tokens.push({ kind: "end", text: "", at: text.length });
  }

  get token() {
    return this.tokens[this.next];
  }

  /** @param {string} sign */
  takes(sign) {
    const found = this.token.kind === "sign" && this.token.text === sign;
    if (found) this.next += 1;
    return found;
  }

  whole() {
    const value = this.sum();
    const { kind, text } = this.token;
    if (kind === "end") return value;
    const before = this.tokens[this.next - 1].text;
    if (kind === "sign" && text === ")") throw new Wrong("this `)` closes nothing");
    if (kind === "sign" && text === ",") {
      throw new Wrong(this.tokens[this.next - 1].kind === "number" ? "a comma is not a decimal point: the decimal point is a dot: `0.5`" : "a comma has no place here");
    }
    const [left, right] = [before === ")" ? "(…)" : before, text === "(" ? "(…)" : text];
    throw new Wrong(FUNCTIONS.has(left) ? `the argument of \`${left}\` goes in parentheses: write \`${left}(${right})\`` : `a multiplication sign is missing: write \`${left}*${right}\``);
  }

  sum() {
    let value = this.product();
    for (;;) {
      if (this.takes("+")) value += this.product();
      else if (this.takes("-")) value -= this.product();
      else return value;
    }
  }

  product() {
    let value = this.power();
    for (;;) {
      if (this.takes("*")) value *= this.power();
      else if (this.takes("/")) {
        const from = this.token.at;
        const divisor = this.power();
        if (divisor === 0) throw new Wrong(`division by zero: the divisor \`${this.since(from)}\` is 0`);
        value /= divisor;
      } else return value;
    }
  }

  /** -a^2 is -(a^2), and a^b^c is a^(b^c). @returns {number} */
  power() {
    if (this.takes("-")) return -this.power();
    if (this.takes("+")) return this.power();
    const base = this.atom();
    return this.takes("^") ? base ** this.power() : base;
  }

  atom() {
    const { kind, text } = this.token;
    if (kind === "number") {
      this.next += 1;
      return Number(text);
    }
    if (kind === "name") {
      this.next += 1;
      return this.token.text === "(" && this.token.kind === "sign" && !this.known(text) ? this.call(text) : this.named(text);
    }
    if (this.takes("(")) {
      const value = this.sum();
      this.close();
      return value;
    }
    const before = this.tokens[this.next - 1]?.text;
    if (kind === "end") throw new Wrong(before === undefined ? "the formula is empty" : `something is missing after \`${before}\``);
    throw new Wrong(before === undefined ? `something is missing before \`${text}\`` : `something is missing between \`${before}\` and \`${text}\``);
  }

  /** @param {string} name */
  known(name) {
    return CONSTANTS.get(name) ?? this.value(name);
  }

  /** @param {string} name */
  named(name) {
    const value = this.known(name);
    if (value !== undefined) return value;
    if (FUNCTIONS.has(name)) {
      const { kind, text } = this.token;
      throw new Wrong(kind === "number" || kind === "name" ? `the argument of \`${name}\` goes in parentheses: write \`${name}(${text})\`` : `a function needs its arguments: ${name}(x)`);
    }
    throw new Wrong(`unknown name \`${name}\`: not a parameter`);
  }

  /** @param {string} name */
  call(name) {
    const known = FUNCTIONS.get(name);
    if (!known) throw new Wrong(`there is no function \`${name}\``);
    const [count, compute] = known;
    this.takes("(");
    const from = this.token.at;
    const values = [this.sum()];
    while (this.takes(",")) values.push(this.sum());
    const quoted = this.since(from);
    this.close();
    if (values.length !== count) throw new Wrong(`\`${name}\` takes ${count === 1 ? "one argument" : "two arguments"}, not ${values.length}`);
    if (name === "sqrt" && values[0] < 0) throw new Wrong(`the root of \`${quoted}\` has no real value`);
    if ((name === "log" || name === "ln") && values[0] <= 0) throw new Wrong(`the logarithm of \`${quoted}\` has no value`);
    return compute(...values);
  }

  close() {
    if (!this.takes(")")) throw new Wrong(this.token.kind === "end" ? "a `)` is missing" : `a \`)\` is missing before \`${this.token.text}\``);
  }

  /** The text from there to the token in front. @param {number} from */
  since(from) {
    return this.text.slice(from, this.token.at).trim();
  }
}

/** Characters of a formula, which bound how deep it can be nested. */
const LONGEST = 1000;

/**
 * The number that a person typed, as digits or as a formula; a minus sign of typography, a multiplication dot and, in a number alone, a decimal comma are understood.
 * @param {string} text
 * @param {(name: string) => number | undefined} [value] of names
 * @returns {number}
 * @throws {Wrong}
 */
export function evaluate(text, value = () => undefined) {
  const clean = text.trim().replace(/[−–]/g, "-").replace(/[·×]/g, "*");
  if (clean.length > LONGEST) throw new Wrong(`a formula of ${clean.length} characters is too long; ${LONGEST} are read`);
  const number = NUMBER.test(clean) ? Number(clean.replace(",", ".")) : new Reader(clean, value).whole();
  if (!Number.isFinite(number)) throw new Wrong(`\`${text.trim()}\` has no finite value`);
  return number;
}
