"""Cells are registered by decorators, picked by name, and run by a handler that is picked, too."""
import operator

CELLS = {}
HANDLERS = {}
OPS = {"+": operator.add, "-": operator.sub, "*": operator.mul}


class Registry(dict):
    def register(self, name):
        def deco(cls):
            self[name] = cls
            return cls

        return deco

    def build(self, name, *args):
        return self[name](*args)


CELLS = Registry()


def handler(kind):
    def reg(fn):
        if kind in HANDLERS:
            raise KeyError(kind)
        HANDLERS[kind] = fn
        return fn

    return reg


@CELLS.register("plain")
class Plain:
    def __init__(self, size):
        self.size = size

    def run(self, op):
        return OPS[op](self.size, 1)


@CELLS.register("gated")
class Gated:
    def __init__(self, size, gate="1"):
        self.size = size
        self.gate = gate

    def run(self, op):
        return OPS[op](self.size, self.gate)


@handler("show")
def show(cell, op):
    print(type(cell).__name__, op)


@handler("go")
def go(cell, op):
    return cell.run(op)


def main():
    plain, gated = CELLS.build("plain", 2), CELLS.build("gated", 3)
    for kind in ["show", "go"]:
        for cell in [plain, gated]:
            HANDLERS[kind](cell, "+")


main()
