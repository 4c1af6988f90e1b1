"""What a traced run of the script tells: lines that ran, values that came.

Part of zygote.py: run in the child of one run. Both are written to mapped files,
so that no death of the child loses them. compared.py, which tells what a test
compares, finds and notes expressions as it is done here.
"""

import _ast
import builtins
import ctypes
import os
import sys
import threading
import warnings

LINES_MAX = 4 << 20  # as in ran.c
VALUES_MAX = 1 << 20  # bytes of their file, as in values.c
VALUE_MAX = 64  # bytes of one
NAME_ROOM = 24  # what a name came to may be longer than it: then its
                # assignments go too
ONLY_AST = 0x400  # ast.PyCF_ONLY_AST
PROT_READ_WRITE, MAP_SHARED = 3, 1
NOTE = "_autodd_c_note"  # among the builtins of a traced run
TURN = "_autodd_c_turn"
UNSEEN, VARIES, STANDS = object(), object(), object()
# Decorators whose functions are read back, from the file or as bytecode.
FRONT_ENDS = frozenset((
    "jit", "prim_func", "autotune", "heuristics", "kernel", "macro",
    "ir_module", "njit", "vectorize", "guvectorize", "stencil", "cfunc",
    "compile", "script"))
TOOLS = (4, 3)  # numbers in sys.monitoring that belong to no kind of tool


# ---- the lines that ran ----


def open_lines(path, name):
    """Make a file with a byte for each line of a script, and map it.

    What is set there survives any death of this process. The zeros are
    written, not left as a hole: a full disk would else kill the script when
    it first touches the page. No descriptor stays open.
    """
    with open(path, "rb") as script:
        text = script.read()
    size = text.count(b"\n") + text.count(b"\r") + 2
    if size > LINES_MAX:
        raise OverflowError
    return open_mapped(name, bytes(size))


def open_mapped(name, content):
    """Make a file with this content, and map it as an array of bytes."""
    size = len(content)
    file = os.open(name, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        if os.write(file, content) != size:
            raise OSError
        mmap = ctypes.CDLL(None).mmap
        mmap.restype = ctypes.c_void_p
        mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int,
                         ctypes.c_int, ctypes.c_int, ctypes.c_long)
        at = mmap(None, size, PROT_READ_WRITE, MAP_SHARED, file, 0)
        if at == ctypes.c_void_p(-1).value:
            raise OSError
    except OSError:
        os.unlink(name)
        raise
    finally:
        os.close(file)
    return (ctypes.c_ubyte * size).from_address(at)


def trace(run, path, name):
    """From now on note each line of the script that runs, to the very end.

    Exit handlers, other threads and forks are in it. Without the file there
    is no trace, and the worker sees that.
    """
    monitoring = getattr(sys, "monitoring", None)
    tools = [tool for tool in TOOLS
             if monitoring and monitoring.get_tool(tool) is None]
    if monitoring and not tools:
        return
    try:
        lines = open_lines(path, name)
    except (OSError, OverflowError):
        return
    if monitoring:
        trace_locations(monitoring, tools[0], path, lines)
    else:
        trace_frames(run, path, lines)


def trace_locations(monitoring, tool, path, lines):
    """Trace with Python 3.12 or later: each place in the code speaks once."""
    last, disable = len(lines) - 1, monitoring.DISABLE

    def hit(code, line):
        if 0 < line <= last and code.co_filename == path:
            lines[line] = 1
        return disable

    monitoring.use_tool_id(tool, "autodd-c")
    monitoring.register_callback(tool, monitoring.events.LINE, hit)
    monitoring.set_events(tool, monitoring.events.LINE)


def trace_frames(run, path, lines):
    """Trace with an earlier Python: frames of the script, line by line.

    That ends early when the script sets a tracer of its own, or when the stack
    is too deep for ours; execute() of zygote.py then sets byte 0.
    """
    last = len(lines) - 1

    def local(frame, event, _):
        line = frame.f_lineno
        if event == "line" and line and line <= last:
            lines[line] = 1
        return local

    def enter(frame, *_):
        return local if frame.f_code.co_filename == path else None

    run.tracer, run.lines = enter, lines
    threading.settrace(enter)
    sys.settrace(enter)

# ---- what expressions come to ----
#
# The script is compiled from a tree in which each loading expression `e` is
# NOTE(key, e), at the places of the original: tracebacks and whoever reads
# the source back find the file. What a front end re-reads is left as it is;
# for the names that it takes from around it there is a NOTE before it.
# And before and behind each loop there is a TURN(key), and in it a
# TURN(key, target): which turn the run has ended in.


class Expression:
    """An expression to note, and where it stands in the tree."""

    def __init__(self, span, node, place, mute=False):
        """`place`: what holds it, and the field or index there."""
        self.span, self.node, self.place = span, node, place
        self.room = 0 if mute else min(span[1] - span[0], VALUE_MAX)
        if self.room and kind(node) == "Name":
            self.room = max(self.room, NAME_ROOM)
        self.key = None


class Loop:
    """A loop whose turns are to be told, and the statements that hold it."""

    def __init__(self, span, node, block):
        self.span, self.node, self.block = span, node, block
        self.room, self.key = VALUE_MAX, None


def observe(path, name):
    """Return the script's code that notes its values in a file, or None."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with open(path, "rb") as script:
                text = script.read()
            tree = compile(text, path, "exec", ONLY_AST, dont_inherit=True)
            found = find_expressions(tree, offsets(text))
            write, rooms = open_values(name, found)
            wrap_expressions(found)
            code = compile(tree, path, "exec", dont_inherit=True)
    except Exception:  # too deep or too large for a second look
        return None
    setattr(builtins, NOTE, noter(write, rooms))
    setattr(builtins, TURN, turner(write))
    return code


def offsets(text):
    """Return the function from line and column to the byte in the file.

    Columns are bytes of UTF-8 without a byte order mark. It gives None in
    lines of another encoding whose columns are other bytes.
    """
    mark = 3 if text.startswith(b"\xef\xbb\xbf") else 0
    lines = text[mark:].splitlines(True)
    head = b"".join(lines[:2]).lower()
    foreign = b"coding" in head and not (b"utf-8" in head or b"utf8" in head)
    starts, at = [], mark
    for line in lines:
        starts.append(None if foreign and not line.isascii() else at)
        at += len(line)

    def offset(line, column):
        start = starts[line - 1] if 0 < line <= len(starts) else None
        return None if start is None else start + column
    return offset


def span_of(node, offset):
    """Return the bytes that an expression takes; None when unknown."""
    start = offset(node.lineno, node.col_offset)
    end = offset(node.end_lineno, node.end_col_offset)
    return None if start is None or end is None or end <= start \
        else (start, end)


NOTED = frozenset(("Name", "Attribute", "Subscript", "Call", "BinOp",
                   "UnaryOp", "Compare", "BoolOp", "IfExp", "JoinedStr"))
# Annotations may be read back as text, patterns are no expressions, and in
# the pieces of a string columns differ from version to version.
OPAQUE = frozenset(("JoinedStr", "TemplateStr", "TypeAlias", "arg"))
SKIPPED = frozenset((
    ("FunctionDef", "returns"), ("AsyncFunctionDef", "returns"),
    ("FunctionDef", "type_params"), ("AsyncFunctionDef", "type_params"),
    ("ClassDef", "type_params"), ("AnnAssign", "annotation"),
    ("match_case", "pattern")))
# Of these one only wants to know whether they came back, of those nothing.
MUTE = ("Expr", "value")
UNNOTED = ("Call", "func")
# What gives a function where one is called; a name is one.
GIVERS = frozenset(("Call", "Subscript", "Attribute"))
# A list that one of these gives is mostly nobody else's.
MAKERS = frozenset(("Call", "BinOp", "Subscript"))


def kind(node):
    """Return the name of a node's type."""
    return type(node).__name__


def last_name(node):
    """Return the last name of a decorator: `a.b(c)[d]` has b."""
    while kind(node) in ("Call", "Subscript"):
        node = node.func if kind(node) == "Call" else node.value
    return getattr(node, "attr", getattr(node, "id", None))


def is_read_back(node):
    """Tell whether a front end reads this definition's source or code."""
    return any(last_name(decorator) in FRONT_ENDS
               for decorator in getattr(node, "decorator_list", ()))


def children(node, skipped=SKIPPED):
    """Yield (child, holder, field or index, name of the field)."""
    for field in node._fields:
        value = getattr(node, field, None)
        if (kind(node), field) in skipped:
            continue
        if isinstance(value, list):
            for i, child in enumerate(value):
                if hasattr(child, "_fields"):
                    yield child, value, i, field
        elif hasattr(value, "_fields"):
            yield value, node, field, field


def find_expressions(tree, offset):
    """Return what is to be noted, the outermost first. No recursion."""
    found, todo = [], [tree]
    while todo:
        node = todo.pop()
        for child, holder, at, field in children(node):
            if is_read_back(child):
                if isinstance(holder, list) and kind(node) != "ClassDef":
                    found += find_borrowed(child, holder, offset)
                continue
            if kind(child) not in OPAQUE:
                todo.append(child)
            if kind(child) == "For" and isinstance(holder, list) \
                    and is_plain(child.target):
                span = span_of(child.target, offset)
                if span:
                    found.append(Loop(span, child, holder))
            if (kind(child) in NOTED and field != "decorator_list"
                    and kind(getattr(child, "ctx", None)) in
                    ("Load", "NoneType")
                    and ((kind(node), field) != UNNOTED
                         or kind(child) in GIVERS)):
                span = span_of(child, offset)
                if span:
                    found.append(Expression(span, child, (holder, at),
                                            (kind(node), field) == MUTE))
    found.sort(key=lambda e: (e.span[0], -e.span[1]))
    return found


def is_plain(target):
    """Tell whether a target is a name, or names in brackets."""
    todo = [target]
    while todo:
        node = todo.pop()
        if kind(node) in ("Tuple", "List"):
            todo += node.elts
        elif kind(node) != "Name":
            return False
    return True


def loaded(target, place):
    """Return the expression that loads what a plain target was given."""
    if kind(target) == "Name":
        return located(_ast.Name(target.id, _ast.Load()), place)
    return located(_ast.Tuple([loaded(part, place) for part in target.elts],
                              _ast.Load()), place)


def telling(loop, *target):
    """Return a statement that tells of a loop's turns."""
    place = loop.node
    return located(_ast.Expr(located(_ast.Call(
        located(_ast.Name(TURN, _ast.Load()), place),
        [located(_ast.Constant(loop.key), place), *target], []), place)),
        place)


def find_borrowed(definition, body, offset):
    """Return the names that a front end finds around what it re-reads.

    They are noted before it is defined, so their place is that statement.
    """
    own, found, todo = set(), [], [definition]
    while todo:
        node = todo.pop()
        chain = node
        while kind(chain) == "Attribute":
            chain = chain.value
        if kind(chain) == "Name" and kind(node.ctx) == "Load":
            span = span_of(node, offset)
            if span:
                found.append(Expression(span, node, (body, definition)))
            continue
        for field in ("id", "name", "asname", "rest", "arg"):
            if kind(node) != "keyword":
                own.add(getattr(node, field, None))
        if kind(node) in ("Global", "Nonlocal"):
            own.update(node.names)
        for child, _, _, field in children(node, ()):
            if (kind(node), field) == UNNOTED:
                todo += [c for c, _, _, _ in children(child, ())]
            elif not (node is definition and field == "decorator_list"):
                todo.append(child)
    return [e for e in found if root_of(e.node) not in own]


def root_of(chain):
    """Return the name that `a.b.c` begins with."""
    while kind(chain) == "Attribute":
        chain = chain.value
    return chain.id


def located(node, place):
    """Put a made node at the first line of another one; return it."""
    place = (getattr(place, "decorator_list", None) or [place])[0]
    for field in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
        setattr(node, field, getattr(place, field))
    return node


def noting(key, value):
    """Return the call that notes an expression and comes to its value."""
    return located(_ast.Call(
        located(_ast.Name(NOTE, _ast.Load()), value),
        [located(_ast.Constant(key), value), value], []), value)


def trying(key, chain, place):
    """Return a statement that notes a name where it may not be bound yet."""
    names = []
    while kind(chain) == "Attribute":
        names.append(chain.attr)
        chain = chain.value
    value = located(_ast.Name(chain.id, _ast.Load()), place)
    while names:
        value = located(_ast.Attribute(value, names.pop(), _ast.Load()), place)
    note = located(_ast.Expr(noting(key, value)), place)
    ignore = located(_ast.ExceptHandler(
        None, None, [located(_ast.Pass(), place)]), place)
    return located(_ast.Try([note], [ignore], [], []), place)


def wrap_expressions(found):
    """Change the tree so that what has a key is noted.

    What comes before and behind statements is put there at the end, at once
    for a whole block: there may be very many.
    """
    blocks, before, behind = {}, {}, {}
    for e in found:
        if e.key is None:
            continue
        if isinstance(e, Loop):
            blocks[id(e.block)] = e.block
            before[id(e.node)] = [telling(e)]
            behind[id(e.node)] = [telling(e)]
            e.node.body.insert(0, telling(e, loaded(e.node.target, e.node)))
            continue
        holder, at = e.place
        if hasattr(at, "_fields"):
            blocks[id(holder)] = holder
            before.setdefault(id(at), []).append(trying(e.key, e.node, at))
        elif isinstance(holder, list):
            holder[at] = noting(e.key, e.node)
        else:
            setattr(holder, at, noting(e.key, e.node))
    for block in blocks.values():
        block[:] = [part for statement in block
                    for part in (*before.get(id(statement), ()), statement,
                                 *behind.get(id(statement), ()))]


def is_name(e):
    """Tell whether a name, or the attribute that a call calls, is noted."""
    return kind(e.node) == "Name" or (
        kind(e.node) == "Attribute" and e.place[1] == UNNOTED[1])


def open_values(name, found):
    """Make the file of values, with a line for each expression, and map it.

    A line is `START-END STATE TEXT`: the bytes of the expression; a space
    for what never came back, `=` for one value, else `!` for a name and `+`
    for what did more; `~` for a loop's target when the run ended in the loop,
    or left it by `return` or an exception the last time: nothing runs behind
    it then that could tell; and room for a text that is no longer than the
    expression, or, for a name, not much longer. Gives keys to what finds a
    place, and returns the function that writes a key's text or None, and the
    rooms. `*` instead of `=`: the text is not the value, but stands in for it.
    """
    lines, rooms, at = [], [], 0
    for e in found:
        head = b"%d-%d " % e.span
        line = head + b" " * (1 + e.room) + b"\n"
        if at + len(line) > VALUES_MAX:
            break
        e.key = len(rooms)
        rooms.append((at + len(head), e.room,
                      ord("~" if isinstance(e, Loop) else
                          "!" if is_name(e) else "+"),
                      kind(e.node) in MAKERS))
        lines.append(line)
        at += len(line)
    if not lines:
        raise ValueError
    mapped = memoryview(open_mapped(name, b"".join(lines))).cast("B")

    def write(key, text, stands=False):
        """Write a text; the state last, for the process may die here."""
        state, room, other, _ = rooms[key]
        if other == ord("~"):
            mapped[state] = ord(" ")
            if text is not None:
                mapped[state + 1:state + 1 + room] = text.ljust(room)
                mapped[state] = other
        elif text is not None and mapped[state] == ord(" "):
            mapped[state + 1:state + 1 + len(text)] = text
            mapped[state] = ord("*" if stands else "=")
        elif text is None or bytes(
                mapped[state + 1:state + 1 + room]).rstrip() != text:
            mapped[state] = other  # or another process of the run was first
    return write, rooms


def simple_text(value):
    """Return a number, string, truth value or None as source, else None."""
    typ = type(value)
    if typ is bool or value is None:
        return repr(value)
    if typ is int and value.bit_length() < 8 * VALUE_MAX:
        return repr(value)
    if typ is float and value - value == 0:  # finite
        return repr(value)
    if typ in (str, bytes) and len(value) < VALUE_MAX:
        return repr(value)
    return None


FUNCTIONS = (type(simple_text), type(len))


# What a class has for the attributes of its instances if it says nothing itself.
PLAIN_DICT = type(type(simple_text).__code__)


def own_attributes(value):
    """Return the attributes of an object, or none where its class has a say."""
    for kind in type.__getattribute__(type(value), "__mro__"):
        entry = type.__getattribute__(kind, "__dict__").get("__dict__")
        if entry is not None and type(entry) is not PLAIN_DICT:
            return {}
    try:
        kept = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return kept if type(kept) is dict else {}


def called(value):
    """Return what a function, class or kernel is called, and where it is from.

    Nothing else is asked: an attribute of a stand-in may load a module.
    """
    if type(value) in FUNCTIONS:
        return value.__name__, (value.__module__, value.__qualname__)
    if issubclass(type(value), type):
        name, module, whole = (type.__getattribute__(value, which) for which in
                               ("__name__", "__module__", "__qualname__"))
        return name, (module, whole)
    return own_attributes(value).get("__name__"), None


def wrapped(value):
    """Return the one function that a function keeps, as wrappers do, or it."""
    for _ in range(8):  # a wrapper may keep itself
        kept = value.__closure__ if type(value) is FUNCTIONS[0] else None
        found = []
        for cell in kept or ():
            try:
                if type(cell.cell_contents) is FUNCTIONS[0]:
                    found.append(cell.cell_contents)
            except ValueError:  # not bound yet
                pass
        if len(found) != 1:
            break
        value = found[0]
    return value


def name_text(value):
    """Return by what name the script has a function or the like, or None."""
    name, origin = called(value)
    script = vars(sys.modules["__main__"])
    if type(name) is str and script.get(name) is value:
        return name
    if type(value) in FUNCTIONS or issubclass(type(value), type):
        for key, held in list(script.items()):
            if held is value and key.isascii() and not key.startswith("__"):
                return key
        inner = wrapped(value)
        if inner is not value:
            name, origin = called(inner)
            return name if origin == ("__main__", name) else None
    if type(name) is not str or not name.isidentifier():
        return None
    if script.get(name, vars(builtins).get(name)) is value:
        return name
    if origin == ("__main__", name):
        return name  # its decorators made something else of it
    for key, module in list(script.items()):
        if type(module) is type(sys) and vars(module).get(name) is value:
            return key + "." + name
    return None


SERIES = {tuple: "(%s)", list: "[%s]"}


def literal(value):
    """Return the source of a value that has a short one, else None."""
    typ = type(value)
    if typ.__module__ == "torch" and typ.__name__ == "Size":
        typ = tuple  # which does as well nearly everywhere
    if typ in SERIES and len(value) < VALUE_MAX / 2:
        parts = [simple_text(part) for part in value]
        text = None if None in parts else SERIES[typ] % (
            ", ".join(parts) + "," * (typ is tuple and len(parts) == 1))
    elif typ.__module__ == "torch" and typ.__name__ in ("dtype", "device"):
        text = repr(value) if typ.__name__ == "dtype" else repr(str(value))
    else:
        text = simple_text(value) or name_text(value)
    return text.encode() if text is not None and text.isascii() else None


STAND_INS_MAX = 4  # of a series
LOOKS_MAX = 64  # at an expression that comes to arrays: a loop may be long
SHORT_TYPES = {"int64": "int", "float64": "float", "bool": "bool"}


def named_module(name):
    """Return what the script calls a loaded module, or None."""
    module = sys.modules.get(name)
    return next((key for key, value in vars(sys.modules["__main__"]).items()
                 if value is module), None) if module else None


def tensor_text(tensor):
    """Return the source of a tensor of ones of the same kind, or None."""
    torch, name = sys.modules["torch"], named_module("torch")
    if name is None or tensor.layout is not torch.strided:
        return None
    parts = [repr(int(extent)) for extent in tensor.shape] or ["()"]
    if tensor.dtype is not torch.get_default_dtype():
        typ = repr(tensor.dtype).rpartition(".")[2]
        parts.append("dtype=" + SHORT_TYPES.get(typ, name + "." + typ))
    if tensor.device.type != "cpu":
        parts.append("device=" + repr(tensor.device.type))
    if tensor.requires_grad:
        parts.append("requires_grad=True")
    return "%s.ones(%s)" % (name, ", ".join(parts))


def array_text(array):
    """Return the source of an array of ones of the same kind, or None."""
    name, typ = named_module("numpy"), array.dtype.char
    if name is None or typ not in "?bBhHiIlLqQefdFD":
        return None
    shape = array.shape[0] if array.ndim == 1 else array.shape
    return "%s.ones(%r%s)" % (name, shape,
                              "" if typ == "d" else ", %r" % typ)


ARRAYS = {("torch", "Tensor"): tensor_text,
          ("torch.nn.parameter", "Parameter"): tensor_text,
          ("numpy", "ndarray"): array_text}


def stand_in(value):
    """Return the source of what has the shape and type of an array, or None.

    Its elements are not told, so a run has to show whether it will do. A
    series of arrays and simple values is a series of such.
    """
    typ = type(value)
    if typ in SERIES and 0 < len(value) <= STAND_INS_MAX:
        parts = [simple_text(part) or array_stand_in(part) for part in value]
        if None in parts:
            return None
        return (SERIES[typ] % (
            ", ".join(parts) + "," * (typ is tuple and len(parts) == 1)
        )).encode()
    text = array_stand_in(value)
    return text and text.encode()


def array_stand_in(value):
    """Return the same for what is an array by itself."""
    typ = type(value)
    text_of = ARRAYS.get((typ.__module__, typ.__name__))
    return text_of and text_of(value)


def noter(write, rooms):
    """Return the function that notes a value and gives it back."""
    seen, texts = [UNSEEN] * len(rooms), [None] * len(rooms)
    looks = [LOOKS_MAX] * len(rooms)

    def note(key, value):
        was = seen[key]
        if was is VARIES or was is value and type(value) is not list:
            return value
        if was is STANDS:
            looks[key] -= 1
            if looks[key] <= 0:
                return value
        try:
            text, stands = literal(value), False
            if text is None and rooms[key][2] != ord("!"):
                text = stand_in(value)
                stands = text is not None
            if not stands and type(value) is list and not rooms[key][3]:
                text = None  # more may be put into it
            if text is None or len(text) > rooms[key][1] or (
                    was is not UNSEEN and texts[key] != text):
                text = None
            seen[key] = value
            if text is None or stands:  # an array is not to live longer
                seen[key] = STANDS if stands else VARIES
            if was is UNSEEN or text is None:
                texts[key] = text
                write(key, text, stands)
        except Exception:
            seen[key] = VARIES
            write(key, None)
        return value
    return note


def turner(write):
    """Return the function that notes the turn that a loop is in."""
    turns = {}

    def turn(key, *target):
        if not target:
            turns[key] = -1
            write(key, None)
            return
        turns[key] += 1
        try:
            text = None if type(target[0]) is list else literal(target[0])
        except Exception:
            text = None
        if text is None or len(text) > VALUE_MAX:
            text = b"[%d]" % turns[key]
        write(key, text)
    return turn
