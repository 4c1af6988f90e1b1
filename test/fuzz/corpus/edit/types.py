type A[T] = list[T]
class B[T: (int, str), *U, **P](A[T]): pass
def f[T](x: T, *y: U) -> T: z: int; return x
