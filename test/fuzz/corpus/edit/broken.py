def f(:
  x = (1, [2
class
	if y
  'open
)]} else:
\
