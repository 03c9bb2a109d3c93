"""Runs machine code for aarch64 in Unicorn, an emulator, for src/emulated.rs.

Each line of input is a program, its parts separated by semicolons, and each line of output
its results:

    lanes of a block; points; number of outputs; code; calls; inputs   ->   outputs

Code is in hexadecimal, a call is `offset:function` where its address goes, and numbers are
the 16 digits of their bits, all but code separated by commas. Functions are numbered as in
`lower::Function` and are those of the C library, as in the reference interpreter.
"""

import math
import struct
import sys

from unicorn import UC_ARCH_ARM64, UC_HOOK_CODE, UC_MODE_ARM, Uc
from unicorn import arm64_const as arm

CODE, FUNCTIONS, INPUTS, OUTPUTS, STACK = (k << 24 for k in range(1, 6))
ROOM = 1 << 20
RETURN = bytes.fromhex("c0035fd6")
DONE = FUNCTIONS + 0x800


def defined(f, *operands, otherwise):
    """Python raises an exception where C has a value."""
    try:
        return f(*operands)
    except (ValueError, OverflowError):
        return otherwise


def sin(x):
    return defined(math.sin, x, otherwise=math.nan)


def cos(x):
    return defined(math.cos, x, otherwise=math.nan)


def exp(x):
    return defined(math.exp, x, otherwise=math.inf)


def log(x):
    return -math.inf if x == 0 else defined(math.log, x, otherwise=math.nan)


SIN_COS, ATAN2 = 2, 5
RESULTS = [
    lambda a, b: (sin(a), 0.0),
    lambda a, b: (cos(a), 0.0),
    lambda a, b: (sin(a), cos(a)),
    lambda a, b: (exp(a), 0.0),
    lambda a, b: (log(a), 0.0),
    lambda a, b: (math.atan2(a, b), 0.0),
]


def double(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def bits(number):
    return struct.unpack("<Q", struct.pack("<d", number))[0]


def call(machine, function, lanes):
    """What the function does to registers and memory, and that it may destroy others."""
    place = machine.reg_read(arm.UC_ARM64_REG_X0)
    if lanes == 2:
        assert place % 16 == 0, "the place of two pairs"
        a, b, c, d = struct.unpack("<4d", machine.mem_read(place, 32))
        (a, c), (b, d) = RESULTS[function](a, c), RESULTS[function](b, d)
        machine.mem_write(place, struct.pack("<2d", a, b))
        if function == SIN_COS:
            machine.mem_write(place + 16, struct.pack("<2d", c, d))
    else:
        a, b = (double(machine.reg_read(register)) for register in (arm.UC_ARM64_REG_D0, arm.UC_ARM64_REG_D1))
        results = RESULTS[function](a, b)
        if function == SIN_COS:
            machine.mem_write(place, struct.pack("<2d", *results))
        else:
            machine.reg_write(arm.UC_ARM64_REG_D0, bits(results[0]))
    for k in range(9, 16):
        machine.reg_write(arm.UC_ARM64_REG_X0 + k, 0xDEADBEEF)
    for k in range(16, 32):
        machine.reg_write(arm.UC_ARM64_REG_D0 + k, bits(7e77))


def run(lanes, points, code, calls, inputs):
    code = bytearray(code)
    for offset, function in calls:
        code[offset : offset + 8] = struct.pack("<Q", FUNCTIONS + 16 * function)
    machine = Uc(UC_ARCH_ARM64, UC_MODE_ARM)
    for base in (CODE, FUNCTIONS, INPUTS, OUTPUTS, STACK):
        machine.mem_map(base, ROOM)
    machine.mem_write(CODE, bytes(code))
    for function in range(len(RESULTS)):
        machine.mem_write(FUNCTIONS + 16 * function, RETURN)
    machine.mem_write(INPUTS, inputs)
    machine.reg_write(arm.UC_ARM64_REG_CPACR_EL1, 3 << 20)  # floating point is on
    machine.hook_add(
        UC_HOOK_CODE,
        lambda m, address, _size, _data: call(m, (address - FUNCTIONS) // 16, lanes),
        begin=FUNCTIONS,
        end=DONE - 1,
    )
    for register, value in [
        (arm.UC_ARM64_REG_X0, INPUTS),
        (arm.UC_ARM64_REG_X1, OUTPUTS),
        (arm.UC_ARM64_REG_X2, 8 * points),
        (arm.UC_ARM64_REG_X3, points // lanes),
        (arm.UC_ARM64_REG_SP, STACK + ROOM - 256),
        (arm.UC_ARM64_REG_LR, DONE),
    ]:
        machine.reg_write(register, value)
    machine.emu_start(CODE, DONE)
    return machine


for line in sys.stdin:
    lanes, points, outputs, code, calls, inputs = line.strip().split(";")
    lanes, points, outputs = int(lanes), int(points), int(outputs)
    calls = [tuple(map(int, pair.split(":"))) for pair in calls.split(",") if pair]
    inputs = b"".join(struct.pack("<Q", int(word, 16)) for word in inputs.split(",") if word)
    machine = run(lanes, points, bytes.fromhex(code), calls, inputs)
    words = struct.unpack(f"<{outputs * points}Q", machine.mem_read(OUTPUTS, 8 * outputs * points))
    print(",".join(f"{word:016x}" for word in words))
