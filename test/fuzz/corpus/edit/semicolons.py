a = 1; b = 2;
if a: c = 3; d = 4;
else: e = 5
x; \
  y
