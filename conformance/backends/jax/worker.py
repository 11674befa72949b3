#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The backend `jax`: conversions and FP8 products as XLA compiles them for the processor."""
import glob
import os

from mxcert_worker import Backend, Conversion, Operation, serve


def load():
    os.environ["JAX_PLATFORMS"] = "cpu"
    # In how many parts a sum is added must not hang on how many cores there are; and a worker runs on each of them.
    os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false"
    import jax
    import jaxlib
    import numpy
    from jax import lax, numpy as jnp

    jax.config.update("jax_enable_x64", True)
    wide = {"fp64": jnp.float64, "fp32": jnp.float32, "fp16": jnp.float16, "bf16": jnp.bfloat16}
    elements = {"e4m3": jnp.float8_e4m3fn, "e5m2": jnp.float8_e5m2}
    scales = {"e8m0": jnp.float8_e8m0fnu}

    def codes_of(values):
        return numpy.asarray(values).view(f"u{values.dtype.itemsize}")

    def cast(source, target):
        convert = jax.jit(lambda values: lax.convert_element_type(values, target))
        return lambda codes: codes_of(convert(codes.view(source)))

    def product(a, b, transpose, output):
        contracted = ((0 if transpose[0] == "t" else 1,), (1 if transpose[1] == "t" else 0,))
        multiply = jax.jit(lambda x, y: lax.dot_general(x, y, (contracted, ((), ())),
                                                        preferred_element_type=wide[output]))

        def run(shape, x, y):
            m, n, k, _ = shape
            x = x.view(elements[a]).reshape((k, m) if transpose[0] == "t" else (m, k))
            y = y.view(elements[b]).reshape((n, k) if transpose[1] == "t" else (k, n))
            return (codes_of(multiply(x, y)).reshape(-1),)

        return Operation("matmul", dict(a=a, b=b, scale="none", block_a="none", block_b="none", transpose=transpose,
                                        c="none", output=output, accumulator="fp32_multiply_add", order="any"), run)

    pairs = [(wide, elements | scales), (elements | scales, wide), (elements, elements)]
    conversions = [
        Conversion(source, target, "nearest_even", "nosat", cast(from_type, to_type))
        for sources, targets in pairs
        for source, from_type in sources.items()
        for target, to_type in targets.items()
        if source != target
    ]
    operations = [product(a, b, transpose, "fp32")
                  for a in elements for b in elements for transpose in ("nn", "nt", "tn", "tt")]
    operations += [product("e4m3", "e4m3", "nt", output) for output in ("fp16", "bf16")]
    files = glob.glob(os.path.join(os.path.dirname(jaxlib.__file__), "*.so"))
    return Backend("jax", jax.__version__, f"XLA of jaxlib {jaxlib.__version__} on the processor", conversions,
                   files=(__file__, *files), chunk=1 << 20, operations=operations)


serve(load)
