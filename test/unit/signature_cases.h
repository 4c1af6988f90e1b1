/* signature_cases.h - how runs of known scripts ended: an original, a small
 * script that fails the same way, and texts that only look like it. Taken from
 * real runs; `script` is the part of the original's source that its message
 * shares words with. */
#ifndef AUTODD_SIGNATURE_CASES_H
#define AUTODD_SIGNATURE_CASES_H

#include "worker/protocol.h"

enum case_role { ORIGINAL, IDEAL, TRAP };

struct case_run {
    const char *name;
    enum case_role role;
    const char *err_msg; /* of an original; NULL: none asked for */
    const char *script;  /* of an original */
    enum observed_end end;
    int code; /* exit code or signal */
    const char *type, *message;
    bool in_exception;
    const char *lines[3]; /* of plain output, with the text */
};

static const struct case_run case_runs[] = {
    { "echo-raise", ORIGINAL, "stage buffer check failed", "        raise ValueError(\"stage buffer check failed\")", END_EXIT, 1, "ValueError", "stage buffer check failed", true, { NULL } },
    { "echo-raise", IDEAL, NULL, NULL, END_EXIT, 1, "ValueError", "stage buffer check failed", true, { NULL } },
    { "echo-raise", TRAP, NULL, NULL, END_EXIT, 1, "TypeError", "exceptions must derive from BaseException", false, { NULL } },
    { "echo-raise", TRAP, NULL, NULL, END_EXIT, 1, "NameError", "name 'used' is not defined", false, { NULL } },
    { "docstring-usage", ORIGINAL, "product(shape) * itemsize != buffer size", "    return view.cast(\"B\", shape=[rows, cols])", END_EXIT, 1, "TypeError", "memoryview: product(shape) * itemsize != buffer size", true, { NULL } },
    { "docstring-usage", IDEAL, NULL, NULL, END_EXIT, 1, "TypeError", "memoryview: product(shape) * itemsize != buffer size", true, { NULL } },
    { "docstring-usage", TRAP, NULL, NULL, END_EXIT, 1, NULL, NULL, false, { "    TypeError: memoryview: product(shape) * itemsize != buffer size" } },
    { "exit-zero-text", ORIGINAL, "MISMATCH", "        print(\"MISMATCH\", name, \"first at\", wrong[0], \"count\", len(wrong))\nresults = {\"tiled\": tiled(data), \"broken_tiled\": broken_tiled(data)}", END_EXIT, 0, NULL, NULL, false, { "MISMATCH broken_tiled first at 64 count 36" } },
    { "exit-zero-text", IDEAL, NULL, NULL, END_EXIT, 0, NULL, NULL, false, { "MISMATCH" } },
    { "exit-zero-text", TRAP, NULL, NULL, END_EXIT, 1, "NameError", "name 'name' is not defined", false, { NULL } },
    { "exit-lost", ORIGINAL, "unpack requires a buffer of 24 bytes", "        print(\"launch\", name, volume(grid), \"blocks of\", volume(block), \"lanes\")\n        print(\"launch failed:\", error)", END_EXIT, 1, "struct.error", "unpack requires a buffer of 24 bytes", true, { "launch failed: unpack requires a buffer of 24 bytes" } },
    { "exit-lost", IDEAL, NULL, NULL, END_EXIT, 1, "struct.error", "unpack requires a buffer of 24 bytes", true, { NULL } },
    { "exit-lost", TRAP, NULL, NULL, END_EXIT, 0, NULL, NULL, false, { "launch failed: unpack requires a buffer of 24 bytes" } },
    { "exit-three", ORIGINAL, "tiles differ", "    print(len(bad), \"of\", total, \"tiles differ:\", bad)\nprint(\"all tiles agree\")", END_EXIT, 3, NULL, NULL, false, { "2 of 64 tiles differ: [(1, 3), (5, 3)]" } },
    { "exit-three", IDEAL, NULL, NULL, END_EXIT, 3, NULL, NULL, false, { "tiles differ" } },
    { "exit-three", TRAP, NULL, NULL, END_EXIT, 0, NULL, NULL, false, { "tiles differ:" } },
    { "exit-three", TRAP, NULL, NULL, END_EXIT, 1, "NameError", "name 'bad' is not defined", false, { NULL } },
    { "fd2-child-compiler", ORIGINAL, "error: identifier \"lane\" is undefined", "COMPILER = os.path.join(HERE, \"tiny_cc.py\")\n    path = os.path.join(folder, name + \".unit\")", END_EXIT, 1, "subprocess.CalledProcessError", "Command '['/usr/bin/python3', '/tmp/run-comzewh9/tiny_cc.py', '/tmp/run-comzewh9/tmpm3q76ypv/reduce.unit']' returned non-zero exit status 2.", false, { "/tmp/run-comzewh9/tmpm3q76ypv/reduce.unit(5): error: identifier \"lane\" is undefined" } },
    { "fd2-child-compiler", IDEAL, NULL, NULL, END_EXIT, 1, "subprocess.CalledProcessError", "Command '['/usr/bin/python3', '/tmp/run-qzy1rlj0/tiny_cc.py', 'reduce.unit']' returned non-zero exit status 2.", false, { "reduce.unit(1): error: identifier \"lane\" is undefined" } },
    { "fd2-child-compiler", TRAP, NULL, NULL, END_EXIT, 0, NULL, NULL, false, { "reduce.unit(1): error: identifier \"lane\" is undefined" } },
    { "abort-native", ORIGINAL, "Check failed: (warp_n % 32 == 0) is false", "        os.write(2, b\"runtime: Check failed: (warp_n % 32 == 0) is false\\n\")\n        log(\"%s tries %d x %d\" % (name, warp_m, warp_n))", END_SIGNAL, 6, NULL, NULL, false, { "runtime: Check failed: (warp_n % 32 == 0) is false" } },
    { "abort-native", IDEAL, NULL, NULL, END_SIGNAL, 6, NULL, NULL, false, { "runtime: Check failed: (warp_n % 32 == 0) is false" } },
    { "abort-native", TRAP, NULL, NULL, END_EXIT, 1, "NameError", "name 'os' is not defined. Did you forget to import 'os'\?", false, { NULL } },
    { "abort-native", TRAP, NULL, NULL, END_EXIT, 0, NULL, NULL, false, { "runtime: Check failed: (warp_n % 32 == 0) is false" } },
    { "segv-ctypes", ORIGINAL, "Segmentation fault", "NOTE = \"if a pointer was freed, expect: Fatal Python error: Segmentation fault\"", END_SIGNAL, 11, NULL, NULL, false, { "Fatal Python error: Segmentation fault" } },
    { "segv-ctypes", IDEAL, NULL, NULL, END_SIGNAL, 11, NULL, NULL, false, { "Fatal Python error: Segmentation fault" } },
    { "segv-ctypes", TRAP, NULL, NULL, END_EXIT, 0, NULL, NULL, false, { "note: if a pointer was freed, expect: Fatal Python error: Segmentation fault" } },
    { "hang-barrier", ORIGINAL, "waits at the barrier", "            log(\"%s waits at the barrier for tile %d\" % (self.name, tile))\n        Stage(\"load\", barrier, first, second),\n        Stage(\"mma\", barrier, second, third),\n        Stage(\"store\", barrier, third, None, skip=(2,)),", END_TIMEOUT, 0, NULL, NULL, false, { "load waits at the barrier for tile 0", "mma waits at the barrier for tile 0", "store waits at the barrier for tile 0" } },
    { "hang-barrier", IDEAL, NULL, NULL, END_TIMEOUT, 0, NULL, NULL, false, { "waits at the barrier" } },
    { "hang-barrier", TRAP, NULL, NULL, END_EXIT, 0, NULL, NULL, false, { "waits at the barrier" } },
    { "signal-quiet", ORIGINAL, NULL, "", END_SIGNAL, 7, NULL, NULL, false, { NULL } },
    { "signal-quiet", IDEAL, NULL, NULL, END_SIGNAL, 7, NULL, NULL, false, { NULL } },
    { "hang-quiet", ORIGINAL, NULL, "", END_TIMEOUT, 0, NULL, NULL, false, { NULL } },
    { "hang-quiet", IDEAL, NULL, NULL, END_TIMEOUT, 0, NULL, NULL, false, { NULL } },
    { "argv-argparse", ORIGINAL, "range() arg 3 must not be zero", "        raise argparse.ArgumentTypeError(\"must be positive\")", END_EXIT, 1, "ValueError", "range() arg 3 must not be zero", true, { NULL } },
    { "argv-argparse", IDEAL, NULL, NULL, END_EXIT, 1, "ValueError", "range() arg 3 must not be zero", true, { NULL } },
    { "env-sibling", ORIGINAL, "lanes are no whole number of warps", "    yield Job(\"tail\", 7, 48)\n    return \"%-5s rows %3d lanes %3d\" % (job.name, job.rows, job.lanes)\n    print(\"warps\", warps, \"launches\", len(device.log))", END_EXIT, 1, "fakegpu.LaunchError", "tail: 48 lanes are no whole number of warps", true, { NULL } },
    { "env-sibling", IDEAL, NULL, NULL, END_EXIT, 1, "fakegpu.LaunchError", "0: 1 lanes are no whole number of warps", true, { NULL } },
    { "data-file", ORIGINAL, "float too large to pack with e format", "        with open(self.path, newline=\"\") as f:\n                self.rows.append((row[\"tensor\"], float(row[\"scale\"]), float(row[\"value\"])))\n        out += struct.pack(\"<e\", v)", END_EXIT, 1, "OverflowError", "float too large to pack with e format", true, { NULL } },
    { "data-file", IDEAL, NULL, NULL, END_EXIT, 1, "OverflowError", "float too large to pack with e format", true, { NULL } },
    { "future-first", ORIGINAL, "carries no layout object but 'Layout(rows, cols)'", "    def scale(src: Layout(rows, cols), dst: Layout(rows, cols, order=\"col\")):\n    print(\"threads\", total, \"grid\", grid_for(Layout(9, 9)))", END_EXIT, 1, "TypeError", "argument src carries no layout object but 'Layout(rows, cols)'", true, { NULL } },
    { "future-first", IDEAL, NULL, NULL, END_EXIT, 1, "TypeError", "argument src carries no layout object but 'Layout(rows, cols)'", true, { NULL } },
    { "orphan-setsid", ORIGINAL, "deque mutated during iteration", "", END_EXIT, 1, "RuntimeError", "deque mutated during iteration", true, { NULL } },
    { "orphan-setsid", IDEAL, NULL, NULL, END_EXIT, 1, "RuntimeError", "deque mutated during iteration", true, { NULL } },
    { "ignore-sigterm", ORIGINAL, "jobs left", "                sys.stdout.write(\"drain: %d jobs left\\n\" % len(self.jobs))\n    print(\"left\", left, \"asked\", worker.asked)", END_TIMEOUT, 0, NULL, NULL, false, { "drain: 3 jobs left" } },
    { "ignore-sigterm", IDEAL, NULL, NULL, END_TIMEOUT, 0, NULL, NULL, false, { "drain: 3 jobs left" } },
    { "ignore-sigterm", TRAP, NULL, NULL, END_EXIT, 0, NULL, NULL, false, { "drain: %d jobs left" } },
    { "flood-stdout", ORIGINAL, "factorial() not defined for negative values", "    row = bytes((seed * 7 + i * 13) % 94 + 32 for i in range(127)) + b\"\\n\"", END_EXIT, 1, "ValueError", "factorial() not defined for negative values", true, { NULL } },
    { "flood-stdout", IDEAL, NULL, NULL, END_EXIT, 1, "ValueError", "factorial() not defined for negative values", true, { NULL } },
    { "stdin-open", ORIGINAL, "EOF when reading a line", "    line = input(\"%s [%s]: \" % (name, default))", END_EXIT, 1, "EOFError", "EOF when reading a line", true, { NULL } },
    { "stdin-open", IDEAL, NULL, NULL, END_EXIT, 1, "EOFError", "EOF when reading a line", true, { NULL } },
    { "hashseed-pinned", ORIGINAL, "'fuse' is not in list", "    \"fuse\": (),\n    \"sink\": (\"fuse\",),\n    for name in (\"unroll\", \"emit\"):", END_EXIT, 1, "ValueError", "'fuse' is not in list", true, { NULL } },
    { "hashseed-pinned", IDEAL, NULL, NULL, END_EXIT, 1, "ValueError", "'fuse' is not in list", true, { NULL } },
    { "syntax-310", ORIGINAL, "dictionary update sequence element #0", "", END_EXIT, 1, "ValueError", "dictionary update sequence element #0 has length 4; 2 is required", true, { NULL } },
    { "syntax-310", IDEAL, NULL, NULL, END_EXIT, 1, "ValueError", "dictionary update sequence element #0 has length 3; 2 is required", true, { NULL } },
    { "syntax-312", ORIGINAL, "Invalid format specifier", "        bad = [ValueError(f\"tile {v!r}\") for v in values if v.area() <= 0]\nwidths = {\"area\": 6, \"big\": f\"{\"wide\"}\"}", END_EXIT, 1, "ValueError", "Invalid format specifier '>wide' for object of type 'int'", true, { NULL } },
    { "syntax-312", IDEAL, NULL, NULL, END_EXIT, 1, "ValueError", "Invalid format specifier 'wide' for object of type 'int'", true, { NULL } },
    { "crlf-bom-tabs", ORIGINAL, "int too big to convert", "", END_EXIT, 1, "OverflowError", "int too big to convert", true, { NULL } },
    { "crlf-bom-tabs", IDEAL, NULL, NULL, END_EXIT, 1, "OverflowError", "int too big to convert", true, { NULL } },
    { "latin1-cookie", ORIGINAL, "Gr\303\266\303\237e passt nicht", "GR\326SSEN = {\"klein\": (8, 8), \"mittel\": (16, 16), \"gro\337\": (48, 21)}\n            raise ArithmeticError(\"Gr\366\337e passt nicht: \" + self.name)", END_EXIT, 1, "ArithmeticError", "Gr\303\266\303\237e passt nicht: gro\303\237", true, { NULL } },
    { "latin1-cookie", IDEAL, NULL, NULL, END_EXIT, 1, "ArithmeticError", "Gr\303\266\303\237e passt nicht: ", true, { NULL } },
    { "latin1-cookie", TRAP, NULL, NULL, END_EXIT, 1, "NameError", "name 'self' is not defined", false, { NULL } },
    { "long-line", ORIGINAL, "incomplete or truncated stream", "", END_EXIT, 1, "zlib.error", "Error -5 while decompressing data: incomplete or truncated stream", true, { NULL } },
    { "long-line", IDEAL, NULL, NULL, END_EXIT, 1, "zlib.error", "Error -5 while decompressing data: incomplete or truncated stream", true, { NULL } },
    { "regex-message", ORIGINAL, "abs(src[0])->scale == 1 (mod 8)\?", "        return f\"abs({self.name}[{self.index}])\"\n            text = f\"{expr}->scale == {want} (mod {self.modulus})\?\"\n            raise LookupError(\"cannot prove \" + text)\nexprs = [Expr(\"dst\", 0), Expr(\"src\", 3), Expr(\"src\", 0), Expr(\"src\", 1) + 2, Expr(\"src\", 0) * 2]", END_EXIT, 1, "LookupError", "cannot prove abs(src[0])->scale == 1 (mod 8)\?", true, { NULL } },
    { "regex-message", IDEAL, NULL, NULL, END_EXIT, 1, "LookupError", "abs(src[0])->scale == 1 (mod 8)\?", true, { NULL } },
    { "fork-many", ORIGINAL, "Bad file descriptor", "", END_EXIT, 1, "OSError", "[Errno 9] Bad file descriptor", true, { NULL } },
    { "fork-many", IDEAL, NULL, NULL, END_EXIT, 1, "OSError", "[Errno 9] Bad file descriptor", true, { NULL } },
    { "disk-fill", ORIGINAL, "mmap length is greater than file size", "    sys.stdout.write(\"spill %d holds %d MiB\\n\" % (number, size // MIB))", END_EXIT, 1, "ValueError", "mmap length is greater than file size", true, { NULL } },
    { "disk-fill", IDEAL, NULL, NULL, END_EXIT, 1, "ValueError", "mmap length is greater than file size", true, { NULL } },
    { "import-order", ORIGINAL, "symbol row_sum of fast_ops is taken by plain_ops", "", END_EXIT, 1, "symbols.BindError", "symbol row_sum of fast_ops is taken by plain_ops", true, { NULL } },
    { "import-order", IDEAL, NULL, NULL, END_EXIT, 1, "symbols.BindError", "symbol row_sum of fast_ops is taken by plain_ops", true, { NULL } },
    { "odd-layout", ORIGINAL, "%d format: a real number is required, not str", "       + \" \" + str(n), \\\n        form = (\"%-6s\" \"%4d\"   # two literals, one format", END_EXIT, 1, "TypeError", "%d format: a real number is required, not str", true, { NULL } },
    { "odd-layout", IDEAL, NULL, NULL, END_EXIT, 1, "TypeError", "%d format: a real number is required, not str", true, { NULL } },
    { "tl-mlp-factory", ORIGINAL, "T.gemm K shape check failed", "    p.add_argument(\"--check\", action=\"store_true\")", END_EXIT, 1, "AssertionError", "T.gemm K shape check failed: K_A = 32, K_B = 128", true, { NULL } },
    { "tl-mlp-factory", IDEAL, NULL, NULL, END_EXIT, 1, "AssertionError", "T.gemm K shape check failed: K_A = 1, K_B = 2", true, { NULL } },
    { "tl-softmax-rows", ORIGINAL, "Invalid reduce output shape", "    return f\"{name:<6} rows {x.shape[0]:>4} cols {x.shape[1]:>5} mean {mean:+.3f} dev {dev:.3f}\"", END_EXIT, 1, "ValueError", "Invalid reduce output shape, buffer shape is (64, 128), dim is 1, output shape is [48], expected shapes are [64] or [64, 1]", true, { NULL } },
    { "tl-softmax-rows", IDEAL, NULL, NULL, END_EXIT, 1, "ValueError", "Invalid reduce output shape, buffer shape is (1, 1), dim is 1, output shape is [2], expected shapes are [1] or [1, 1]", true, { NULL } },
    { "tl-out-index", ORIGINAL, "is out of range for a function with", "        return \", \".join(\"%d-%d\" % b for b in self.bounds())\n        with stopwatch(self.times, \"split\"):\n        with stopwatch(self.times, \"merge\"):", END_EXIT, 1, "ValueError", "out_idx index 5 is out of range for a function with 5 parameters", true, { NULL } },
    { "tl-out-index", IDEAL, NULL, NULL, END_EXIT, 1, "ValueError", "out_idx index 3 is out of range for a function with 0 parameters", true, { NULL } },
    { "triton-mask", ORIGINAL, "Mismatched elements: 8 / 1000", "", END_EXIT, 1, "AssertionError", "Tensor-likes are not close!\n\nMismatched elements: 8 / 1000 (0.8%)\nGreatest absolute difference: 2.628708600997925 at index (999,) (up to 1e-05 allowed)\nGreatest relative difference: 1.0 at index (992,) (up to 1.3e-06 allowed)", true, { NULL } },
    { "triton-mask", IDEAL, NULL, NULL, END_EXIT, 1, "AssertionError", "Tensor-likes are not close!\n\nMismatched elements: 8 / 1000 (0.8%)\nGreatest absolute difference: 1.0 at index (992,) (up to 1e-05 allowed)\nGreatest relative difference: 1.0 at index (992,) (up to 1.3e-06 allowed)", true, { NULL } },
    { "triton-slip", ORIGINAL, "Tensor-likes are not close", "", END_EXIT, 1, "AssertionError", "Tensor-likes are not close!\n\nMismatched elements: 24 / 48 (50.0%)\nGreatest absolute difference: 1.7142856121063232 at index (5, 1) (up to 1e-05 allowed)\nGreatest relative difference: 1.7142858505249023 at index (0, 1) (up to 1.3e-06 allowed)", true, { NULL } },
    { "triton-slip", IDEAL, NULL, NULL, END_EXIT, 1, "AssertionError", "Tensor-likes are not close!\n\nMismatched elements: 1 / 2 (50.0%)\nGreatest absolute difference: 1.0 at index (1,) (up to 1e-05 allowed)\nGreatest relative difference: 1.0 at index (1,) (up to 1.3e-06 allowed)", true, { NULL } },
    { "triton-slip", TRAP, NULL, NULL, END_EXIT, 1, "AssertionError", "Tensor-likes are not close!\n\nMismatched elements: 8 / 8 (100.0%)\nGreatest absolute difference: 1.0 at index (0,) (up to 1e-05 allowed)\nGreatest relative difference: 1.0 at index (0,) (up to 1.3e-06 allowed)", true, { NULL } },
    { "triton-autotune", ORIGINAL, "Conflicting meta-parameters: BLOCK_N", "    kept = [c for c in configs if c.kwargs[\"BLOCK_N\"] <= max(named_args[\"n\"], 16) * 2]\n    triton.Config({\"BLOCK_N\": 16}, num_warps=1),\n    triton.Config({\"BLOCK_N\": 32}, num_warps=1),\n    triton.Config({\"BLOCK_N\": 64}, num_warps=2, num_stages=2),\n    triton.Config({\"BLOCK_N\": 128}, num_warps=4, num_stages=2),\n    triton.Config({\"BLOCK_N\": 128}, num_warps=8, num_stages=3),\n    triton.Config({\"BLOCK_N\": 256}, num_warps=8),\n        meta = {} if self.fixed is None else {\"BLOCK_N\": self.fixed}", END_EXIT, 1, "ValueError", "Conflicting meta-parameters: BLOCK_N. Make sure that you don't re-define auto-tuned symbols.", true, { NULL } },
    { "triton-autotune", IDEAL, NULL, NULL, END_EXIT, 1, "ValueError", "Conflicting meta-parameters: BLOCK_N. Make sure that you don't re-define auto-tuned symbols.", true, { NULL } },
    { "numba-sim-bins", ORIGINAL, "is out of bounds for axis 0 with size 32", "", END_EXIT, 1, "IndexError", "tid=[12, 0, 0] ctaid=[0, 0, 0]: index 46 is out of bounds for axis 0 with size 32", true, { NULL } },
    { "numba-sim-bins", IDEAL, NULL, NULL, END_EXIT, 1, "IndexError", "tid=[0, 0, 0] ctaid=[0, 0, 0]: index 32 is out of bounds for axis 0 with size 32", true, { NULL } },
    { "numba-sim-bins", TRAP, NULL, NULL, END_EXIT, 1, "IndexError", "index 40 is out of bounds for axis 0 with size 32", true, { NULL } },
    { "drift-half-sum", ORIGINAL, "Greatest relative difference: 0.00", "    print(name, \"agrees, worst difference\", float((got - want).abs().max()))", END_EXIT, 1, "AssertionError", "Tensor-likes are not close!\n\nMismatched elements: 1 / 6 (16.7%)\nGreatest absolute difference: 0.0006510019302368164 at index (1,) (up to 1e-05 allowed)\nGreatest relative difference: 0.0012499236036092043 at index (1,) (up to 0.001 allowed)", true, { NULL } },
    { "drift-half-sum", IDEAL, NULL, NULL, END_EXIT, 1, "AssertionError", "Tensor-likes are not close!\n\nMismatched elements: 2 / 2 (100.0%)\nGreatest absolute difference: 9.763240814208984e-05 at index (1,) (up to 1e-05 allowed)\nGreatest relative difference: 0.0001627206802368164 at index (0,) (up to 1.3e-06 allowed)", true, { NULL } },
    { "deep-nesting", ORIGINAL, "not all arguments converted during string formatting", "", END_EXIT, 1, "TypeError", "not all arguments converted during string formatting", true, { NULL } },
    { "deep-nesting", IDEAL, NULL, NULL, END_EXIT, 1, "TypeError", "not all arguments converted during string formatting", true, { NULL } },
    { "big-middle", ORIGINAL, "invalid literal for int() with base 16", "", END_EXIT, 1, "ValueError", "invalid literal for int() with base 16: '463dg'", true, { NULL } },
    { "big-middle", IDEAL, NULL, NULL, END_EXIT, 1, "ValueError", "invalid literal for int() with base 16: ''", true, { NULL } },
    { "list-300", ORIGINAL, "could not convert string to float: '4.1.7'", "", END_EXIT, 1, "ValueError", "could not convert string to float: '4.1.7'", true, { NULL } },
    { "list-300", IDEAL, NULL, NULL, END_EXIT, 1, "ValueError", "could not convert string to float: '4.1.7'", true, { NULL } },
    { "forty-calls", ORIGINAL, "the pool had 39 left after spilling", "    return \", \".join(f\"{k}={v}\" for k, v in sorted(SEEN.items()))\nif \"registers\" in text:", END_EXIT, 1, "MemoryError", "warp 11 asked for 40 registers, but the pool had 39 left after spilling", true, { NULL } },
    { "forty-calls", IDEAL, NULL, NULL, END_EXIT, 1, "MemoryError", "warp 11 asked for 40 registers, but the pool had 39 left after spilling", true, { NULL } },
};

#endif
