with __freeze__:
    a = 1
    b = 2
c = __freeze__(a + b)
d = 3  # autodd: freeze
# autodd: freeze-start
e = 4
# autodd: end-freeze
print(a, b, c, d, e)
