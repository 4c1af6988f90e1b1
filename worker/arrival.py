"""Sees modules arrive: what is to be done to one once it is loaded.

Imported by fill.py, which finds it in its folder, and part of zygote.py, for
bounds.py.
"""
import sys

MACHINERY = "<frozen importlib._bootstrap>"  # tracebacks leave this out


class Watch:
    """A finder of modules that finds none by itself."""

    def __init__(self, see_to):
        """Call see_to[name] with a module of that name once it is there."""
        self.see_to = see_to
        for name in see_to:
            if name in sys.modules:
                see_to[name](sys.modules[name])
        sys.meta_path.insert(0, self)

    def find_spec(self, name, path=None, target=None):
        """Find a module as the others do, and be told when it is loaded."""
        see_to = self.see_to.get(name)
        if see_to is None:
            return None
        spec = None
        for finder in sys.meta_path:
            if finder is not self and spec is None:
                find = getattr(finder, "find_spec", None)
                spec = find and find(name, path, target)
        try:
            loader = spec.loader
            plain = loader.exec_module

            def exec_module(module):
                del loader.exec_module
                plain(module)
                see_to(sys.modules.get(name, module))

            exec_module.__code__ = exec_module.__code__.replace(
                co_filename=MACHINERY)
            loader.exec_module = exec_module
        except AttributeError:  # not found, or a loader of another kind
            pass
        return spec


Watch.find_spec.__code__ = Watch.find_spec.__code__.replace(
    co_filename=MACHINERY)
