try:
  a
except* (B, C) as e:
  raise e from None
else: d
finally:
  for x, *y in z: continue
  while q: break
  else: r
