import tilelang.language as T
@T.prim_func
def rope_norm():
    sin
