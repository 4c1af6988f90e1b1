"""What the two sides of a test came to in a run, as one number.

The bits of it are in protocol.h.

Part of zygote.py, which hands over the names of observed.py: run in the child
of one run. The script is compiled from a tree in which each expression `e` that
is compared is NOTE(key, e), at its place in the original, as where values are
noted. What it came to is brought down to a few figures, so that the same
computation has the same ones though rounding differs in the last digits: the
extent, how large the elements are, and how they lie.
"""

import _ast
import binascii
import math
import sys
import warnings

PARTS_MAX = 64  # of a tuple or a dictionary, a quarter in each one inside
DEPTH_MAX = 4
ELEMENTS_MAX = 1 << 22  # of more each n-th is looked at
# Of a whole run, that looking at them takes no longer than a second or two. Of
# one that compares more nothing is told.
NOTES_MAX = 1 << 15
ELEMENTS_ALL = 1 << 24
DIGITS = 3  # of each figure
MORE_DIGITS = 0  # of each figure of sides that are to be told more closely
NEAR = 1e-5  # of what elements are on the whole: right, but for rounding
SIDE_BITS = 14  # of the number for each of two sides, above the pattern's four


def thinned(array, size, most):
    """Return each n-th element of an array, so that not too many are left.

    All is a view up to the end: what is broadcast, or lies crosswise, may have
    far more elements than there is memory. And n is odd, to meet all places of
    a tile.
    """
    for axis in range(array.ndim):
        if size > most:
            step, extent = -(-size // most) | 1, array.shape[axis]
            array = array[(slice(None),) * axis + (slice(None, None, step),)]
            size = size // extent * array.shape[axis]
    return array.reshape(-1)


def flat(value, most=ELEMENTS_MAX):
    """Return (shape, list or array of numbers) of anything like an array."""
    numpy = sys.modules.get("numpy")
    torch = sys.modules.get("torch")
    if torch and isinstance(value, torch.Tensor):
        value = value.detach()
        if value.layout is not torch.strided:
            if value.numel() > most:  # it may not fit into memory
                return tuple(value.shape), None
            value = value.to_dense()
        if value.is_complex():
            value = torch.view_as_real(value.resolve_conj())
        shape = tuple(value.shape)
        value = thinned(value, value.numel(), most).cpu().double()
        return shape, value.numpy() if numpy else value.tolist()
    for method in ("copy_to_host", "get"):  # of numba's and CuPy's arrays
        if not numpy or isinstance(value, numpy.ndarray):
            break
        if hasattr(type(value), method) and hasattr(type(value), "dtype"):
            value = getattr(value, method)()
    if numpy and (isinstance(value, (numpy.ndarray, numpy.generic))
                  or hasattr(type(value), "__array__")):
        value = numpy.asarray(value)
        if value.dtype.kind == "c":
            value = numpy.stack([value.real, value.imag])
        if value.dtype.kind not in "biuf":
            return value.shape, None
        return value.shape, thinned(value, value.size, most).astype("f8")
    if isinstance(value, complex):
        return "complex", [value.real, value.imag]
    return (), [float(value)]


def sums(numbers):
    """Return how many are finite, and the sums of these."""
    numpy = sys.modules.get("numpy")
    if numpy and isinstance(numbers, numpy.ndarray):
        finite = numpy.isfinite(numbers)
        numbers = numpy.where(finite, numbers, 0.0)
        weights = numpy.linspace(0.0, 1.0, len(numbers))
        return (int(finite.sum()), float(abs(numbers).sum()),
                float(numbers.sum()), float((numbers * weights).sum()))
    finite = sum(map(math.isfinite, numbers))
    numbers = [x if math.isfinite(x) else 0.0 for x in numbers]
    last = max(len(numbers) - 1, 1)
    return (finite, math.fsum(map(abs, numbers)), math.fsum(numbers),
            math.fsum(x * i / last for i, x in enumerate(numbers)))


def told(shape, numbers):
    """Return the figures of an array as text."""
    finite, size, total, weighed = sums(numbers)
    parts = [(part / size if size else 0.0) + 0.0 for part in (total, weighed)]
    digits = MORE_DIGITS or DIGITS
    return "%s %d %.*g %s" % (shape, finite, digits, size, " ".join(
        "%.*f" % (digits, round(part, digits) + 0.0) for part in parts))


def describe(value, depth=0):
    """Return the figures of a value as text."""
    typ = type(value)
    if value is None or typ in (bool, str, bytes):
        return repr(value)
    if typ is dict:
        value = list(value.items())
    if isinstance(value, (tuple, list)) and depth < DEPTH_MAX:
        if is_series(value):
            return told(*elements(value))
        return "[%s]" % ", ".join(describe(part, depth + 1) for part in
                                  value[:max(PARTS_MAX >> 2 * depth, 1)])
    if not (isinstance(value, (int, float, complex))
            or hasattr(typ, "__array__") or hasattr(typ, "dtype")):
        return typ.__name__
    shape, numbers = flat(
        value, ELEMENTS_MAX // PARTS_MAX if depth else ELEMENTS_MAX)
    if numbers is None:
        return "%s of %s" % (typ.__name__, shape)
    return told(shape, numbers)


def is_series(value):
    """Tell whether there is nothing but numbers in a tuple or list."""
    return all(isinstance(part, (int, float)) for part in value)


def elements(value):
    """Return (shape, numbers) of a number, an array or a list of numbers."""
    if isinstance(value, (tuple, list)):
        if not is_series(value):
            raise TypeError
        step = -(-len(value) // ELEMENTS_MAX)
        return (len(value),), [float(x) for x in value[::max(step, 1)]]
    return flat(value)


def pattern(one, other):
    """Return how two sides lie to one another, and whether all is right.

    A set of bits, 1: of one shape; 2: some elements are right; 4: not all is
    finite; 8: one is nothing but zeros.
    """
    (shape, one), (shape_of_other, other) = one, other
    bits = int(shape == shape_of_other)
    if one is None or other is None or not len(one) or not len(other):
        return bits, False
    finite = [sums(side)[:2] for side in (one, other)]
    bits |= 4 * (finite[0][0] < len(one) or finite[1][0] < len(other))
    bits |= 8 * (not finite[0][1] or not finite[1][1])
    if len(one) == 1:
        one = [one[0]] * len(other)
    if len(other) == 1:
        other = [other[0]] * len(one)
    if len(one) != len(other):
        return bits, False
    near = NEAR * max(side[1] / len(one) for side in finite)
    numpy = sys.modules.get("numpy")
    if numpy:
        right = numpy.abs(numpy.subtract(one, other)) <= near
        some, every = bool(right.any()), bool(right.all())
    else:
        right = [abs(x - y) <= near for x, y in zip(one, other)]
        some, every = any(right), all(right)
    # Of what drifts each element is nearly right, and a few are by chance.
    some = some and not MORE_DIGITS
    return bits | 2 * some, every and bits & 1 == 1


def look(key, value, sides):
    """Note a side; return its figures, pattern() and how many elements."""
    shape, numbers = (), None
    try:
        shape, numbers = sides[key] = elements(value)
    except Exception:
        sides.pop(key, None)
    try:
        if numbers is None or isinstance(value, (bool, str, bytes)):
            text = describe(value)
        else:
            text = told(shape, numbers)
    except Exception:  # as for anything else that is no number
        text = type(value).__name__
    try:
        bits, passes = pattern(sides[0], sides[1])
    except Exception:
        bits, passes = 0, False
    return text, bits, passes, 0 if numbers is None else len(numbers)


def noter(tell):
    """Return the function that notes a side and gives its value back.

    What passes counts only while nothing comes after it: in a loop over cases
    those before the one that fails may go.
    """
    sums_of, sides = [0, 0], {}
    before, passed = [0, 0], False  # the sums, and the test that began there
    left = [NOTES_MAX, ELEMENTS_ALL]

    def note(key, value):
        nonlocal before, passed
        if min(left) < 0:
            return value
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            text, bits, passes, numbers = look(key, value, sides)
        if key == 0:
            if passed:
                sums_of[:] = before
            before = list(sums_of)
        passed = passes and key == 1
        left[0] -= 1
        left[1] -= numbers
        side = min(key, 1)
        sums_of[side] = binascii.crc32(
            text.encode("utf-8", "replace"), sums_of[side])
        first, second = (part % (1 << SIDE_BITS) for part in sums_of)
        tell(0 if min(left) < 0 else
             ((second << SIDE_BITS) + first << 4) + bits or 1 << 4)
        return value
    return note


def is_value(node):
    """Tell whether a node comes to one value that may be handed on."""
    return (isinstance(node, _ast.expr) and not isinstance(node, _ast.Starred)
            and isinstance(getattr(node, "ctx", None),
                           (_ast.Load, type(None))))


def compare(path, spans, tell, observed):
    """Return the script's code that tells what its sides come to, or None.

    `spans` has their first and last bytes: "12-20 35-41", and in front of them
    the digits of a figure if these are more than DIGITS; `tell` takes the number.
    None too where a side is not in code that is run as it stands.
    """
    global MORE_DIGITS
    wanted = [tuple(map(int, span.split("-"))) for span in spans.split()]
    if wanted and len(wanted[0]) == 1:
        MORE_DIGITS, = wanted.pop(0)
    found = {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with open(path, "rb") as script:
                text = script.read()
            tree = compile(text, path, "exec", observed["ONLY_AST"],
                           dont_inherit=True)
            offset, todo = observed["offsets"](text), [tree]
            while todo:
                for child, holder, at, _ in observed["children"](todo.pop()):
                    if observed["is_read_back"](child):
                        continue  # a compiler would find the calls in it
                    if observed["kind"](child) not in observed["OPAQUE"]:
                        todo.append(child)
                    if not is_value(child):
                        continue
                    span = (hasattr(child, "col_offset")
                            and observed["span_of"](child, offset))
                    if span in wanted and hasattr(child, "end_lineno"):
                        found.setdefault(span, (child, holder, at))
            if len(found) < len(set(wanted)):
                return None
            for key, span in enumerate(wanted):
                child, holder, at = found[span]
                value = observed["noting"](key, child)
                if isinstance(holder, list):
                    holder[at] = value
                else:
                    setattr(holder, at, value)
                found[span] = value, holder, at  # may be wanted twice
            code = compile(tree, path, "exec", dont_inherit=True)
    except Exception:  # too deep or too large for a second look
        return None
    import builtins
    setattr(builtins, observed["NOTE"], noter(tell))
    return code
