//! Names after a change of coordinates: what they stand for, in other symbols.

use super::Scope;
use super::scope::{Binding, What};
use super::value::{Spin, Turn, Value};
use polhode_expr::{Expr, Matrix};

impl Scope {
    /// The same names with every expression rewritten.
    pub(crate) fn rewritten(&self, rewrite: &mut impl FnMut(&[Expr]) -> Vec<Expr>) -> Scope {
        let mut out = Scope::default();
        for name in self.names() {
            let Some(binding) = self.get(name) else { continue };
            let value = binding.value.as_ref().map(|v| v.rewritten(rewrite));
            out.insert(name, Binding { value, ..binding.clone() });
        }
        out
    }

    /// Declares a coordinate.
    pub(crate) fn declare_coordinate(&mut self, name: &str, e: Expr) {
        let value = Some(Value::Scalar(e));
        self.insert(name, Binding { what: What::Coordinate, value, moving: false, span: None });
    }
}

impl Value {
    fn rewritten(&self, rewrite: &mut impl FnMut(&[Expr]) -> Vec<Expr>) -> Value {
        let Value::Matrix(m, Some(turn)) = self else { return self.with_entries(rewrite(self.entries())) };
        let entries = rewrite(m.entries());
        let spin = turn.spin.as_ref().map(|s| Spin { world: rewrite(&s.world), body: rewrite(&s.body) });
        Value::Matrix(Matrix::from_fn(m.rows(), m.cols(), |i, j| entries[i * m.cols() + j]), Some(Turn { spin }))
    }
}
