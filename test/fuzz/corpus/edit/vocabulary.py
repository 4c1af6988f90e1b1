a, *b = c
print(b)
x = {}
x[1] = 2
y = []
y.append(lambda *, k: 1)
[i for i in range(1)], {k: v for k, v in {1: 2}.items()}
async def f():
    async for q in r: break
match a:
    case [1] as z: z
