# SPDX-License-Identifier: Apache-2.0
"""The single stuck-at faults of a netlist: a net, or one of several places that read it, is always 0 or always 1."""
import collections

Fault = collections.namedtuple("Fault", "net gate pin value")  # a net: gate is None; an output bit: "output"

# (kind, value of an input that alone decides the output, what the output then is)
DECIDES = {"$_AND_": (0, 0), "$_NAND_": (0, 1), "$_OR_": (1, 1), "$_NOR_": (1, 0)}
FOLLOWS = {"$_NOT_": 1, "$_BUF_": 0}  # whether the output is inverted


def all_faults(netlist):
    """Both faults of each net and, where several places read it, of each of these."""
    uses = netlist.uses()
    found = []
    for net in [*netlist.inputs, *(gate.output for gate in netlist.gates)]:
        for value in (0, 1):
            found.append(Fault(net, None, None, value))
            if len(uses[net]) > 1:
                found += [Fault(net, "output" if gate is None else gate, pin, value) for gate, pin in uses[net]]
    return list(dict.fromkeys(found))


def collapsed(netlist, faults):
    """A fault of each class of equivalent ones: that of a gate's output stands for those of its inputs that do the same."""
    uses = netlist.uses()
    stands = {fault: fault for fault in faults}

    def root(fault):
        while stands[fault] != fault:
            fault = stands[fault]
        return fault

    for number, gate in enumerate(netlist.gates):
        for pin, net in enumerate(gate.inputs):
            for value in (0, 1):
                own = Fault(net, number, pin, value) if len(uses[net]) > 1 else Fault(net, None, None, value)
                if own not in stands:
                    continue  # a constant
                if gate.kind in FOLLOWS:
                    result = value ^ FOLLOWS[gate.kind]
                elif DECIDES.get(gate.kind, (None,))[0] == value:
                    result = DECIDES[gate.kind][1]
                else:
                    continue
                stands[root(own)] = root(Fault(gate.output, None, None, result))
    return list(dict.fromkeys(root(fault) for fault in faults))


def name_of(fault, netlist):
    """Of a fault, as the table of those that are missed has it."""
    if fault.gate is None:
        driver = next((gate.kind.strip("$_") for gate in netlist.gates if gate.output == fault.net), None)
        place = f"input bit {netlist.inputs.index(fault.net)}" if driver is None else f"output of {driver} n{fault.net}"
    elif fault.gate == "output":
        place = f"code bit {fault.pin}"
    else:
        gate = netlist.gates[fault.gate]
        place = f"input {'ABS'[fault.pin]} of {gate.kind.strip('$_')} n{gate.output}"
    return f"{place} stuck at {fault.value}"
