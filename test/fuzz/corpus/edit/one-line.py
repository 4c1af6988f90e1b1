for i in [1, 2]: print(i); break
with a as b, c: b
while 1: pass
class A: x = 1; y = 2
def f(): 'd'; return 1