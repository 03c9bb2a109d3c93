//! The module.

use super::code::Code;
use super::expression::{Global, Type, Var};
use wasm_encoder::{
    CodeSection, ConstExpr, DataSection, ExportKind, ExportSection, Function as Body, FunctionSection, GlobalSection,
    GlobalType, Ieee64, Instruction, MemorySection, MemoryType, Module, TypeSection, ValType,
};

/// A function of the module.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Function(pub(super) u32);

/// Bytes of a page of memory.
const PAGE: u64 = 65_536;

/// The most bytes of one function that engines take.
const LONGEST: usize = 7_000_000;

/// A module while it is written.
#[derive(Default)]
pub(crate) struct Writer {
    types: TypeSection,
    known: Vec<(Vec<ValType>, Vec<ValType>)>,
    functions: FunctionSection,
    globals: GlobalSection,
    exports: ExportSection,
    code: CodeSection,
    data: DataSection,
    bytes: u64,
    too_long: bool,
}

impl Writer {
    pub(crate) fn new() -> Writer {
        Writer { bytes: 8, ..Writer::default() }
    }

    /// Room for so many doubles: where it begins. Nothing is at address 0.
    pub(crate) fn room(&mut self, doubles: usize) -> u32 {
        let at = self.bytes;
        self.bytes += 8 * doubles as u64;
        u32::try_from(at).unwrap_or(u32::MAX)
    }

    /// Room with these numbers in it.
    pub(crate) fn table(&mut self, numbers: impl IntoIterator<Item = [u8; 8]>) -> u32 {
        let bytes: Vec<u8> = numbers.into_iter().flatten().collect();
        let at = self.room(bytes.len() / 8);
        self.data.active(0, &ConstExpr::i32_const(at.cast_signed()), bytes);
        at
    }

    /// A variable of all functions, 0 at first.
    pub(crate) fn global<T: Type>(&mut self) -> Global<T> {
        let index = self.globals.len();
        let zero = match T::TYPE {
            ValType::F64 => ConstExpr::f64_const(Ieee64::from(0.0)),
            ValType::I64 => ConstExpr::i64_const(0),
            _ => ConstExpr::i32_const(0),
        };
        self.globals.global(GlobalType { val_type: T::TYPE, mutable: true, shared: false }, &zero);
        Global::new(index)
    }

    /// A function: what it returns, and its body, which is given the parameters.
    pub(crate) fn function<P: Parameters>(&mut self, results: &[ValType], body: impl FnOnce(&mut Code, P)) -> Function {
        let mut c = Code::new();
        let parameters = P::declare(&mut c);
        body(&mut c, parameters);
        c.push(Instruction::End);
        self.too_long |= c.bytes.len() > LONGEST;
        let signature = (c.parameters, results.to_vec());
        let index = self.known.iter().position(|s| *s == signature).unwrap_or_else(|| {
            self.types.ty().function(signature.0.iter().copied(), signature.1.iter().copied());
            self.known.push(signature);
            self.known.len() - 1
        });
        let function = Function(self.functions.len());
        self.functions.function(index as u32);
        self.code.function(Body::new_with_locals_types(c.locals).raw(c.bytes));
        function
    }

    /// Shows a function to the outside.
    pub(crate) fn export(&mut self, name: &str, function: Function) {
        self.exports.export(name, ExportKind::Func, function.0);
    }

    /// The bytes; nothing if a function is longer, or the memory larger, than engines take.
    pub(crate) fn finish(mut self, most_bytes: u64) -> Option<Vec<u8>> {
        if self.too_long || self.bytes > most_bytes {
            return None;
        }
        let mut memories = MemorySection::new();
        let pages = self.bytes.div_ceil(PAGE);
        memories.memory(MemoryType {
            minimum: pages,
            maximum: Some(pages),
            memory64: false,
            shared: false,
            page_size_log2: None,
        });
        self.exports.export("memory", ExportKind::Memory, 0);
        let mut module = Module::new();
        module.section(&self.types).section(&self.functions).section(&memories).section(&self.globals);
        module.section(&self.exports).section(&self.code).section(&self.data);
        Some(module.finish())
    }
}

/// The parameters of a function.
pub(crate) trait Parameters {
    fn declare(c: &mut Code) -> Self;
}

impl Parameters for () {
    fn declare(_: &mut Code) {}
}

macro_rules! parameters {
    ($(($($name:ident),+))*) => {$(
        impl<$($name: Type),+> Parameters for ($(Var<$name>,)+) {
            fn declare(c: &mut Code) -> Self {
                ($(c.parameter::<$name>(),)+)
            }
        }
    )*};
}

parameters!((A)(A, B)(A, B, C)(A, B, C, D)(A, B, C, D, E)(A, B, C, D, E, F));
