#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""IREE, llvm-cpu: arith.truncf and arith.extf of a tensor, compiled when they are asked for first."""
from mxcert_worker import Backend, Conversion, Unsupported, serve


def load():
    from importlib.metadata import version

    import iree.compiler
    import iree.runtime
    import numpy

    kinds = {"fp64": "f64", "fp32": "f32", "fp16": "f16", "bf16": "bf16", "e4m3": "f8E4M3FN", "e5m2": "f8E5M2",
             "e4m3fnuz": "f8E4M3FNUZ", "e5m2fnuz": "f8E5M2FNUZ", "e8m0": "f8E8M0FNU"}
    bits = {"fp64": 64, "fp32": 32, "fp16": 16, "bf16": 16}
    config = iree.runtime.Config("local-sync")

    def compiled(source, target, operation):
        ins, outs = bits.get(source, 8), bits.get(target, 8)
        text = f"""func.func @f(%codes: tensor<?xi{ins}>) -> tensor<?xi{outs}> {{
          %x = arith.bitcast %codes : tensor<?xi{ins}> to tensor<?x{kinds[source]}>
          %y = arith.{operation} %x : tensor<?x{kinds[source]}> to tensor<?x{kinds[target]}>
          %z = arith.bitcast %y : tensor<?x{kinds[target]}> to tensor<?xi{outs}>
          return %z : tensor<?xi{outs}>
        }}"""
        try:
            module = iree.compiler.compile_str(text, target_backends=["llvm-cpu"], input_type="none",
                                               extra_args=["--iree-llvmcpu-target-cpu=generic"])
        except iree.compiler.CompilerToolError as error:
            raise Unsupported(str(error)[-200:]) from error
        context = iree.runtime.SystemContext(config=config)
        context.add_vm_module(iree.runtime.VmModule.copy_buffer(context.instance, module))
        return context.modules.module.f

    def convert(source, target, operation):
        function = None

        def run(codes):
            nonlocal function
            if function is None:
                function = compiled(source, target, operation)
            return function(codes.view(codes.dtype.str.replace("u", "i"))).to_host()
        return run

    wide = ("fp32", "fp16", "bf16")
    narrow = ("e4m3", "e5m2", "e4m3fnuz", "e5m2fnuz", "e8m0")
    conversions = [Conversion(source, target, "toward_zero" if target == "e8m0" else "nearest_even", "nosat",
                              convert(source, target, "truncf")) for source in wide for target in narrow]
    conversions += [Conversion(source, target, "nearest_even", "nosat", convert(source, target, "extf"))
                    for source in narrow for target in wide]
    numpy.seterr(all="ignore")
    return Backend("iree", version("iree-base-compiler"), "IREE, arith.truncf and arith.extf for llvm-cpu, generic", conversions,
                   files=(__file__, iree.compiler.__file__))


serve(load)
