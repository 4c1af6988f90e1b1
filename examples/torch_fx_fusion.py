"""
A pass over the graph of torch.compile that fuses small operations.

The backend rewrites the graph that Dynamo has captured: a product that is added
to something becomes one addcmul, and scales by a constant are folded together.
Then the graph runs as it is.

    python torch_fx_fusion.py
    python torch_fx_fusion.py --width 64 --print-graph

Runs on the CPU. There is one fault in this file: the fused form of a - b * c has
the sign of a sum.

    autodd-c examples/torch_fx_fusion.py --err-msg "Tensor-likes are not close" -j 8
"""
import argparse
import collections
import dataclasses
import functools
import operator
import time

import torch
import torch._dynamo
from torch import fx, nn

SUMS = {operator.add: 1, torch.add: 1, operator.sub: -1, torch.sub: -1}
PRODUCTS = (operator.mul, torch.mul)


@dataclasses.dataclass
class Statistics:
    """What the passes have done to all graphs so far."""

    graphs: int = 0
    before: int = 0
    after: int = 0
    rewrites: collections.Counter = dataclasses.field(default_factory=collections.Counter)

    def __str__(self):
        done = ", ".join(f"{name} {count}" for name, count in sorted(self.rewrites.items()))
        return f"{self.graphs} graphs, {self.before} nodes before and {self.after} after: {done}"


STATISTICS = Statistics()
PASSES = []


def graph_pass(function):
    """Register a pass; it gets a graph and a node, and says whether it changed it."""

    @functools.wraps(function)
    def run(graph):
        count = 0
        for node in list(graph.nodes):
            if node.op == "call_function" and function(graph, node):
                count += 1
        STATISTICS.rewrites[function.__name__] += count
        return count

    PASSES.append(run)
    return run


def is_product(value):
    return (
        isinstance(value, fx.Node)
        and value.op == "call_function"
        and value.target in PRODUCTS
        and len(value.users) == 1
        and all(isinstance(argument, fx.Node) for argument in value.args)
    )


@graph_pass
def fuse_addcmul(graph, node):
    """x + a * b and x - a * b become addcmul."""
    sign = SUMS.get(node.target)
    if sign is None or len(node.args) != 2 or node.kwargs:
        return False
    base, product = node.args
    if not isinstance(base, fx.Node) or not is_product(product):
        return False
    with graph.inserting_before(node):
        fused = graph.call_function(torch.addcmul, (base, *product.args), {"value": abs(sign)})
    node.replace_all_uses_with(fused)
    graph.erase_node(node)
    graph.erase_node(product)
    return True


@graph_pass
def fold_scales(graph, node):
    """(x * 2) * 3 becomes x * 6."""
    if node.target not in PRODUCTS or not isinstance(node.args[1], (int, float)):
        return False
    inner = node.args[0]
    if not isinstance(inner, fx.Node) or inner.target not in PRODUCTS or len(inner.users) != 1:
        return False
    if not isinstance(inner.args[1], (int, float)):
        return False
    node.args = (inner.args[0], inner.args[1] * node.args[1])
    graph.erase_node(inner)
    return True


@graph_pass
def drop_neutral(graph, node):
    """x * 1 and x + 0 become x."""
    neutral = {operator.mul: 1, torch.mul: 1, operator.add: 0, torch.add: 0}
    if node.target not in neutral or len(node.args) != 2:
        return False
    if isinstance(node.args[1], fx.Node) or node.args[1] != neutral[node.target]:
        return False
    node.replace_all_uses_with(node.args[0])
    graph.erase_node(node)
    return True


def fusing_backend(module, example_inputs, show=False):
    """A backend for torch.compile: run the passes until nothing changes."""
    graph = module.graph
    STATISTICS.graphs += 1
    STATISTICS.before += len(graph.nodes)
    while sum(run(graph) for run in PASSES):
        pass
    graph.lint()
    module.recompile()
    STATISTICS.after += len(graph.nodes)
    if show:
        print(module.code)
    return module.forward


class Lerp(nn.Module):
    """x + (y - x) * w, in two ways."""

    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.linspace(0.1, 0.9, width))

    def forward(self, x, y):
        near = x + (y - x) * self.weight
        far = y * 1 + (x - y) * (1 - self.weight)
        return (near + far) * 0.25 * 2


class Gate(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.project = nn.Linear(width, 2 * width)

    def forward(self, x):
        value, gate = self.project(x).chunk(2, dim=-1)
        return x + value * torch.sigmoid(gate)


class Momentum(nn.Module):
    """One step of a damped update."""

    def __init__(self, rate=0.1, damping=0.9):
        super().__init__()
        self.rate = nn.Parameter(torch.tensor(rate))
        self.damping = damping

    def forward(self, weights, gradient, velocity):
        velocity = velocity * self.damping + gradient
        return weights - velocity * self.rate, velocity


class Network(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.gates = nn.ModuleList(Gate(width) for _ in range(depth))
        self.lerp = Lerp(width)
        self.momentum = Momentum()

    def forward(self, x, y, velocity):
        for gate in self.gates:
            x = gate(x)
        x = self.lerp(x, y)
        return self.momentum(x, y, velocity)


def measure(function, inputs, repeat):
    start = time.perf_counter()
    for _ in range(repeat):
        out = function(*inputs)
    return out, (time.perf_counter() - start) / repeat


def main():
    parser = argparse.ArgumentParser(description="fusion of small operations")
    parser.add_argument("--rows", type=int, default=16)
    parser.add_argument("--width", type=int, default=32)
    parser.add_argument("--depth", type=int, default=3)
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--print-graph", action="store_true")
    args = parser.parse_args()
    torch.manual_seed(7)
    network = Network(args.width, args.depth).eval()
    inputs = [torch.randn(args.rows, args.width) for _ in range(3)]
    backend = functools.partial(fusing_backend, show=args.print_graph)
    with torch.no_grad():
        want, plain = measure(network, inputs, args.repeat)
        torch._dynamo.reset()
        fused = torch.compile(network, backend=backend)
        got, fast = measure(fused, inputs, args.repeat)
    print(STATISTICS)
    print(f"plain {plain * 1e6:.0f} us, fused {fast * 1e6:.0f} us")
    for name, a, b in zip(("weights", "velocity"), got, want):
        print(f"{name:<9} {float((a - b).abs().max()):.2e}")
    torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5)
    print("equal")


if __name__ == "__main__":
    main()
