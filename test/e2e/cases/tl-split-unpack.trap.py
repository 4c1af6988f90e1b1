def check(shape):
    M, N, _ = shape
check((0, 0))
