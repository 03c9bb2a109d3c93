//! Modules in an interpreter of WebAssembly.

#![allow(dead_code, reason = "the bench uses a part of this")]

pub(crate) mod systems;

use polhode_backend_wasm::{NotEmitted, Single};
use polhode_tape::{Backend, Kernel, Tape};
use wasmi::{Engine, Instance, Linker, Memory, Module, Store, WasmParams, WasmResults};

/// A module that runs.
pub(crate) struct Machine {
    store: Store<()>,
    instance: Instance,
    memory: Memory,
}

impl Machine {
    pub(crate) fn new(bytes: &[u8]) -> Machine {
        let engine = Engine::default();
        let module = Module::new(&engine, bytes).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(module.imports().len(), 0);
        let mut store = Store::new(&engine, ());
        let instance =
            Linker::new(&engine).instantiate_and_start(&mut store, &module).unwrap_or_else(|e| panic!("{e}"));
        let memory = instance.get_memory(&store, "memory").expect("it is exported");
        Machine { store, instance, memory }
    }

    pub(crate) fn put(&mut self, at: u32, numbers: &[f64]) {
        let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.memory.write(&mut self.store, at as usize, &bytes).expect("within memory");
    }

    pub(crate) fn get(&self, at: u32, count: usize) -> Vec<f64> {
        let mut bytes = vec![0; 8 * count];
        self.memory.read(&self.store, at as usize, &mut bytes).expect("within memory");
        bytes.chunks_exact(8).map(|b| f64::from_le_bytes(b.try_into().expect("eight"))).collect()
    }

    pub(crate) fn call<P: WasmParams, R: WasmResults>(&mut self, name: &str, parameters: P) -> R {
        let function =
            self.instance.get_typed_func::<P, R>(&self.store, name).unwrap_or_else(|e| panic!("{name}: {e}"));
        function.call(&mut self.store, parameters).unwrap_or_else(|e| panic!("{name}: {e}"))
    }
}

/// Tapes as modules, run by an interpreter.
pub(crate) struct Wasm;

/// A tape of such a backend.
pub(crate) struct WasmKernel {
    machine: Machine,
    at: (u32, u32),
    counts: (usize, usize),
}

impl Backend for Wasm {
    type Kernel = WasmKernel;
    type Error = NotEmitted;

    fn name(&self) -> String {
        "wasm".into()
    }

    fn prepare(&self, tape: &Tape) -> Result<WasmKernel, NotEmitted> {
        let module = Single::emit(tape)?;
        let machine = Machine::new(&module.bytes);
        let (at, counts) = ((module.inputs, module.outputs), (tape.inputs.len(), tape.outputs.len()));
        Ok(WasmKernel { machine, at, counts })
    }
}

impl Kernel for WasmKernel {
    fn inputs(&self) -> usize {
        self.counts.0
    }

    fn outputs(&self) -> usize {
        self.counts.1
    }

    fn evaluate(&mut self, lanes: usize, inputs: &[f64], outputs: &mut [f64]) {
        for l in 0..lanes {
            let point: Vec<f64> = inputs.iter().skip(l).step_by(lanes).copied().collect();
            self.machine.put(self.at.0, &point);
            self.machine.call::<(), ()>("evaluate", ());
            for (o, y) in self.machine.get(self.at.1, self.counts.1).into_iter().enumerate() {
                outputs[o * lanes + l] = y;
            }
        }
    }
}
