//! The text form of a tape, which reads back to the same tape bit by bit.
//!
//! ```text
//! inputs t theta theta'
//! v0 = input theta
//! v1 = sin v0
//! v2 = const -9.81
//! v3 = mul v1 v2
//! outputs
//!   theta'' = v3
//! ```
//!
//! One operation a line, in words that are separated by spaces. Values are numbered in order from
//! 0. A name is anything without spaces. A constant is the shortest decimal that reads back to its
//! double, followed by a second one when the constant has a low part. Blank lines do not count.
//!
//! | operation | words |
//! | --- | --- |
//! | input, number | `input NAME`, `const HI`, `const HI LO` |
//! | −a, √a, sin a, cos a, eᵃ, ln a | `neg a`, `sqrt a`, `sin a`, `cos a`, `exp a`, `log a` |
//! | a + b, a − b, a b, a / b | `add a b`, `sub a b`, `mul a b`, `div a b` |
//! | the angle of (x, y) | `atan2 y x` |

use crate::double_double::Dd;
use crate::op::{Op, Value};
use crate::tape::{Output, Tape};
use crate::verify::{Malformed, Place, verify};
use std::fmt::{self, Display};
use std::str::FromStr;

impl Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "v{}", self.0)
    }
}

impl Display for Tape {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "inputs")?;
        self.inputs.iter().try_for_each(|name| write!(f, " {name}"))?;
        writeln!(f)?;
        for (op, v) in self.ops.iter().zip((0..).map(Value)) {
            write!(f, "{v} = ")?;
            match *op {
                Op::Input(i) => writeln!(f, "input {}", self.inputs[i as usize])?,
                Op::Constant(c) if c.lo() == 0.0 => writeln!(f, "const {:?}", c.hi())?,
                Op::Constant(c) => writeln!(f, "const {:?} {:?}", c.hi(), c.lo())?,
                Op::Neg(a) => writeln!(f, "neg {a}")?,
                Op::Add(a, b) => writeln!(f, "add {a} {b}")?,
                Op::Sub(a, b) => writeln!(f, "sub {a} {b}")?,
                Op::Mul(a, b) => writeln!(f, "mul {a} {b}")?,
                Op::Div(a, b) => writeln!(f, "div {a} {b}")?,
                Op::Sqrt(a) => writeln!(f, "sqrt {a}")?,
                Op::Sin(a) => writeln!(f, "sin {a}")?,
                Op::Cos(a) => writeln!(f, "cos {a}")?,
                Op::Exp(a) => writeln!(f, "exp {a}")?,
                Op::Log(a) => writeln!(f, "log {a}")?,
                Op::Atan2(y, x) => writeln!(f, "atan2 {y} {x}")?,
            }
        }
        writeln!(f, "outputs")?;
        self.outputs.iter().try_for_each(|o| writeln!(f, "  {} = {}", o.name, o.value))
    }
}

/// Why text is no tape. Lines and columns count from 1, columns in characters.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum TextError {
    /// Something else should stand here.
    Expected {
        /// The line.
        line: usize,
        /// The first column of what stands there instead.
        column: usize,
        /// What should stand there.
        what: String,
        /// What does; empty at the end of the line.
        found: String,
    },
    /// The text has the right form, but the tape it describes is not well-formed.
    Malformed {
        /// The line.
        line: usize,
        /// What is wrong.
        error: Malformed,
    },
}

impl Display for TextError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            TextError::Expected { line, column, what, found } if found.is_empty() => {
                write!(f, "line {line}, column {column}: expected {what}, found the end of the line")
            }
            TextError::Expected { line, column, what, found } => {
                write!(f, "line {line}, column {column}: expected {what}, found `{found}`")
            }
            TextError::Malformed { line, error } => write!(f, "line {line}: {}", error.describe()),
        }
    }
}

impl std::error::Error for TextError {}

/// The words of one line, read from left to right.
struct Line<'a> {
    number: usize,
    text: &'a str,
    at: usize, // byte where the rest begins
}

impl<'a> Line<'a> {
    /// The next word and its first byte; an empty word at the end.
    fn peek(&self) -> (&'a str, usize) {
        let rest = &self.text[self.at..];
        let begin = self.at + (rest.len() - rest.trim_start().len());
        let word = self.text[begin..].split(char::is_whitespace).next().unwrap_or("");
        let begin = if word.is_empty() { self.text.trim_end().len() } else { begin };
        (word, begin)
    }

    fn is_at_end(&self) -> bool {
        self.peek().0.is_empty()
    }

    /// The next word, made into something.
    fn word<T>(&mut self, what: impl Display, read: impl FnOnce(&'a str) -> Option<T>) -> Result<T, TextError> {
        let (word, begin) = self.peek();
        match read(word).filter(|_| !word.is_empty()) {
            Some(t) => {
                self.at = begin + word.len();
                Ok(t)
            }
            None => Err(TextError::Expected {
                line: self.number,
                column: self.text[..begin].chars().count() + 1,
                what: what.to_string(),
                found: word.into(),
            }),
        }
    }

    fn exactly(&mut self, expected: &str) -> Result<(), TextError> {
        self.word(format_args!("`{expected}`"), |w| (w == expected).then_some(()))
    }

    fn value(&mut self) -> Result<Value, TextError> {
        self.word("a value such as `v0`", |w| {
            let digits = w.strip_prefix('v').filter(|d| d.bytes().all(|b| b.is_ascii_digit()))?;
            digits.parse().ok().map(Value)
        })
    }

    /// A finite double.
    fn number(&mut self) -> Result<f64, TextError> {
        self.word("a finite number", |w| w.parse().ok().filter(|x: &f64| x.is_finite()))
    }

    /// hi, or hi and lo.
    fn constant(&mut self) -> Result<Dd, TextError> {
        let hi = self.number()?;
        if self.is_at_end() {
            return Ok(Dd::from(hi));
        }
        self.word("a low part below half an ulp of the high part, and not 0", |w| {
            let c = Dd::new(hi, w.parse().ok()?);
            (c.hi() == hi && c.lo() != 0.0).then_some(c)
        })
    }

    fn end(&self) -> Result<(), TextError> {
        let (word, begin) = self.peek();
        if word.is_empty() {
            return Ok(());
        }
        let column = self.text[..begin].chars().count() + 1;
        Err(TextError::Expected { line: self.number, column, what: "the end of the line".into(), found: word.into() })
    }
}

impl FromStr for Tape {
    type Err = TextError;

    fn from_str(text: &str) -> Result<Tape, TextError> {
        let mut lines =
            (text.lines().zip(1..)).map(|(text, number)| Line { number, text, at: 0 }).filter(|l| !l.is_at_end());
        let after_last = text.lines().count() + 1;
        let missing =
            |what: &str| TextError::Expected { line: after_last, column: 1, what: what.into(), found: String::new() };
        let mut tape = Tape::default();

        let mut line = lines.next().ok_or_else(|| missing("`inputs`"))?;
        let inputs_line = line.number;
        line.exactly("inputs")?;
        while !line.is_at_end() {
            tape.inputs.push(line.word("a name", |w| Some(w.to_string()))?);
        }

        let mut op_lines = Vec::new();
        loop {
            let mut line = lines.next().ok_or_else(|| missing("an operation or `outputs`"))?;
            if line.peek().0 == "outputs" {
                line.exactly("outputs")?;
                line.end()?;
                break;
            }
            let v = Value(tape.ops.len() as u32);
            line.word(format_args!("`{v}` or `outputs`"), |w| (w == v.to_string()).then_some(()))?;
            line.exactly("=")?;
            tape.ops.push(operation(&mut line, &tape)?);
            line.end()?;
            op_lines.push(line.number);
        }

        let mut output_lines = Vec::new();
        for mut line in lines {
            let name = line.word("a name", |w| Some(w.to_string()))?;
            line.exactly("=")?;
            tape.outputs.push(Output { name, value: line.value()? });
            line.end()?;
            output_lines.push(line.number);
        }

        verify(&tape).map_err(|error| {
            let line = match error.place() {
                Place::Input(_) => inputs_line,
                Place::Operation(v) => op_lines[v.index()],
                Place::Output(o) => output_lines[o],
            };
            TextError::Malformed { line, error }
        })?;
        Ok(tape)
    }
}

fn operation(line: &mut Line, tape: &Tape) -> Result<Op, TextError> {
    let operators = "an operation: input, const, neg, add, sub, mul, div, sqrt, sin, cos, exp, log or atan2";
    enum Shape {
        Input,
        Constant,
        One(fn(Value) -> Op),
        Two(fn(Value, Value) -> Op),
    }
    let shape = line.word(operators, |w| {
        Some(match w {
            "input" => Shape::Input,
            "const" => Shape::Constant,
            "neg" => Shape::One(Op::Neg),
            "sqrt" => Shape::One(Op::Sqrt),
            "sin" => Shape::One(Op::Sin),
            "cos" => Shape::One(Op::Cos),
            "exp" => Shape::One(Op::Exp),
            "log" => Shape::One(Op::Log),
            "add" => Shape::Two(Op::Add),
            "sub" => Shape::Two(Op::Sub),
            "mul" => Shape::Two(Op::Mul),
            "div" => Shape::Two(Op::Div),
            "atan2" => Shape::Two(Op::Atan2),
            _ => return None,
        })
    })?;
    Ok(match shape {
        Shape::Input => Op::Input(line.word("the name of an input", |w| tape.input(w))? as u32),
        Shape::Constant => Op::Constant(line.constant()?),
        Shape::One(op) => op(line.value()?),
        Shape::Two(op) => op(line.value()?, line.value()?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PENDULUM: &str = "\
inputs t θ θ' [a,b]
v0 = input θ
v1 = sin v0
v2 = cos v0
v3 = const -9.81
v4 = mul v1 v3
v5 = const 0.3333333333333333 1.850371707708594e-17
v6 = div v4 v5
v7 = const -0.0
outputs
  θ'' = v6
  = = v2
  zero = v7
";

    #[test]
    fn reads_back() {
        let tape: Tape = PENDULUM.parse().unwrap();
        assert_eq!(tape.to_string(), PENDULUM);
        assert_eq!(tape.ops[5], Op::Constant(Dd::ratio(1, 3)));
        assert!(matches!(tape.ops[7], Op::Constant(c) if c.hi().is_sign_negative()));
        let loose = PENDULUM.replace('\n', " \r\n\n\t").replace(" = ", "   =\t");
        assert_eq!(loose.parse::<Tape>().unwrap(), tape);
        assert_eq!("inputs\noutputs\n".parse::<Tape>().unwrap(), Tape::default());
    }

    #[test]
    fn errors_say_where_and_what() {
        let at = |from: &str, to: &str| PENDULUM.replacen(from, to, 1).parse::<Tape>().unwrap_err().to_string();
        assert_eq!(at("inputs", "input"), "line 1, column 1: expected `inputs`, found `input`");
        assert_eq!(
            at("v1 = sin v0", "v1 = sine v0"),
            "line 3, column 6: expected an operation: input, const, neg, add, sub, mul, div, sqrt, sin, cos, exp, log \
             or atan2, found `sine`"
        );
        assert_eq!(at("v4 =", "v5 ="), "line 6, column 1: expected `v4` or `outputs`, found `v5`");
        assert_eq!(
            at("mul v1 v3", "mul v1"),
            "line 6, column 12: expected a value such as `v0`, found the end of the line"
        );
        assert_eq!(at("mul v1 v3", "mul v1 3"), "line 6, column 13: expected a value such as `v0`, found `3`");
        assert_eq!(at("mul v1 v3", "mul v1 v3 v3"), "line 6, column 16: expected the end of the line, found `v3`");
        assert_eq!(at("input θ", "input φ"), "line 2, column 12: expected the name of an input, found `φ`");
        assert_eq!(at("-9.81", "inf"), "line 5, column 12: expected a finite number, found `inf`");
        assert_eq!(
            at("1.85", "1.85e10"),
            "line 7, column 31: expected a low part below half an ulp of the high part, and not 0, found \
             `1.85e100371707708594e-17`"
        );
        assert_eq!(at("mul v1 v3", "mul v1 v9"), "line 6: v4 reads v9, which is not earlier");
        assert_eq!(at("  zero = v7\n", ""), "line 9: v7 is not used");
        assert_eq!(
            at("zero", "θ''"),
            "line 13: output 2 has the name \"θ''\", which is taken, empty or has a space in it"
        );
        assert_eq!(at("θ'' = v6", "θ'' : v6"), "line 11, column 7: expected `=`, found `:`");
        assert_eq!(
            "inputs x\n".parse::<Tape>().unwrap_err().to_string(),
            "line 2, column 1: expected an operation or `outputs`, found the end of the line"
        );
        assert!("".parse::<Tape>().is_err());
    }

    #[test]
    fn damaged_text_is_an_error_or_a_tape() {
        // every prefix, and every line left out
        for (k, _) in PENDULUM.char_indices() {
            let _ = PENDULUM[..k].parse::<Tape>();
        }
        let lines: Vec<&str> = PENDULUM.lines().collect();
        for k in 0..10 {
            let rest: Vec<&str> = lines.iter().enumerate().filter(|(i, _)| *i != k).map(|(_, l)| *l).collect();
            assert!(rest.join("\n").parse::<Tape>().is_err(), "without {}", lines[k]);
        }
    }
}
