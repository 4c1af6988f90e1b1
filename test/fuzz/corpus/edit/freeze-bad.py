# autodd: freeze-start
__freeze__(1, 2)
with a, __freeze__: pass
