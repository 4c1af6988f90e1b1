import os

if os:
	x = 1
	for i in range(3):
		print(i)
	else:
		pass
