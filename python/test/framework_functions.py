# SPDX-License-Identifier: Apache-2.0
"""Functions of frameworks at the top level of a module, where a fresh interpreter finds them. Each framework is imported when it is used."""
import functools

CONVERSION = "e5m2-fp32-nearest_even-nosat"


def certify(function, **options):
    """The report of one of them at the lowest level."""
    import mxcert
    return mxcert.certify(function, CONVERSION, level="smoke", jobs=1, **options)


@functools.cache
def jitted():
    import jax
    from jax import numpy as jnp
    return jax.jit(lambda x: x.astype(jnp.float32))


def widen_by_jax(x):
    return jitted()(x)


@functools.cache
def compiled():
    import torch
    return torch.compile(lambda x: x.to(torch.float32), backend="aot_eager", dynamic=True)


def widen_by_torch(x):
    return compiled()(x)


@functools.cache
def kernel():
    import os
    os.environ["TRITON_INTERPRET"] = "1"
    import triton
    from triton import language as tl

    @triton.jit
    def widen(x, y, count, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(y + at, tl.load(x + at, mask=at < count, other=0.0).to(tl.float32), mask=at < count)

    return widen


def widen_by_triton(x):
    import torch
    y = torch.empty(x.shape, dtype=torch.float32)
    kernel()[((x.numel() + 1023) // 1024,)](x, y, x.numel(), BLOCK=1024)
    return y
