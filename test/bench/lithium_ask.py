"""The oracle's question as Lithium wants it: a module with one function."""
import os
import socket


def interesting(args, _prefix):
    """Ask about the file that Lithium has just written."""
    with socket.socket(socket.AF_UNIX) as oracle:
        oracle.connect(os.environ["BENCH_SOCKET"])
        oracle.sendall(os.fsencode(os.path.abspath(args[-1])) + b"\n")
        return oracle.recv(1) == b"1"
