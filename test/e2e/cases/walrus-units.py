"""Sizes with units are read from lines; one of them has two points."""
import re

UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20}
VALUE = re.compile(r"(\w+)\s*=\s*(.*)$")
NUMBER = re.compile(r"([\d.]+)([km]?)$")

TEXT = """
# of a job
memory = 4m
name = gemm
share = 0.25.5
"""


def scalar(text):
    if m := NUMBER.match(text):
        number, unit = m.groups()
        value = float(number) if "." in number else int(number)
        return value * UNITS[unit]
    return text


def pairs(text):
    for raw in text.splitlines():
        if not (line := raw.split("#", 1)[0].strip()):
            continue
        if (m := VALUE.match(line)) is None:
            raise SyntaxError(line)
        yield m[1], scalar(m[2])


def main():
    while values := dict(pairs(TEXT)):
        print(values)
        break


main()
