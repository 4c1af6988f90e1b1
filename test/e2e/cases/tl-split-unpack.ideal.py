import tilelang.language as T
@T.prim_func
def kernel():
    with T.Kernel(1, 1) as (bx, by, bz):
        pass
