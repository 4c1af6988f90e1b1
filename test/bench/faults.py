"""Whether a fault that a faults.yaml describes is still in a smaller script."""
import ast
import collections
import re


def in_scope(node):
    """The nodes below one, those of functions in it left out."""
    queue = list(ast.iter_child_nodes(node))
    while queue:
        found = queue.pop()
        yield found
        if not isinstance(found, (ast.FunctionDef, ast.Lambda)):
            queue += ast.iter_child_nodes(found)


class Flat(ast.NodeTransformer):
    """Puts in place of each name that is assigned once what it is assigned."""

    def __init__(self):
        """Begin outside of all functions."""
        self.scopes = []

    def visit_scope(self, node):
        """Names are looked up from the inside; values stay as they are."""
        nodes = list(in_scope(node))
        stores = collections.Counter(
            n.id for n in nodes
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
        self.scopes.append({
            n.targets[0].id: n.value for n in nodes
            if isinstance(n, ast.Assign) and len(n.targets) == 1
            and isinstance(n.targets[0], ast.Name)
            and isinstance(n.value, (ast.Call, ast.Constant))
            and stores[n.targets[0].id] == 1})
        self.generic_visit(node)
        self.scopes.pop()
        return node

    visit_Module = visit_FunctionDef = visit_scope

    def visit_Name(self, node):
        """The value of a name that is read."""
        if isinstance(node.ctx, ast.Load):
            for scope in reversed(self.scopes):
                if node.id in scope:
                    return scope[node.id]
        return node


def flat(text):
    """A text as ast.unparse prints it, names replaced; "" if it is none."""
    try:
        return ast.unparse(Flat().visit(ast.parse(text)))
    except (SyntaxError, ValueError, RecursionError):
        return ""


def has_fault(row, text):
    """Tell whether a text still has the fault that a row describes.

    It does when each pattern matches the text, or the text with `A` replaced
    by `T.alloc_shared((8, 8))`, if that is what A is assigned: a smaller script
    may have either form.
    """
    forms = text, flat(text)
    return all(any(re.search(want, form, re.M) for form in forms)
               for want in row["fault"])
