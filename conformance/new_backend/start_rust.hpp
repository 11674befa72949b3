// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

// The start of a backend in Rust: backend.h as declarations, what surrounds the operation, and one part for each
// operation.
namespace mxcert::new_backend {

inline constexpr std::string_view start_rust_declarations =
    R"(//! The interface of conformance/backend.h of mxcert, version 2.0: the rules are there.
#![allow(dead_code)]
use std::os::raw::{c_char, c_void};
use std::panic::{catch_unwind, UnwindSafe};
use std::slice::{from_raw_parts, from_raw_parts_mut};

pub const ABI_MAJOR: u32 = 2;
pub const ABI_MINOR: u32 = 0;
pub const OK: i32 = 0;
pub const UNSUPPORTED: i32 = 1;
pub const ERROR: i32 = 2;

#[repr(C)]
pub struct Conversion {
    pub struct_size: u32,
    pub random_bits: u32,
    pub source: *const c_char,
    pub target: *const c_char,
    pub rounding: *const c_char,
    pub overflow: *const c_char,
}

#[repr(C)]
pub struct ConvertArgs {
    pub struct_size: u32,
    pub conversion: u32,
    pub count: u64,
    pub input: *const c_void,
    pub random: *const u32,
    pub output: *mut c_void,
    pub scale: u32,
    pub tensor_scale: u32,
}

impl ConvertArgs {
    /// The inputs; T has the size of a value.
    pub fn values<T>(&self) -> &[T] {
        unsafe { from_raw_parts(self.input.cast(), self.count as usize) }
    }
    /// Where the answers go.
    pub fn results<T>(&self) -> &mut [T] {
        unsafe { from_raw_parts_mut(self.output.cast(), self.count as usize) }
    }
}

#[repr(C)]
pub struct Operation {
    pub struct_size: u32,
    pub name: *const c_char,
    pub attributes: *const c_char,
}

#[repr(C)]
pub struct Array {
    pub data: *mut c_void,
    pub count: u64,
    pub width: u32,
    pub packing: u32,
}

#[repr(C)]
pub struct RunArgs {
    pub struct_size: u32,
    pub operation: u32,
    pub shape: [u64; 4],
    pub input_count: u32,
    pub output_count: u32,
    pub inputs: *const Array,
    pub outputs: *const Array,
}

impl RunArgs {
    /// An input array; T has the size of a value.
    pub fn input<T>(&self, at: usize) -> &[T] {
        assert!(at < self.input_count as usize);
        let array = unsafe { &*self.inputs.add(at) };
        assert_eq!(array.width as usize, std::mem::size_of::<T>());
        unsafe { from_raw_parts(array.data.cast(), array.count as usize) }
    }
    /// An output array.
    pub fn output<T>(&self, at: usize) -> &mut [T] {
        assert!(at < self.output_count as usize);
        let array = unsafe { &*self.outputs.add(at) };
        assert_eq!(array.width as usize, std::mem::size_of::<T>());
        unsafe { from_raw_parts_mut(array.data.cast(), array.count as usize) }
    }
}

#[repr(C)]
pub struct Api {
    pub struct_size: u32,
    pub abi_major: u32,
    pub abi_minor: u32,
    pub conversion_count: u32,
    pub conversions: *const Conversion,
    pub name: *const c_char,
    pub version: *const c_char,
    pub description: *const c_char,
    pub open: Option<extern "C" fn(*const c_char) -> i32>,
    pub convert: Option<extern "C" fn(*const ConvertArgs) -> i32>,
    pub last_error: Option<extern "C" fn() -> *const c_char>,
    pub close: Option<extern "C" fn()>,
    pub operation_count: u32,
    pub flags: u32,
    pub operations: *const Operation,
    pub run: Option<extern "C" fn(*const RunArgs) -> i32>,
    pub convert_range: Option<extern "C" fn(*const c_void) -> i32>,
    pub max_batch: u64,
}

// The pointers are to constants.
unsafe impl Sync for Api {}

/// A constant text for C: text!("fp32").
#[macro_export]
macro_rules! text {
    ($text:expr) => {
        concat!($text, "\0").as_ptr().cast()
    };
}

/// A panic must not leave the library: it becomes an error, and its message goes to standard error.
pub fn guard(function: impl FnOnce() + UnwindSafe) -> i32 {
    catch_unwind(function).map_or(ERROR, |_| OK)
}
)";

inline constexpr std::string_view start_rust = R"(//! @NAME@: a backend for mxcert. Fill in the places marked FILL IN.
//!
//! It builds and runs as it is, and fails. The rules are in docs/writing-a-backend.md of mxcert, the names in
//! `mxcert formats` and `mxcert choices`.
mod backend;
use backend::*;
use std::mem::size_of;
use std::panic::AssertUnwindSafe;

@PART@
static API: Api = Api {
    struct_size: size_of::<Api>() as u32,
    abi_major: ABI_MAJOR,
    abi_minor: ABI_MINOR,
    name: text!("@NAME@"),
    version: text!("0.1"), // FILL IN: of the code that is tested
    description: text!("the start of a backend, not filled in"), // FILL IN: what code this is, on what it runs
    open: None,
    last_error: None,
    close: None,
    flags: 0,
    convert_range: None,
    max_batch: 0,
@FIELDS@};

#[no_mangle]
pub extern "C" fn mxcert_get_api(host_abi_major: u32) -> *const Api {
    if host_abi_major == ABI_MAJOR { &API } else { std::ptr::null() }
}
)";

inline constexpr std::string_view start_rust_convert =
    R"(/// FILL IN: FP32 to E4M3, to nearest even, saturating. `x` has the bits of the FP32 value.
fn fp32_to_e4m3(x: u32) -> u8 {
    (x >> 24) as u8
}

/// A batch of values. FILL IN: your kernel may take the whole of it.
extern "C" fn convert(args: *const ConvertArgs) -> i32 {
    let args = AssertUnwindSafe(unsafe { &*args });
    guard(move || {
        let results = args.results::<u8>();
        match args.conversion {
            0 => results.iter_mut().zip(args.values::<u32>()).for_each(|(to, x)| *to = fp32_to_e4m3(*x)),
            // BF16 is the upper half of FP32.
            _ => results.iter_mut().zip(args.values::<u16>()).for_each(|(to, x)| *to = fp32_to_e4m3((*x as u32) << 16)),
        }
    })
}

const fn conversion(source: &'static [u8; 5]) -> Conversion {
    Conversion {
        struct_size: size_of::<Conversion>() as u32,
        random_bits: 0,
        source: source.as_ptr().cast(),
        target: text!("e4m3"),
        rounding: text!("nearest_even"),
        overflow: text!("sat"),
    }
}

// FILL IN: what you offer; args.conversion counts them from 0.
const CONVERSIONS: &[Conversion] = &[conversion(b"fp32\0"), conversion(b"bf16\0")];
)";
inline constexpr std::string_view start_rust_convert_fields = R"(    conversion_count: CONVERSIONS.len() as u32,
    conversions: CONVERSIONS.as_ptr(),
    convert: Some(convert),
    operation_count: 0,
    operations: std::ptr::null(),
    run: None,
)";

inline constexpr std::string_view start_rust_quantize =
    R"(/// FILL IN: a block of BF16 values, given by their bits, to E4M3 elements; returns the E8M0 scale.
fn quantize_block(values: &[u16], elements: &mut [u8]) -> u8 {
    for (element, value) in elements.iter_mut().zip(values) {
        *element = (value >> 8) as u8;
    }
    (values[0] >> 7) as u8
}

/// A matrix in rows. FILL IN: your kernel may take the whole of it.
extern "C" fn run(args: *const RunArgs) -> i32 {
    let args = AssertUnwindSafe(unsafe { &*args });
    guard(move || {
        let (columns, block) = (args.shape[1] as usize, args.shape[2] as usize);
        let mut scales = args.output::<u8>(1).iter_mut();
        let rows = args.input::<u16>(0).chunks(columns).zip(args.output::<u8>(0).chunks_mut(columns));
        for (values, elements) in rows {
            for (values, elements) in values.chunks(block).zip(elements.chunks_mut(block)) {
                *scales.next().unwrap() = quantize_block(values, elements);
            }
        }
    })
}

// FILL IN: what you offer, as docs/operations.md says; args.operation counts them from 0.
const OPERATIONS: &[Operation] = &[Operation {
    struct_size: size_of::<Operation>() as u32,
    name: text!("quantize"),
    attributes: text!("source=bf16 element=e4m3 scale=e8m0 rule=ocp_floor rounding=nearest_even overflow=sat axis=row block=32"),
}];
)";

inline constexpr std::string_view start_rust_matmul =
    R"(/// FILL IN: an element of D = A B, from a row of A and a column of B, both E4M3. As it is, codes are taken for numbers.
fn dot_product<'a>(a: &[u8], b: impl Iterator<Item = &'a u8>) -> f32 {
    a.iter().zip(b).fold(0.0, |sum, (x, y)| sum + *x as f32 * *y as f32)
}

/// D = A B with A of m x k and B of k x n, in rows. FILL IN: your kernel may take the whole of it.
extern "C" fn run(args: *const RunArgs) -> i32 {
    let args = AssertUnwindSafe(unsafe { &*args });
    guard(move || {
        let (n, k) = (args.shape[1] as usize, args.shape[2] as usize);
        let (a, b) = (args.input::<u8>(0), args.input::<u8>(1));
        for (at, d) in args.output::<f32>(0).iter_mut().enumerate() {
            let (row, column) = (at / n, at % n);
            *d = dot_product(&a[row * k..(row + 1) * k], b[column..].iter().step_by(n));
        }
    })
}

// FILL IN: what you offer, as docs/operations.md says; `mxcert accumulators` lists how sums may be rounded.
const OPERATIONS: &[Operation] = &[Operation {
    struct_size: size_of::<Operation>() as u32,
    name: text!("matmul"),
    attributes: text!("a=e4m3 b=e4m3 scale=none block_a=none block_b=none transpose=nn c=none output=fp32 accumulator=fp32_multiply_add order=given"),
}];
)";
inline constexpr std::string_view start_rust_run_fields = R"(    conversion_count: 0,
    conversions: std::ptr::null(),
    convert: None,
    operation_count: OPERATIONS.len() as u32,
    operations: OPERATIONS.as_ptr(),
    run: Some(run),
)";

} // namespace mxcert::new_backend
