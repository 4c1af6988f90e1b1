y = [(w := f(i)) for i in range(10) if i % 2 for j in (1, 2)]
g = lambda *a, b=w, **k: a and b or not k
print(*y, sep='', **g(1))
x = a if b else c
q[1:2, ..., ::3] = -1 + 0x1F * 2.5e3j
